#include "bindings.h"
#include "callables.h"
#include "parfait/base/error.h"
#include "parfait/io/results/result_json.h"
#include "parfait/report/pages/simulation_report.h"
#include "parfait/run/simulation/simulation.h"
#include "parfait/run/summary/saved_runs.h"
#include "parfait/run/summary/simulation_text.h"

namespace parfait::python {
namespace {

void take_tolerance(const py::dict& options, const char* key,
                    std::optional<integrate::Tolerance>& tolerance) {
  if (!options.contains(key)) return;
  std::pair<double, double> both;
  take(options, key, both);
  const auto [relative, absolute] = both;
  tolerance = integrate::Tolerance{relative, absolute};
}

run::SimulationRequest request_of(const run::Model& model, const py::dict& options) {
  run::SimulationRequest request;
  request.model = model;
  request.file = model.file;
  if (options.contains("set")) request.set = settings_of(options["set"]);
  if (!request.set.empty() && python_part(model) == "right-hand side") {
    throw base::InputError(
        "set: parameters of a right-hand side from Python are given where it is made.");
  }
  take(options, "until", request.until);
  take(options, "step", request.step);
  take(options, "every_step", request.every_step);
  take(options, "observe", request.observe);
  take(options, "sensitivity", request.sensitivity);
  take(options, "settle", request.settle);
  take(options, "integrator", request.integrator);
  take(options, "rtol", request.rtol);
  take(options, "atol", request.atol);
  take_tolerance(options, "positions", request.positions);
  take_tolerance(options, "velocities", request.velocities);
  take_tolerance(options, "states", request.states);
  take(options, "control_sensitivities", request.control_sensitivities);
  take(options, "first_step", request.first_step);
  take(options, "max_step", request.max_step);
  take(options, "max_steps", request.max_steps);
  take(options, "max_order", request.max_order);
  take(options, "hht_alpha", request.hht_alpha);
  take(options, "projection", request.projection);
  take(options, "projection_tolerance", request.projection_tolerance);
  return request;
}

std::shared_ptr<run::SimulationRun> simulate(const run::Model& model, const py::dict& options) {
  const auto request = request_of(model, options);
  return Conversation(options).find<run::SimulationRun>(
      [&](const auto& callbacks) { return run::simulate(request, callbacks); });
}

}  // namespace

void bind_simulations(py::module_& module) {
  py::class_<run::SimulationRun, std::shared_ptr<run::SimulationRun>>(module, "Simulation")
      .def_static("load",
                  [](const std::string& folder) {
                    return attended([&] {
                      return std::make_shared<run::SimulationRun>(run::load_simulation(folder));
                    });
                  })
      .def("json", [](const run::SimulationRun& run) { return io::result_text(run.result); })
      .def("verdict",
           [](const run::SimulationRun& run) {
             const auto& verdict = run.result.verdict;
             return py::make_tuple(verdict.status, verdict.message, verdict.warnings);
           })
      .def("sensitivity",
           [](const run::SimulationRun& run) { return run.result.options.sensitivity; })
      .def("timing_json", [](const run::SimulationRun& run) { return io::timing_text(run.timing); })
      .def("text", [](const run::SimulationRun& run) { return run::simulation_text(run); })
      .def("report",
           [](const run::SimulationRun& run) {
             return report::simulation_report(run.result, run.trajectory, run.steps, run.scenes,
                                              report::Liveness::kLive);
           })
      .def("trajectory",
           [](const std::shared_ptr<run::SimulationRun>& run) {
             return view(run->trajectory, py::cast(run));
           })
      .def("motions",
           [](const std::shared_ptr<run::SimulationRun>& run) {
             return motions(run->scenes, py::cast(run));
           })
      .def("steps",
           [](const std::shared_ptr<run::SimulationRun>& run) {
             return view(run->steps, py::cast(run));
           })
      .def("save", [](run::SimulationRun& run, const std::string& folder) {
        const py::gil_scoped_release released;
        run::save(run, folder);
      });
  module.def("simulate", simulate);
}

}  // namespace parfait::python
