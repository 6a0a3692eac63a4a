#include <fmt/format.h>

#include "command.h"
#include "parfait/io/results/result_json.h"
#include "parfait/run/motion/calibrate.h"
#include "parfait/run/summary/people_text.h"
#include "run_names.h"
#include "saving.h"
#include "trial_options.h"

// parfait calibrate: a subject's model from measured markers.
namespace parfait::app {
namespace {

int calibrate(const run::CalibrateRequest& request, const GlobalOptions& global) {
  auto run = run::calibrate(request);
  const auto folder = save_or_tell(request.out, [&] { return run::save(run, request.out); });
  if (global.json) {
    fmt::print("{}", io::result_text(run.result));
  } else if (!global.quiet) {
    fmt::print("{}", run::calibration_text(run, folder.value_or("")));
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
      ->allow_extra_args(false)
      ->type_name("FILE");
  parser
      ->add_option("--functional", request->functional,
                   "a trial that moves joints: where they are by that, hips also as priors")
      ->allow_extra_args(false)
      ->type_name("FILE");
  parser
      ->add_option("--segment", request->segments,
                   "markers of a body in functional trials beside the model's")
      ->allow_extra_args(false)
      ->type_name("BODY=MARKERS");
  parser
      ->add_option("--height", request->height,
                   "of the subject, m; with --model-height, but for heiman")
      ->check(CLI::PositiveNumber)
      ->type_name("M");
  parser->add_option("--model-height", request->model_height, "of the model, m")
      ->check(CLI::PositiveNumber)
      ->type_name("M");
  parser->add_option("--mass", request->mass, "of the subject, kg: masses are scaled to it")
      ->check(CLI::PositiveNumber)
      ->type_name("KG");
  parser
      ->add_option("--free", request->free,
                   "what is free of scales, markers, joints (scales,markers)")
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
      ->allow_extra_args(false)
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
            request->arguments = global.arguments;
            return calibrate(*request, global);
          }};
}

}  // namespace parfait::app
