#include <fmt/format.h>

#include <cmath>

#include "command.h"
#include "interrupt.h"
#include "parfait/base/error.h"
#include "parfait/io/results/result_json.h"
#include "parfait/run/motion/calibrate.h"
#include "run_names.h"
#include "saving.h"
#include "trial_options.h"

// parfait calibrate: a subject's model from measured markers.
namespace parfait::app {
namespace {

void print_calibration(const result::Calibration& result) {
  fmt::print("{} after {} iterations: marker error {:.2f} mm rms\n", result.verdict.status,
             result.iterations, 1e3 * result.rms);
  fmt::print("  {:<16}{:>8}{:>8}{:>12}{:>12}{:>14}\n", "trial", "frames", "worth", "before [mm]",
             "fit [mm]", "all [mm]");
  for (const auto& trial : result.trials) {
    fmt::print("  {:<16}{:>8}{:>8.1f}{:>12.2f}{:>12.2f}{:>14.2f}\n", trial.trial, trial.frames,
               trial.effective_frames, 1e3 * trial.start_rms, 1e3 * trial.rms, 1e3 * trial.rms_all);
  }
  fmt::print("  {:<40}{:>10}{:>10}{:>22}\n", "length [mm]", "", "sd", "95 %");
  for (const auto& length : result.lengths) {
    fmt::print("  {:<40}{:>10.1f}{:>10.1f}{:>22}\n", length.name, 1e3 * length.value,
               1e3 * length.sd,
               fmt::format("{:.1f} ... {:.1f}", 1e3 * length.low, 1e3 * length.high));
  }
  fmt::print("  {:<28}{:>10}{:>10}{:>12}{:>12}\n", "scale factor", "", "sd", "moved [sd]",
             "told by data");
  for (const auto& p : result.parameters) {
    if (p.name.find(".scale.") == std::string::npos) continue;
    fmt::print("  {:<28}{:>10.4f}{:>10.4f}{:>12}{:>11.0f} %\n", p.name, p.value, p.sd,
               std::isnan(p.moved) ? "" : fmt::format("{:+.1f}", p.moved), 100 * p.told_by_data);
  }
  if (result.num_undetermined > 0) {
    fmt::print("markers do not tell {} of {} directions{}:\n", result.num_undetermined,
               result.parameters.size(),
               std::isnan(result.parameters.front().prior_sd) ? "" : "; priors decide there");
    for (const auto& words : result.undetermined) fmt::print("  {}\n", words);
  }
}

int calibrate(const run::CalibrateRequest& request, const GlobalOptions& global) {
  const InterruptWatch interrupt;
  auto run = run::calibrate(request);
  const auto folder = save_or_tell(request.out, [&] { return run::save(run, request.out); });
  if (global.json) {
    fmt::print("{}", io::result_text(run.result));
  } else if (!global.quiet) {
    print_calibration(run.result);
    for (const auto& warning : run.result.verdict.warnings) fmt::print("warning: {}\n", warning);
    if (folder) fmt::print("results in {}\n", folder->string());
  }
  if (!folder) return kNotFinished;
  return run.result.verdict.partial ? kNotFinished : kDone;
}

}  // namespace

Command add_calibrate(CLI::App& app, const GlobalOptions& global) {
  auto* parser = app.add_subcommand(
      "calibrate", "a subject's model from measured markers: sizes, places of markers, intervals");
  auto request = std::make_shared<run::CalibrateRequest>();
  auto out = std::make_shared<std::string>();
  auto angles = std::make_shared<std::string>("rad");
  auto apart = std::make_shared<bool>(false);
  add_trial_options(*parser, *request);
  parser->add_option("--static", request->statics, "a trial of the subject standing")
      ->type_name("FILE");
  parser->add_option("--height", request->height, "of the subject, m; with --model-height")
      ->check(CLI::PositiveNumber)
      ->type_name("M");
  parser->add_option("--model-height", request->model_height, "of the model, m")
      ->check(CLI::PositiveNumber)
      ->type_name("M");
  parser->add_option("--mass", request->mass, "of the subject, kg: masses are scaled to it")
      ->check(CLI::PositiveNumber)
      ->type_name("KG");
  parser->add_option("--free", request->free, "what is free: scales, markers, joints")
      ->delimiter(',')
      ->type_name("LIST");
  parser->add_flag("--asymmetric", *apart, "left and right bodies have factors of their own");
  parser->add_option("--priors", request->priors, "table what,name,sd,mean; none: no priors")
      ->type_name("FILE|none");
  parser->add_option("--sigma", request->sigma, "of a marker coordinate, m (0.01)")->type_name("M");
  parser->add_option("--frames", request->max_frames, "at most so many frames in all (300)")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  parser->add_option("--every", request->every, "each of so many frames of a trial")
      ->type_name("TRIAL=N");
  parser->add_option("--angles", *angles, "unit of angles in tables")
      ->check(CLI::IsMember({"rad", "deg"}))
      ->type_name("rad|deg");
  parser->add_option("--out", *out, "folder for the results (run/<model>_calibrated)")
      ->type_name("DIR");
  return {parser, [=, &global] {
            request->symmetric = !*apart;
            request->degrees = *angles == "deg";
            request->out =
                out->empty() ? run_folder_of("", request->model).string() + "_calibrated" : *out;
            return calibrate(*request, global);
          }};
}

}  // namespace parfait::app
