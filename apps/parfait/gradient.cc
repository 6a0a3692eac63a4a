#include <fmt/format.h>

#include "command.h"
#include "parfait/io/results/result_json.h"
#include "parfait/run/fit/gradient.h"
#include "parfait/run/summary/gradient_text.h"
#include "run_names.h"
#include "saving.h"

// parfait gradient: the derivative of what a problem asks to make small.
namespace parfait::app {
namespace {

struct GradientOptions {
  run::GradientRequest request;
  std::vector<std::string> set;  ///< as typed
  std::string out;
};

int gradient(const GradientOptions& options, const GlobalOptions& global) {
  auto request = options.request;
  request.set = run::parse_settings(options.set);
  request.out = run_folder_of(options.out, request.file);
  auto run = run::find_gradient(request);
  const auto saved = save_or_tell(request.out, [&] { return run::save(run, request.out); });
  if (global.json) {
    fmt::print("{}", io::result_text(run.result));
  } else if (!global.quiet && run.finished()) {
    fmt::print("{}", run::gradient_text(run, saved.value_or("")));
  }
  if (!run.finished()) {
    fmt::print(stderr, "{}: {}.\n", request.file, run.result.verdict.message);
  }
  return run.finished() && saved ? kDone : kNotFinished;
}

}  // namespace

Command add_gradient(CLI::App& app, const GlobalOptions& global) {
  auto* parser = app.add_subcommand(
      "gradient", "differentiate the costs and the misfit of a problem at its initial parameters");
  auto options = std::make_shared<GradientOptions>();
  auto& request = options->request;
  parser->add_option("problem", request.file, "problem file")->required()->type_name("FILE");
  parser
      ->add_option("--by", request.by,
                   "adjoint (default): a few runs whatever the number of parameters; forward: a "
                   "direction for each; continuous: the adjoint equations of a mechanism, for "
                   "comparison")
      ->type_name("WAY");
  parser
      ->add_option("--adjoint-steps", request.continuous_steps,
                   "equal steps of --by continuous (1000)")
      ->type_name("N");
  parser->add_flag("--adjoint-out", request.adjoints,
                   "also adjoint.csv: the sensitivity of the cost to the state, over time");
  parser->add_flag("--check", request.check, "both ways, and how far they are apart");
  parser
      ->add_option("--memory", request.memory,
                   "for the states that an adjoint keeps, 512MB for example (1GB)")
      ->type_name("SIZE");
  parser->add_option("--set", options->set, "value of a parameter, or a condition; may be repeated")
      ->type_name("ID=VALUE")
      ->allow_extra_args(false);
  parser->add_option("--out", options->out, "folder for the results (run/<problem name>)")
      ->type_name("DIR");
  return {parser, [options, &global] { return gradient(*options, global); }};
}

}  // namespace parfait::app
