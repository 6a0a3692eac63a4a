#include <fmt/format.h>

#include "command.h"
#include "interrupt.h"
#include "parfait/base/counted.h"
#include "parfait/io/results/result_json.h"
#include "parfait/run/fit/synthesis.h"

// parfait synthesize: measurements as the model makes them, with the noise of the problem.
namespace parfait::app {
namespace {

struct SynthesizeOptions {
  run::SynthesisRequest request;
  std::vector<std::string> set;  ///< as typed
  std::string out;
};

int synthesize(const SynthesizeOptions& options, const GlobalOptions& global) {
  auto request = options.request;
  request.set = run::parse_settings(options.set);
  request.out = options.out;
  auto run = run::synthesize(request);
  InterruptWatch::begin();  // what is written is written to its end
  run::save(run, request);
  if (global.json) {
    fmt::print("{}", io::result_text(run.result));
  } else if (!global.quiet) {
    for (const auto& e : run.result.experiments) {
      fmt::print(
          "{}: {}, {}\n", e.data, base::counted(e.measurements, "measurement", "measurements"),
          e.times == "samples" ? "at the times of <samples>" : "where the old data have them");
    }
    fmt::print("seed {}; next: parfait fit {}\n", request.seed, run.problem_file);
  }
  return kDone;
}

}  // namespace

Command add_synthesize(CLI::App& app, const GlobalOptions& global) {
  auto* parser = app.add_subcommand(
      "synthesize", "make measurements with the model at the true parameters, and noise");
  auto options = std::make_shared<SynthesizeOptions>();
  auto& request = options->request;
  parser->add_option("problem", request.file, "problem file")->required()->type_name("FILE");
  parser->add_option("--seed", request.seed, "of the noise (1)")->type_name("N");
  parser
      ->add_option("--set", options->set,
                   "true value of a parameter, or a condition; may be repeated")
      ->type_name("ID=VALUE")
      ->allow_extra_args(false);
  parser
      ->add_option("--out", options->out,
                   "folder for data, models and problem (the data files of the problem)")
      ->type_name("DIR");
  parser->add_flag("--force", request.force, "replace data files that exist");
  return {parser, [options, &global] { return synthesize(*options, global); }};
}

}  // namespace parfait::app
