#include "bindings.h"
#include "parfait/base/error.h"
#include "parfait/io/results/design_tables.h"
#include "parfait/io/results/result_json.h"
#include "parfait/run/convert/convert.h"
#include "parfait/run/design/design.h"
#include "parfait/run/dynamics/inverse_dynamics.h"
#include "parfait/run/fit/gradient.h"
#include "parfait/run/fit/minimization.h"
#include "parfait/run/motion/batch.h"
#include "parfait/run/motion/calibrate.h"
#include "parfait/run/motion/gait.h"
#include "parfait/run/motion/inverse_kinematics.h"
#include "parfait/run/motion/scale.h"
#include "parfait/run/simulation/modes.h"
#include "parfait/run/summary/design_text.h"
#include "parfait/run/summary/gradient_text.h"
#include "parfait/run/summary/modes_text.h"
#include "parfait/run/summary/people_text.h"

// Work whose results are result.json and a few tables: poses, calibrations, moments, gradients,
// minima, designs. All of them look alike from Python: json(), text(), tables(), report(), save().
namespace parfait::python {
namespace {

using Tables = std::vector<std::pair<std::string, std::string>>;

std::string text_of(const run::InverseKinematicsRun& run) {
  return run::poses_text(run);
}
std::string text_of(const run::CalibrateRun& run) {
  return run::calibration_text(run);
}
std::string text_of(const run::InverseDynamicsRun& run) {
  return run::moments_text(run);
}
std::string text_of(const run::GaitRun& run) {
  return run::gait_text(run);
}
std::string text_of(const run::BatchRun& run) {
  return run::batch_text(run);
}
std::string text_of(const run::ModesRun& run) {
  return run::modes_text(run);
}
std::string text_of(const run::ScaleRun& run) {
  return run::scaling_text(run);
}
std::string text_of(const run::GradientRun& run) {
  return run::gradient_text(run, {});
}
std::string text_of(const run::MinimizationRun& run) {
  return run::minimization_text(run, {});
}
std::string text_of(const run::DesignRun& run) {
  return run::design_text(run, {});
}

template <class Run>
Tables tables_of(const Run& run) {
  return run.tables;
}
Tables tables_of(const run::GradientRun& run) {
  return run::table_files(run);
}
Tables tables_of(const run::MinimizationRun& run) {
  return run::table_files(run);
}
Tables tables_of(const run::DesignRun& run) {
  const auto files = io::design_table_files(run.result, run.tables);
  return {files.begin(), files.end()};
}

template <class Run>
std::string report_of(const Run& run) {
  if constexpr (requires { run::report_page(run); }) {
    return run::report_page(run);
  } else {
    return {};  // no page of its own
  }
}

template <class Run>
void bind_finding(py::module_& module, const char* name) {
  py::class_<Run, std::shared_ptr<Run>>(module, name)
      .def("json", [](const Run& run) { return io::result_text(run.result); })
      .def("text", [](const Run& run) { return text_of(run); })
      .def("report", [](const Run& run) { return report_of(run); })
      .def("tables",
           [](const Run& run) {
             py::dict all;
             for (const auto& [file, text] : tables_of(run)) all[py::str(file)] = text;
             return all;
           })
      .def("save", [](Run& run, const std::string& folder) {
        const py::gil_scoped_release released;
        run::save(run, folder);
      });
}

/// Does `work` with callbacks into Python, without the interpreter's lock.
template <class Run, class Work>
std::shared_ptr<Run> converse(const py::dict& options, const Work& work) {
  return Conversation(options).find<Run>(work);
}

/// What poses and calibrations are asked with alike.
template <class Request>
void take_trials(const py::dict& options, Request& request) {
  take(options, "model", request.model);
  take(options, "trials", request.trials);
  take(options, "tasks", request.tasks);
  take(options, "weights", request.weights);
  take(options, "degrees", request.degrees);
  take(options, "threads", request.threads);
  take(options, "units", request.reading.units);
  take(options, "axes", request.reading.axes);
  take(options, "names", request.reading.names);
  take(options, "name", request.reading.name);
  take(options, "relabel", request.reading.relabel);
}

std::shared_ptr<run::InverseKinematicsRun> find_poses(const py::dict& options) {
  run::InverseKinematicsRequest request;
  take_trials(options, request);
  take(options, "limits", request.limits);
  take(options, "damped", request.damped);
  return converse<run::InverseKinematicsRun>(
      options, [&](const auto& callbacks) { return run::inverse_kinematics(request, callbacks); });
}

std::shared_ptr<run::CalibrateRun> calibrate(const py::dict& options) {
  run::CalibrateRequest request;
  take_trials(options, request);
  take(options, "statics", request.statics);
  take(options, "functional", request.functional);
  take(options, "segments", request.segments);
  take(options, "height", request.height);
  take(options, "model_height", request.model_height);
  take(options, "mass", request.mass);
  take(options, "free", request.free);
  take(options, "symmetric", request.symmetric);
  take(options, "priors", request.priors);
  take(options, "sigma", request.sigma);
  take(options, "max_frames", request.max_frames);
  take(options, "every", request.every);
  return converse<run::CalibrateRun>(
      options, [&](const auto& callbacks) { return run::calibrate(request, callbacks); });
}

std::shared_ptr<run::ScaleRun> scale(const py::dict& options) {
  run::ScaleRequest request;
  take(options, "setup", request.setup);
  take(options, "model", request.model);
  take(options, "static", request.trial);
  take(options, "mass", request.mass);
  take(options, "opensim_scaling", request.as_opensim);
  take(options, "units", request.reading.units);
  take(options, "axes", request.reading.axes);
  return converse<run::ScaleRun>(
      options, [&](const auto& callbacks) { return run::scale(request, callbacks); });
}

std::shared_ptr<run::InverseDynamicsRun> find_moments(const py::dict& options) {
  run::InverseDynamicsRequest request;
  take(options, "model", request.model);
  take(options, "motion", request.motion);
  take(options, "loads", request.loads);
  take(options, "feet", request.feet);
  take(options, "axes", request.axes);
  take(options, "filter", request.filter);
  take(options, "from", request.from);
  take(options, "until", request.until);
  return converse<run::InverseDynamicsRun>(
      options, [&](const auto& callbacks) { return run::find_moments(request, callbacks); });
}

std::shared_ptr<run::GaitRun> analyse_gait(const py::dict& options) {
  run::GaitRequest request;
  take(options, "trials", request.trials);
  take(options, "curves", request.curves);
  take(options, "units", request.units);
  take(options, "emg_filter", request.emg_cutoff);
  return converse<run::GaitRun>(
      options, [&](const auto& callbacks) { return run::analyse_gait(request, callbacks); });
}

std::shared_ptr<run::BatchRun> batch(const py::dict& options) {
  run::BatchRequest request;
  auto& own = request.calibrate;
  std::string out;
  take(options, "folder", request.folder);
  take(options, "out", out);
  request.out = out;
  take(options, "model", request.model);
  take(options, "poses_only", request.poses_only);
  take(options, "priors", own.priors);
  take(options, "max_frames", own.max_frames);
  take(options, "tasks", own.tasks);
  take(options, "weights", own.weights);
  take(options, "relabel", own.reading.relabel);
  take(options, "threads", own.threads);
  return converse<run::BatchRun>(
      options, [&](const auto& callbacks) { return run::batch(request, callbacks); });
}

std::shared_ptr<run::GradientRun> find_gradient(const std::optional<estimate::Problem>& problem,
                                                const py::dict& options) {
  run::GradientRequest request;
  request.problem = problem;
  take(options, "file", request.file);
  take(options, "by", request.by);
  take(options, "adjoint_steps", request.continuous_steps);
  take(options, "adjoint_out", request.adjoints);
  take(options, "memory", request.memory);
  take(options, "check", request.check);
  if (options.contains("set")) request.set = settings_of(options["set"]);
  return converse<run::GradientRun>(
      options, [&](const auto& callbacks) { return run::find_gradient(request, callbacks); });
}

std::shared_ptr<run::MinimizationRun> minimize(const std::optional<estimate::Problem>& problem,
                                               const py::dict& options) {
  run::MinimizationRequest request;
  request.problem = problem;
  take(options, "file", request.file);
  if (options.contains("set")) request.set = settings_of(options["set"]);
  take(options, "fix", request.fix);
  take(options, "method", request.method);
  take(options, "line_search", request.line_search);
  take(options, "gradient", request.gradient);
  take(options, "memory", request.memory);
  take(options, "contour", request.contour);
  take(options, "max_iterations", request.max_iterations);
  take(options, "tolerance", request.tolerance);
  py::object on_step;
  take(options, "on_step", on_step);
  Conversation conversation(options);
  const auto hear = [&](const result::Minimization::Step& step) {
    if (!on_step) return;
    const py::gil_scoped_acquire lock;
    py::dict line;
    line["number"] = step.iteration;
    line["objective"] = step.objective;
    line["gradient"] = step.gradient;
    line["step"] = step.length;
    line["evaluations"] = step.evaluations;
    line["values"] = step.values;
    conversation.tell(on_step, line);
  };
  return conversation.find<run::MinimizationRun>(
      [&](const auto& callbacks) { return run::minimize(request, callbacks, hear); });
}

std::shared_ptr<run::DesignRun> design(const py::dict& options) {
  run::DesignRequest request;
  take(options, "file", request.file);
  take(options, "criterion", request.criterion);
  take(options, "starts", request.starts);
  return converse<run::DesignRun>(
      options, [&](const auto& callbacks) { return run::design(request, callbacks); });
}

py::tuple convert(const std::string& from, const std::string& to, bool keep_fixed, bool floating) {
  const auto run = attended([&] { return run::convert({from, to, keep_fixed, floating}); });
  return py::make_tuple(run.text, run.left_out, run.contents);
}

template <class Run, class Result>
std::string words(Result result) {
  Run run;
  run.result = std::move(result);
  return text_of(run);
}

/// What was said about a result when it was found, from its result.json. InputError for commands
/// whose words need more than that.
std::string saved_text(const std::string& json, const std::string& file) {
  const auto command = io::result_command(json);
  if (command == "ik") {
    return words<run::InverseKinematicsRun>(io::read_inverse_kinematics_text(json, file));
  }
  if (command == "calibrate") {
    return words<run::CalibrateRun>(io::read_calibration_text(json, file));
  }
  if (command == "id") {
    return words<run::InverseDynamicsRun>(io::read_inverse_dynamics_text(json, file));
  }
  if (command == "modes") return words<run::ModesRun>(io::read_modes_text(json, file));
  if (command == "gait") return words<run::GaitRun>(io::read_gait_text(json, file));
  if (command == "batch") return words<run::BatchRun>(io::read_batch_text(json, file));
  if (command == "scale") {
    return words<run::ScaleRun>(io::read_scaling_text(json, file));
  }
  if (command == "gradient") {
    return words<run::GradientRun>(io::read_gradient_text(json, file));
  }
  if (command == "minimize") {
    return words<run::MinimizationRun>(io::read_minimization_text(json, file));
  }
  if (command == "design") {
    return words<run::DesignRun>(io::read_design_result_text(json, file));
  }
  throw base::InputError({file}, "results of `" + command + "` cannot be loaded.");
}

}  // namespace

void bind_findings(py::module_& module) {
  bind_finding<run::InverseKinematicsRun>(module, "Poses");
  bind_finding<run::CalibrateRun>(module, "Calibration");
  bind_finding<run::ScaleRun>(module, "Scaling");
  bind_finding<run::InverseDynamicsRun>(module, "Moments");
  bind_finding<run::GaitRun>(module, "Gait");
  bind_finding<run::BatchRun>(module, "Batch");
  bind_finding<run::GradientRun>(module, "Gradient");
  bind_finding<run::MinimizationRun>(module, "Minimization");
  bind_finding<run::DesignRun>(module, "Design");
  module.def("find_poses", find_poses);
  module.def("calibrate", calibrate);
  module.def("scale", scale);
  module.def("find_moments", find_moments);
  module.def("analyse_gait", analyse_gait);
  module.def("batch", batch);
  module.def("find_gradient", find_gradient);
  module.def("minimize", minimize);
  module.def("design", design);
  module.def("convert", convert);
  module.def("saved_text", saved_text);
}

}  // namespace parfait::python
