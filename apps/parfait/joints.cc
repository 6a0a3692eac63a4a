#include <fmt/format.h>

#include "command.h"
#include "parfait/io/text/text_file.h"
#include "parfait/run/motion/joints.h"

// parfait joints: functional centre and axis of a joint from a trial.
namespace parfait::app {

Command add_joints(CLI::App& app, const GlobalOptions& global) {
  auto* parser = app.add_subcommand(
      "joints", "centre and axis of a joint from how markers of two segments move");
  auto request = std::make_shared<run::JointsRequest>();
  auto out = std::make_shared<std::string>();
  parser->add_option("trial", request->trial, "file with measured markers (C3D, TRC)")
      ->required()
      ->type_name("TRIAL");
  parser
      ->add_option("--proximal", request->proximal, "markers of the segment that carries the joint")
      ->required()
      ->delimiter(',')
      ->type_name("NAMES");
  parser->add_option("--distal", request->distal, "markers of the segment that it moves")
      ->required()
      ->delimiter(',')
      ->type_name("NAMES");
  parser->add_flag("--hinge", request->hinge, "an axis and a point on it instead of a centre");
  parser->add_option("--units", request->reading.units, "unit of length, instead of the file's")
      ->type_name("UNIT");
  parser->add_option("--axes", request->reading.axes, "other axes from those of the file: x,z,-y")
      ->type_name("X,Y,Z");
  parser->add_option("--out", *out, "table to write (.csv)")->type_name("FILE");
  return {parser, [=, &global] {
            const auto run = run::find_joint(*request);
            if (!out->empty()) io::write_text_file(*out, run::joints_csv(run));
            if (!global.quiet) fmt::print("{}", run::joints_text(run));
            return kDone;
          }};
}

}  // namespace parfait::app
