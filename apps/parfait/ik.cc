#include <fmt/format.h>

#include "command.h"
#include "parfait/io/results/result_json.h"
#include "parfait/run/motion/inverse_kinematics.h"
#include "parfait/run/summary/people_text.h"
#include "run_names.h"
#include "saving.h"
#include "trial_options.h"

// parfait ik: poses of a model from measured markers.
namespace parfait::app {
namespace {

int ik(const run::InverseKinematicsRequest& request, const GlobalOptions& global) {
  auto run = run::inverse_kinematics(request);
  const auto folder = save_or_tell(request.out, [&] { return run::save(run, request.out); });
  if (global.json) {
    fmt::print("{}", io::result_text(run.result));
  } else if (!global.quiet) {
    fmt::print("{}", run::poses_text(run, folder.value_or("")));
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
            request->arguments = global.arguments;
            return ik(*request, global);
          }};
}

}  // namespace parfait::app
