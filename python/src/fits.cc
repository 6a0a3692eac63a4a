#include <map>

#include "bindings.h"
#include "parfait/io/problem/problem_file.h"
#include "parfait/io/results/result_json.h"
#include "parfait/report/pages/fit_report.h"
#include "parfait/run/fit/facts.h"
#include "parfait/run/fit/fit.h"
#include "parfait/run/fit/synthesis.h"
#include "parfait/run/job/model.h"
#include "parfait/run/summary/facts_text.h"
#include "parfait/run/summary/fit_text.h"
#include "parfait/run/summary/iteration_table.h"
#include "parfait/run/summary/saved_runs.h"

namespace parfait::python {
namespace {

/// A problem as it was written, with models that exist in memory only.
estimate::Problem parse(const std::string& text, const std::string& name,
                        const std::map<std::string, run::Model>& models) {
  io::KnownModels known;
  for (const auto& [id, model] : models) known[id] = model.system;
  return attended([&] { return io::parse_problem_text(text, name, known); });
}

py::list estimates(const std::vector<result::Estimate>& all) {
  py::list list;
  for (const auto& e : all) {
    py::dict one;
    one["id"] = e.id;
    one["experiment"] = e.experiment;
    one["unit"] = e.unit;
    one["value"] = e.value;
    one["sd"] = e.sd;
    one["ci95"] = py::make_tuple(e.individual.low, e.individual.high);
    one["joint"] = py::make_tuple(e.joint.low, e.joint.high);
    one["initial"] = e.initial;
    one["lower"] = e.lower;
    one["upper"] = e.upper;
    one["determined"] = e.determined;
    one["true"] = e.truth;
    list.append(one);
  }
  return list;
}

/// The numbers of one field of all residuals: a view that steps over the others.
py::array field(const std::shared_ptr<run::FitRun>& run, const double result::Residual::*member) {
  const auto& rows = run->tables.residuals;
  const double* first = rows.empty() ? nullptr : &(rows.front().*member);
  return view(first, {static_cast<py::ssize_t>(rows.size())},
              {static_cast<py::ssize_t>(sizeof(result::Residual))}, py::cast(run));
}

py::dict residuals(const std::shared_ptr<run::FitRun>& run) {
  py::list experiments, columns, priors;
  for (const auto& r : run->tables.residuals) {
    experiments.append(r.experiment);
    columns.append(r.column);
    priors.append(r.prior);
  }
  py::dict all;
  all["experiment"] = experiments;
  all["column"] = columns;
  all["prior"] = priors;
  all["t"] = field(run, &result::Residual::t);
  all["measured"] = field(run, &result::Residual::measured);
  all["model"] = field(run, &result::Residual::model);
  all["sigma"] = field(run, &result::Residual::sigma);
  all["weighted"] = field(run, &result::Residual::weighted);
  all["sd"] = field(run, &result::Residual::sd);
  return all;
}

py::dict predictions(const std::shared_ptr<run::FitRun>& run,
                     const std::vector<result::Prediction>& predicted) {
  const py::object owner = py::cast(run);
  py::dict all;
  for (const auto& p : predicted) {
    all[py::str(p.experiment)] =
        py::make_tuple(p.quantities, view(p.t, owner), view(p.values, owner), view(p.sd, owner));
  }
  return all;
}

run::FitRequest request_of(const py::dict& options) {
  run::FitRequest request;
  take(options, "file", request.file);
  if (options.contains("set")) request.set = settings_of(options["set"]);
  take(options, "fix", request.fix);
  take(options, "start", request.start);
  take(options, "coordinates", request.coordinates);
  take(options, "starts", request.starts);
  take(options, "seed", request.seed);
  take(options, "intervals", request.intervals);
  take(options, "profile", request.profile);
  take(options, "certify", request.certify);
  take(options, "suggest", request.suggest);
  take(options, "integrator", request.integrator);
  take(options, "globalization", request.globalization);
  take(options, "tolerance", request.tolerance);
  take(options, "max_iterations", request.max_iterations);
  take(options, "threads", request.threads);
  if (options.contains("start_from")) {
    request.start_from = options["start_from"].cast<std::shared_ptr<run::FitRun>>()->result;
  }
  return request;
}

std::shared_ptr<run::FitRun> fit(const std::optional<estimate::Problem>& problem,
                                 const py::dict& options) {
  auto request = request_of(options);
  if (problem) request.problem = *problem;
  return Conversation(options).find<run::FitRun>(
      [&](const auto& callbacks) { return run::fit(request, callbacks); });
}

std::shared_ptr<run::SynthesisRun> synthesize(const std::optional<estimate::Problem>& problem,
                                              const py::dict& options) {
  run::SynthesisRequest request;
  if (problem) request.problem = *problem;
  take(options, "file", request.file);
  take(options, "seed", request.seed);
  if (options.contains("set")) request.set = settings_of(options["set"]);
  return Conversation(options).find<run::SynthesisRun>(
      [&](const auto& callbacks) { return run::synthesize(request, callbacks); });
}

}  // namespace

void bind_fits(py::module_& module) {
  py::class_<estimate::Problem>(module, "Problem")
      .def_static(
          "read",
          [](const std::string& file) { return attended([&] { return io::parse_problem(file); }); })
      .def_static("read_text", parse)
      .def("facts_json",
           [](const estimate::Problem& p) {
             return attended([&] { return io::facts_text(run::check_problem(p)); });
           })
      .def("facts_text",
           [](const estimate::Problem& p) {
             return attended([&] { return run::facts_text(run::check_problem(p)); });
           })
      .def("data", [](const estimate::Problem& p) {
        py::dict all;
        for (const auto& e : p.experiments) {
          py::dict table;
          for (std::size_t i = 0; i < e.data.header.size(); ++i) {
            table[py::str(e.data.header[i])] = py::array_t<double>(
                static_cast<py::ssize_t>(e.data.columns[i].size()), e.data.columns[i].data());
          }
          all[py::str(e.id)] = table;
        }
        return all;
      });

  py::class_<run::FitRun, std::shared_ptr<run::FitRun>>(module, "Fit")
      .def_static(
          "load",
          [](const std::string& folder) {
            return attended([&] { return std::make_shared<run::FitRun>(run::load_fit(folder)); });
          })
      .def("json", [](const run::FitRun& run) { return io::result_text(run.result); })
      .def("timing_json", [](const run::FitRun& run) { return io::timing_text(run.timing); })
      .def("text", [](const run::FitRun& run) { return run::fit_text(run); })
      .def("report",
           [](const run::FitRun& run) {
             return report::fit_report(run.result, run.tables, run.scenes, report::Liveness::kLive);
           })
      .def("parameters", [](const run::FitRun& run) { return estimates(run.result.parameters); })
      .def("initial_states",
           [](const run::FitRun& run) { return estimates(run.result.initial_states); })
      .def("covariance",
           [](const std::shared_ptr<run::FitRun>& run) {
             return view(run->result.covariance, py::cast(run));
           })
      .def("correlation",
           [](const std::shared_ptr<run::FitRun>& run) {
             return view(run->result.correlation, py::cast(run));
           })
      .def("residuals", residuals)
      .def("motions",
           [](const std::shared_ptr<run::FitRun>& run) {
             return motions(run->scenes, py::cast(run));
           })
      .def("trajectories",
           [](const std::shared_ptr<run::FitRun>& run) {
             return predictions(run, run->tables.predictions);
           })
      .def("first_guess",
           [](const std::shared_ptr<run::FitRun>& run) {
             return predictions(run, run->tables.first_guess);
           })
      .def("save", [](run::FitRun& run, const std::string& folder) {
        const py::gil_scoped_release released;
        run::save(run, folder);
      });

  py::class_<run::SynthesisRun, std::shared_ptr<run::SynthesisRun>>(module, "Synthesis")
      .def("json", [](const run::SynthesisRun& run) { return io::result_text(run.result); })
      .def("problem_text", [](run::SynthesisRun& run) {
        for (auto& experiment : run.problem.experiments) experiment.data.file.clear();
        return io::problem_text(run.problem);
      });

  module.def("fit", fit);
  module.def("synthesize", synthesize);
  module.def("iteration_header", &run::iteration_header);
  module.def("iteration_line", [](const py::dict& line) {
    result::Iteration i;
    take(line, "number", i.number);
    take(line, "objective", i.objective);
    take(line, "constraints", i.constraints);
    take(line, "increment", i.increment);
    take(line, "step", i.step);
    take(line, "omega", i.omega);
    take(line, "kappa", i.kappa);
    take(line, "rank", i.rank);
    take(line, "condition", i.condition);
    return run::iteration_line(i);
  });
}

}  // namespace parfait::python
