#include <fmt/format.h>

#include "command.h"
#include "parfait/io/results/result_json.h"
#include "parfait/run/motion/scale.h"
#include "parfait/run/summary/people_text.h"
#include "run_names.h"
#include "saving.h"

// parfait scale: a model in the size of a subject, from a setup file of OpenSim's scale tool.
namespace parfait::app {
namespace {

int scale(const run::ScaleRequest& request, const GlobalOptions& global) {
  auto run = run::scale(request);
  const auto folder = save_or_tell(request.out, [&] { return run::save(run, request.out); });
  if (global.json) {
    fmt::print("{}", io::result_text(run.result));
  } else if (!global.quiet) {
    fmt::print("{}", run::scaling_text(run, folder.value_or("")));
  }
  return folder && !run.result.verdict.partial ? kDone : kNotFinished;
}

}  // namespace

Command add_scale(CLI::App& app, const GlobalOptions& global) {
  auto* parser = app.add_subcommand(
      "scale", "a model in the size of a subject by distances between markers (OpenSim's setups)");
  auto request = std::make_shared<run::ScaleRequest>();
  auto out = std::make_shared<std::string>();
  parser->add_option("setup", request->setup, "setup file of OpenSim's scale tool (<ScaleTool>)")
      ->required()
      ->type_name("SETUP.xml");
  parser->add_option("--model", request->model, "instead of the model that the setup names")
      ->type_name("MODEL.osim");
  parser->add_option("--static", request->trial, "instead of the trials that the setup names")
      ->type_name("TRIAL");
  parser->add_option("--mass", request->mass, "of the subject, instead of the setup's")
      ->check(CLI::PositiveNumber)
      ->type_name("KG");
  parser->add_flag("--opensim-scaling", request->as_opensim,
                   "displacements of joints and inertias as OpenSim scales them, also where their "
                   "axes are turned");
  parser->add_option("--units", request->reading.units, "unit of length, instead of what files say")
      ->type_name("UNIT");
  parser
      ->add_option("--axes", request->reading.axes,
                   "axes of the model from those of the files: x,z,-y")
      ->type_name("X,Y,Z");
  parser->add_option("--out", *out, "folder for the results (run/<setup>_scale)")->type_name("DIR");
  return {parser, [=, &global] {
            request->out =
                out->empty() ? run_folder_of("", request->setup).string() + "_scale" : *out;
            return scale(*request, global);
          }};
}

}  // namespace parfait::app
