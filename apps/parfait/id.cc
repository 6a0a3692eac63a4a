#include <fmt/format.h>

#include "command.h"
#include "parfait/io/results/result_json.h"
#include "parfait/run/dynamics/inverse_dynamics.h"
#include "parfait/run/summary/people_text.h"
#include "run_names.h"
#include "saving.h"

// parfait id: moments and powers at the joints from motion and loads.
namespace parfait::app {
namespace {

int find_moments(const run::InverseDynamicsRequest& request, const GlobalOptions& global) {
  auto run = run::find_moments(request);
  const auto folder = save_or_tell(request.out, [&] { return run::save(run, request.out); });
  if (global.json) {
    fmt::print("{}", io::result_text(run.result));
  } else if (!global.quiet) {
    fmt::print("{}", run::moments_text(run, folder.value_or("")));
  }
  return folder ? kDone : kNotFinished;
}

}  // namespace

Command add_id(CLI::App& app, const GlobalOptions& global) {
  auto* parser = app.add_subcommand(
      "id", "inverse dynamics: moments and powers at the joints from a motion and the loads");
  auto request = std::make_shared<run::InverseDynamicsRequest>();
  auto out = std::make_shared<std::string>();
  parser->add_option("model", request->model, "model with named coordinates (.osim, .xml, ...)")
      ->required()
      ->type_name("MODEL");
  parser->add_option("motion", request->motion, "coordinates over time (.mot, .sto)")
      ->required()
      ->type_name("MOTION");
  parser
      ->add_option("--loads", request->loads,
                   "measured forces: <ExternalLoads> of OpenSim (.xml), or force plates (.c3d)")
      ->type_name("FILE");
  parser
      ->add_option("--filter", request->filter,
                   "cutoff of a low-pass filter without delay on the motion; none if not given")
      ->type_name("HZ")
      ->check(CLI::PositiveNumber);
  parser->add_option("--feet", request->feet, "bodies that stand on force plates: calcn_r,calcn_l")
      ->type_name("BODIES");
  parser->add_option("--axes", request->axes, "axes of the model from those of the plates: x,z,-y")
      ->type_name("X,Y,Z");
  parser->add_option("--from", request->from, "first time")->type_name("T");
  parser->add_option("--until", request->until, "last time")->type_name("T");
  parser->add_option("--out", *out, "folder for the results (run/<motion>)")->type_name("DIR");
  return {parser, [request, out, &global] {
            request->out = run_folder_of(*out, request->motion);
            request->arguments = global.arguments;
            return find_moments(*request, global);
          }};
}

}  // namespace parfait::app
