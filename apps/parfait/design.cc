#include <fmt/format.h>

#include "command.h"
#include "interrupt.h"
#include "parfait/io/results/result_json.h"
#include "parfait/run/design/design.h"
#include "parfait/run/summary/design_text.h"
#include "run_names.h"
#include "saving.h"

// parfait design: the experiment that would tell most.
namespace parfait::app {
namespace {

struct DesignOptions {
  std::string file, criterion, out;
  std::optional<int> starts;
};

int design(const DesignOptions& options, const GlobalOptions& global) {
  run::DesignRequest request;
  request.file = options.file;
  request.arguments = global.arguments;
  request.criterion = options.criterion;
  request.starts = options.starts;
  request.out = run_folder_of(options.out, options.file);
  run::Callbacks callbacks;
  callbacks.on_ready = InterruptWatch::begin;
  callbacks.stop = InterruptWatch::requested;
  auto run = run::design(request, callbacks);
  const auto saved = save_or_tell(request.out, [&] { return run::save(run, request.out); });
  if (global.json) {
    fmt::print("{}", io::result_text(run.result));
  } else if (!global.quiet) {
    fmt::print("{}", run::design_text(run, saved.value_or("")));
  }
  if (!run.complete()) fmt::print(stderr, "{}: {}.\n", request.file, run.result.verdict.message);
  return run.complete() && saved ? kDone : kNotFinished;
}

}  // namespace

Command add_design(CLI::App& app, const GlobalOptions& global) {
  auto* parser = app.add_subcommand("design", "plan the experiment that would tell most");
  auto options = std::make_shared<DesignOptions>();
  parser->add_option("design", options->file, "design file: <design>")
      ->required()
      ->type_name("FILE");
  parser
      ->add_option("--criterion", options->criterion,
                   "instead of that of the file: A, D, E, T, max_sd, c or prediction")
      ->type_name("NAME");
  parser->add_option("--starts", options->starts, "so many searches, from different starts")
      ->type_name("N");
  parser->add_option("--out", options->out, "folder for the results (run/<design name>)")
      ->type_name("DIR");
  return {parser, [options, &global] { return design(*options, global); }};
}

}  // namespace parfait::app
