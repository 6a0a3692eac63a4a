#include <fmt/format.h>

#include <cmath>

#include "fit_run.h"

// result.json of a fit.
#include "parfait/run/version.h"

namespace parfait::app {
namespace {

using estimate::EstimateResult;
using estimate::FitOptions;
using estimate::FitResult;
using estimate::Norm;

/// What is not finite is null in JSON.
Json number_json(double x) {
  return std::isfinite(x) ? Json(x) : Json(nullptr);
}

Json interval_json(const estimate::Interval& interval) {
  return Json::array({number_json(interval.low), number_json(interval.high)});
}

Json vector_json(const Eigen::VectorXd& x) {
  Json json = Json::array();
  for (double value : x) json.push_back(number_json(value));
  return json;
}

/// Rows and columns that are asked for, in their order.
Json matrix_json(const Eigen::MatrixXd& matrix, const std::vector<int>& which) {
  Json json = Json::array();
  for (const int i : which) {
    Json row = Json::array();
    for (const int j : which) row.push_back(number_json(matrix(i, j)));
    json.push_back(row);
  }
  return json;
}

Json fitted_json(const EstimateResult& e, const estimate::FitScale& scale) {
  const auto& s = e.statistics;
  Json json = {{"id", e.id}};
  if (!e.experiment.empty()) json["experiment"] = e.experiment;
  json["value"] = number_json(s.value);
  json["sd"] = number_json(s.sd);
  const std::string percent = fmt::format("{:g}", 100 * scale.confidence);
  json["ci" + percent] = interval_json(s.individual);
  json["joint" + percent] = interval_json(s.joint);
  json["initial"] = number_json(e.initial);
  if (!e.is_state) {
    json["lower"] = number_json(e.lower);
    json["upper"] = number_json(e.upper);
  }
  json["at_bound"] = estimate::at_bound(s.determined);
  json["determined"] = estimate::text(s.determined);
  if (e.truth) json["true"] = *e.truth;
  if (e.shift) json["shift"] = number_json(*e.shift);
  return json;
}

/// A fit that never got as far as statistics: where it stands.
Json unfitted_json(const estimate::Estimate& e, const std::string& experiment) {
  Json json = {{"id", e.parameter}};
  if (!experiment.empty()) json["experiment"] = experiment;
  json["value"] = e.initial;
  json["sd"] = nullptr;
  json["initial"] = e.initial;
  json["lower"] = number_json(e.lower);
  json["upper"] = number_json(e.upper);
  json["at_bound"] = false;
  if (e.truth) json["true"] = *e.truth;
  return json;
}

Json unfitted_list(const estimate::Problem& problem) {
  Json list = Json::array();
  for (const auto& e : problem.estimates) list.push_back(unfitted_json(e, ""));
  for (const auto& experiment : problem.experiments) {
    for (const auto& e : experiment.locals) list.push_back(unfitted_json(e, experiment.id));
  }
  return list;
}

Json nodes_json(const estimate::ExperimentResult& experiment) {
  Json values = Json::array(), sd = Json::array();
  for (Eigen::Index i = 0; i < experiment.nodes.cols(); ++i) {
    values.push_back(vector_json(experiment.nodes.col(i)));
    sd.push_back(vector_json(experiment.nodes_sd.col(i)));
  }
  return {{"states", experiment.state_names},
          {"t", experiment.node_times},
          {"values", values},
          {"sd", sd}};
}

Json experiments_json(const FitResult& result) {
  Json list = Json::array();
  for (const auto& experiment : result.experiments) {
    double objective = 0;
    for (const auto& r : experiment.residuals) objective += r.weighted * r.weighted;
    Json json = {{"id", experiment.id},
                 {"residuals", experiment.residuals.size()},
                 {"sum_of_squares", number_json(objective)},
                 {"runs",
                  {{"positive", experiment.runs.positive},
                   {"negative", experiment.runs.negative},
                   {"runs", experiment.runs.runs},
                   {"expected", experiment.runs.expected_runs},
                   {"p_value", experiment.runs.p_value}}}};
    if (!experiment.state_names.empty()) json["nodes"] = nodes_json(experiment);
    list.push_back(json);
  }
  return list;
}

/// Residual i of all experiments, one after the other.
std::pair<const estimate::ExperimentResult*, const estimate::ResidualResult*> residual_at(
    const FitResult& result, int i) {
  auto left = static_cast<std::size_t>(i);
  for (const auto& experiment : result.experiments) {
    if (left < experiment.residuals.size()) return {&experiment, &experiment.residuals[left]};
    left -= experiment.residuals.size();
  }
  return {nullptr, nullptr};
}

Json residual_analysis_json(const FitResult& result) {
  Json outliers = Json::array();
  for (const auto& outlier : result.outliers) {
    const auto [experiment, residual] = residual_at(result, outlier.index);
    if (residual == nullptr) continue;
    outliers.push_back({{"experiment", experiment->id},
                        {"column", residual->info.column},
                        {"t", residual->info.t},
                        {"measured", residual->info.measured},
                        {"model", residual->model},
                        {"weighted", outlier.residual},
                        {"studentized", number_json(outlier.studentized)},
                        {"p_value", outlier.p_value}});
  }
  Json json = {{"normality", nullptr}, {"largest", outliers}};
  if (result.normality.valid) {
    json["normality"] = {{"test", "Anderson-Darling"},
                         {"statistic", result.normality.statistic},
                         {"p_value", result.normality.p_value}};
  }
  return json;
}

Json identifiability_json(const estimate::Identifiability& identifiability) {
  Json findings = Json::array(), sources = Json::array();
  for (const auto& finding : identifiability.findings) {
    Json json = {{"kind", estimate::text(finding.kind)},
                 {"parameters", finding.parameters},
                 {"text", finding.text},
                 {"experiments", finding.experiments}};
    if (finding.kind == estimate::Finding::Kind::kCombination) {
      json["determined"] = finding.determined;
      Json directions = Json::array();
      for (Eigen::Index k = 0; k < finding.directions.cols(); ++k) {
        directions.push_back(vector_json(finding.directions.col(k)));
      }
      json["directions"] = directions;
    }
    if (finding.kind == estimate::Finding::Kind::kCorrelated) {
      json["correlation"] = finding.correlation;
    }
    findings.push_back(json);
  }
  for (const auto& source : identifiability.sources) {
    Json shares = Json::object();
    for (const auto& share : source.shares) shares[share.experiment] = share.share;
    sources.push_back({{"parameter", source.parameter}, {"shares", shares}});
  }
  return {{"all_determined", identifiability.all_determined()},
          {"findings", findings},
          {"information", sources}};
}

Json history_json(const std::vector<estimate::Iteration>& history) {
  Json list = Json::array();
  for (const auto& i : history) {
    list.push_back({{"iter", i.number},
                    {"objective", number_json(i.objective)},
                    {"constraints", number_json(i.infeasibility)},
                    {"increment", number_json(i.increment)},
                    {"step", i.step},
                    {"omega", number_json(i.omega)},
                    {"kappa", number_json(i.kappa)},
                    {"test", number_json(i.test)},
                    {"trials", i.trials},
                    {"rank", i.rank},
                    {"condition", number_json(i.condition)}});
  }
  return list;
}

Json fit_options_json(const FitRun& run) {
  const FitOptions& o = run.plan.problem.options;
  Json json = {{"globalization", estimate::text(o.iteration.globalization)},
               {"back_projection", o.iteration.back_projection},
               {"tol", o.iteration.tolerance},
               {"max_iterations", o.iteration.max_iterations},
               {"norm", estimate::text(o.linear.norm)}};
  if (o.linear.norm == Norm::kHuber) json["huber_gamma"] = o.linear.huber_gamma;
  json["condensing"] = estimate::text(o.condensing);
  json["reduction"] = estimate::text(o.reduction);
  json["relaxation"] = estimate::text(o.relaxation);
  if (o.relaxation == estimate::Relaxation::kBaumgarte && o.relaxation_rate > 0) {
    json["relaxation_rate"] = o.relaxation_rate;
  } else if (o.relaxation == estimate::Relaxation::kBaumgarte) {
    json["relaxation_factor"] = o.relaxation_factor;
  }
  json["projection"] = estimate::text(o.integrator.projection);
  json["consistent"] = o.consistent;
  json["integrator"] = o.integrator_given ? integrate::text(o.integrator.method) : "auto";
  json["rtol"] = o.integrator.rtol;
  json["atol"] = o.integrator.atol;
  json["sigma"] = o.sigma_known ? "known" : "estimated";
  json["confidence"] = o.confidence;
  json["set"] = run.request.set;
  json["fix"] = run.request.fix;
  json["start"] = run.request.start.empty() ? Json(nullptr) : Json(run.request.start);
  json["certify"] = run.plan.certify;
  return json;
}

Json profiles_json(const std::vector<estimate::Profile>& profiles) {
  Json list = Json::array();
  for (const auto& profile : profiles) {
    Json points = Json::array();
    for (const auto& point : profile.points) {
      points.push_back({{"value", point.value},
                        {"objective", number_json(point.objective)},
                        {"converged", point.converged}});
    }
    list.push_back({{"parameter", profile.parameter},
                    {"interrupted", profile.interrupted},
                    {"interval", interval_json({profile.low, profile.high})},
                    {"threshold", number_json(profile.threshold)},
                    {"points", points}});
  }
  return list;
}

}  // namespace

Json as_json(const FitRun& run) {
  const FitResult& result = run.result;
  const auto& scale = result.scale;
  const bool has_statistics = result.has_values();
  const auto order = order_of(result);
  Json json = {{"program", "parfait"},
               {"version", run::version()},
               {"command", "fit"},
               {"problem", run.plan.problem.file},
               {"status", run.status()},
               {"partial", !run.complete()},
               {"message", run.message()},
               {"warnings", result.warnings},
               {"iterations", result.iteration.iterations},
               {"evaluations", result.iteration.evaluations}};
  const auto if_known = [&](const Json& value) { return has_statistics ? value : Json(nullptr); };
  json["objective"] = if_known(number_json(result.objective));
  json["measurements"] = if_known(scale.num_data);
  json["free"] = if_known(scale.num_free);
  json["degrees_of_freedom"] = if_known(scale.degrees_of_freedom);
  json["rank"] = if_known(result.rank);
  json["sigma_scale"] = if_known(number_json(scale.beta()));
  json["goodness_of_fit"] =
      scale.chi2_p_value ? Json({{"chi2_p_value", *scale.chi2_p_value}}) : Json(nullptr);
  json["convention"] = scale.convention;

  if (has_statistics) {
    json["parameters"] = Json::array();
    json["initial_states"] = Json::array();
    for (const int i : order.all()) {
      const auto& e = result.estimates[static_cast<std::size_t>(i)];
      json[e.is_state ? "initial_states" : "parameters"].push_back(fitted_json(e, scale));
    }
    json["covariance"] = matrix_json(result.covariance, order.parameters);
    json["correlation"] = matrix_json(result.correlation, order.parameters);
  } else {
    json["parameters"] = unfitted_list(run.plan.problem);
    json["initial_states"] = Json::array();
  }
  json["experiments"] = experiments_json(result);
  json["residual_analysis"] = residual_analysis_json(result);
  json["identifiability"] = identifiability_json(result.identifiability);
  if (!run.profiles.empty()) json["profiles"] = profiles_json(run.profiles);
  json["history"] = history_json(result.iteration.history);
  json["work"] = {{"evaluations", result.work.evaluations},
                  {"linearizations", result.work.linearizations},
                  {"steps", result.work.steps},
                  {"right_hand_sides", result.work.rhs},
                  {"directions", result.work.directions}};
  json["options"] = fit_options_json(run);
  json["variables"] = {{"names", run.variables}, {"x", vector_json(result.x)}};
  return json;
}

}  // namespace parfait::app
