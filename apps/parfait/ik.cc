#include <fmt/format.h>

#include "command.h"
#include "interrupt.h"
#include "parfait/base/error.h"
#include "parfait/io/results/result_json.h"
#include "parfait/run/motion/inverse_kinematics.h"
#include "run_names.h"
#include "saving.h"
#include "trial_options.h"

// parfait ik: poses of a model from measured markers.
namespace parfait::app {
namespace {

void print_errors(const char* what, const result::ErrorSummary& errors) {
  if (errors.count == 0) return;
  fmt::print("  {:<12}{:>9.3f} {:>9.3f} {:>9.3f} {:>9.3f}\n", what, 1e3 * errors.rms,
             1e3 * errors.mean, 1e3 * errors.mean_frame_max, 1e3 * errors.max);
}

void print_limits(const char* what, const std::vector<result::LimitFacts>& limits, int frames) {
  if (limits.empty()) return;
  std::vector<std::string> words;
  words.reserve(limits.size());
  for (const auto& limit : limits) {
    words.push_back(fmt::format("{} ({} of {} frames)", limit.coordinate, limit.frames, frames));
  }
  fmt::print("  {}: {}\n", what, base::listing(words));
}

void print_trial(const result::TrialPoseFacts& trial) {
  fmt::print("{}: {} frames, {:g} to {:g} s, {} markers of the model\n", trial.trial, trial.frames,
             trial.start, trial.end, trial.markers.size());
  if (!trial.only_model.empty()) {
    fmt::print("  not measured: {}\n", base::listing(trial.only_model));
  }
  if (!trial.only_data.empty()) {
    fmt::print("  not on the model: {}\n", base::listing(trial.only_data));
  }
  if (trial.missing > 0) fmt::print("  missing: {} places\n", trial.missing);
  fmt::print("  {:<12}{:>9} {:>9} {:>9} {:>9}\n", "errors [mm]", "rms", "mean", "frame max", "max");
  print_errors("all", trial.errors);
  print_errors("anatomical", trial.anatomical);
  print_errors("tracking", trial.tracking);
  fmt::print("  largest at {} at {:g} s; {:.1f} iterations per frame (at most {})\n",
             trial.max_marker, trial.max_time, trial.mean_iterations, trial.max_iterations);
  print_limits("at a limit", trial.at_limit, trial.frames);
  print_limits("not seen", trial.partly_unseen, trial.frames);
}

int ik(const run::InverseKinematicsRequest& request, const GlobalOptions& global) {
  auto run = run::inverse_kinematics(request);
  const InterruptWatch interrupt;
  const auto folder = save_or_tell(request.out, [&] { return run::save(run, request.out); });
  if (global.json) {
    fmt::print("{}", io::result_text(run.result));
  } else if (!global.quiet) {
    for (const auto& trial : run.result.trials) print_trial(trial);
    for (const auto& warning : run.result.verdict.warnings) fmt::print("warning: {}\n", warning);
    if (folder) fmt::print("results in {}\n", folder->string());
  }
  return folder ? kDone : kNotFinished;
}

}  // namespace

Command add_ik(CLI::App& app, const GlobalOptions& global) {
  auto* parser = app.add_subcommand(
      "ik", "poses of a model from measured markers (inverse kinematics), with intervals");
  auto request = std::make_shared<run::InverseKinematicsRequest>();
  auto out = std::make_shared<std::string>();
  auto limits = std::make_shared<std::string>("on");
  auto angles = std::make_shared<std::string>("rad");
  auto method = std::make_shared<std::string>("gauss_newton");
  add_trial_options(*parser, *request);
  parser->add_option("--limits", *limits, "joint limits")
      ->check(CLI::IsMember({"on", "off"}))
      ->type_name("on|off");
  parser->add_option("--angles", *angles, "unit of angles in the table")
      ->check(CLI::IsMember({"rad", "deg"}))
      ->type_name("rad|deg");
  parser->add_option("--method", *method, "damped: as in Felis 2015, without limits, to compare")
      ->check(CLI::IsMember({"gauss_newton", "damped"}))
      ->type_name("METHOD");
  parser->add_option("--out", *out, "folder for the results (run/<model>_ik)")->type_name("DIR");
  return {parser, [=, &global] {
            request->limits = *limits == "on";
            request->degrees = *angles == "deg";
            request->damped = *method == "damped";
            request->out = out->empty() ? run_folder_of("", request->model).string() + "_ik" : *out;
            return ik(*request, global);
          }};
}

}  // namespace parfait::app
