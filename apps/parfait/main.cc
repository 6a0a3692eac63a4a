#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <system_error>

#include "arguments.h"
#include "command.h"
#include "interrupt.h"
#include "output.h"
#include "parfait/base/error.h"
#include "parfait/base/stop.h"
#include "parfait/run/job/plugin.h"

namespace {

int run(int argc, char** argv) {
  using namespace parfait;  // NOLINT(google-build-using-namespace): the body of main
  app::GlobalOptions global;
  CLI::App cli("Parfait: simulation and parameter estimation of mechanisms, ODEs and DAEs.",
               "parfait");
  cli.set_version_flag("--version", "parfait " PARFAIT_VERSION);
  cli.add_option("--plugin", global.plugins, "shared library that registers more element types")
      ->type_name("LIB.so")
      ->allow_extra_args(false);
  cli.add_flag("--quiet", global.quiet, "print nothing but errors");
  cli.add_flag("--json", global.json, "print the result as JSON");
  cli.require_subcommand(1);
  cli.fallthrough();  // the options above may also stand after the subcommand

  const app::Command commands[] = {
      app::add_simulate(cli, global),   app::add_fit(cli, global),
      app::add_synthesize(cli, global), app::add_modes(cli, global),
      app::add_gradient(cli, global),   app::add_check(cli, global),
      app::add_convert(cli, global),    app::add_elements(cli, global),
      app::add_human(cli, global),      app::add_id(cli, global),
      app::add_ik(cli, global),         app::add_calibrate(cli, global),
      app::add_import(cli, global),     app::add_verify(cli, global),
      app::add_report(cli, global),     app::add_view(cli, global),
      app::add_design(cli, global),     app::add_scale(cli, global),
      app::add_joints(cli, global),     app::add_gait(cli, global),
      app::add_batch(cli, global)};
  try {
    cli.parse(argc, argv);
  } catch (const CLI::Success& asked_for_help) {
    return cli.exit(asked_for_help);
  } catch (const CLI::ParseError& error) {
    cli.exit(error);
    return app::kBadInput;
  }
  global.arguments = app::deciding_arguments(argc, argv);
  for (const auto& plugin : global.plugins) run::load_plugin(plugin);
  for (const auto& command : commands) {
    if (*command.parser) return command.run();
  }
  return app::kBadInput;
}

int run_and_tell(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const parfait::base::InputError& error) {
    fmt::print(stderr, "{}\n", error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    fmt::print(stderr, "{}: {}.\n", error.path1().string(), error.code().message());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "parfait: there is not enough memory for this.\n");
  } catch (const parfait::base::Stopped&) {
    fmt::print(stderr, "parfait: interrupted; nothing was written\n");
    return parfait::app::kNotFinished;
  } catch (const std::exception& error) {
    fmt::print(stderr, "parfait: {}\n", error.what());
  }
  return parfait::app::kBadInput;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace parfait;  // NOLINT(google-build-using-namespace): the body of main
  app::install_interrupts();
  app::guard_output();
  const int code = run_and_tell(argc, argv);
  const int error = app::output_error();
  if (error == 0) return code;
  fmt::print(stderr, "parfait: cannot write to standard output: {}.\n",
             std::generic_category().message(error));
  return code == app::kDone ? app::kNotFinished : code;
}
