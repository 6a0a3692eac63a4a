#include <fmt/format.h>

#include <limits>

#include "command.h"
#include "interrupt.h"
#include "parfait/io/model/any_model_file.h"
#include "parfait/io/results/result_json.h"
#include "parfait/run/simulation/modes.h"
#include "parfait/run/summary/modes_text.h"
#include "run_names.h"
#include "saving.h"

// parfait modes: static equilibrium and vibration modes about it.
namespace parfait::app {
namespace {

struct ModesOptions {
  std::string file;
  std::vector<std::string> set;
  std::string coordinates;
  std::string at = "equilibrium";
  double time = 0;
  int count = std::numeric_limits<int>::max();
  std::string out;
};

int modes(const ModesOptions& options, const GlobalOptions& global) {
  run::ModesRequest request;
  request.file = options.file;
  request.arguments = global.arguments;
  request.set = run::parse_settings(options.set);
  request.coordinates = options.coordinates;
  request.at_initial = options.at == "initial";
  request.time = options.time;
  request.count = options.count;
  request.out = run_folder_of(options.out, options.file);
  run::Callbacks callbacks;
  callbacks.stop = InterruptWatch::requested;
  auto run = run::find_modes(request, callbacks);
  const auto saved = save_or_tell(request.out, [&] { return run::save(run, request.out); });
  if (global.json) {
    fmt::print("{}", io::result_text(run.result));
  } else if (!global.quiet && run.finished()) {
    fmt::print("{}", run::modes_text(run, saved.value_or("")));
  }
  if (!run.finished()) {
    fmt::print(stderr, "{}: {}.\n", request.file, run.result.verdict.message);
  }
  return run.finished() && saved ? kDone : kNotFinished;
}

}  // namespace

Command add_modes(CLI::App& app, const GlobalOptions& global) {
  auto* parser =
      app.add_subcommand("modes", "find the static equilibrium and the frequencies about it");
  auto options = std::make_shared<ModesOptions>();
  parser->add_option("model", options->file, "model file: " + io::model_file_roots())
      ->required()
      ->type_name("FILE");
  parser->add_option("--at", options->at, "the point: equilibrium (default) or initial")
      ->check(CLI::IsMember({"equilibrium", "initial"}))
      ->type_name("POINT");
  parser->add_option("--time", options->time, "time at which time-dependent inputs are frozen (0)")
      ->type_name("T");
  parser->add_option("--count", options->count, "number of modes to write, slowest first (all)")
      ->type_name("N");
  parser->add_option("--set", options->set, "value of a parameter; may be repeated")
      ->type_name("ID=VALUE")
      ->allow_extra_args(false);
  parser
      ->add_option("--coordinates", options->coordinates,
                   "of a mechanism: natural or joint (natural)")
      ->type_name("NAME");
  parser->add_option("--out", options->out, "folder for the results (run/<model name>)")
      ->type_name("DIR");
  return {parser, [options, &global] { return modes(*options, global); }};
}

}  // namespace parfait::app
