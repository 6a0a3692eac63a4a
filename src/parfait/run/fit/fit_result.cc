#include "parfait/run/fit/fit_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "parfait/run/fit/fitted_values.h"
#include "parfait/run/job/version.h"

namespace parfait::run {
namespace {

using estimate::EstimateResult;
using estimate::FitResult;

/// What cannot be had is NaN, whatever came out instead.
double finite_or_nan(double x) {
  return std::isfinite(x) ? x : result::kNaN;
}

result::Interval interval_of(const estimate::Interval& interval) {
  return {interval.low, interval.high};
}

std::vector<double> vector_of(const Eigen::VectorXd& x) {
  return {x.begin(), x.end()};
}

/// Rows and columns that are asked for, in their order.
result::Matrix matrix_of(const Eigen::MatrixXd& matrix, const std::vector<int>& which) {
  const auto n = static_cast<int>(which.size());
  result::Matrix out(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) out(i, j) = matrix(which[i], which[j]);
  }
  return out;
}

result::Matrix transposed(const Eigen::MatrixXd& matrix) {
  result::Matrix out(static_cast<int>(matrix.cols()), static_cast<int>(matrix.rows()));
  for (int i = 0; i < out.rows; ++i) {
    for (int j = 0; j < out.cols; ++j) out(i, j) = matrix(j, i);
  }
  return out;
}

/// Indices of the estimates in the order of files and tables: parameters (shared, then those of
/// experiments), then initial states.
struct EstimateOrder {
  std::vector<int> parameters, states;
};

EstimateOrder order_of(const FitResult& fit) {
  EstimateOrder order;
  for (int i = 0; i < static_cast<int>(fit.estimates.size()); ++i) {
    const bool is_state = fit.estimates[static_cast<std::size_t>(i)].is_state;
    (is_state ? order.states : order.parameters).push_back(i);
  }
  return order;
}

result::Estimate estimate_of(const EstimateResult& e) {
  const auto& s = e.statistics;
  return {.id = e.id,
          .experiment = e.experiment,
          .value = s.value,
          .sd = s.sd,
          .individual = interval_of(s.individual),
          .joint = interval_of(s.joint),
          .initial = e.initial,
          .lower = e.lower,
          .upper = e.upper,
          .determined = estimate::text(s.determined),
          .identifiability = std::isnan(s.sd) && !estimate::at_bound(s.determined)
                                 ? ""
                                 : estimate::text(e.parameter_class),
          .truth = e.truth,
          .shift = e.shift};
}

result::FittedExperiment experiment_of(const estimate::ExperimentResult& experiment) {
  double objective = 0;
  for (const auto& r : experiment.residuals) objective += r.weighted * r.weighted;
  result::FittedExperiment out;
  out.id = experiment.id;
  out.residuals = static_cast<std::int64_t>(experiment.residuals.size());
  out.sum_of_squares = finite_or_nan(objective);
  out.runs = {.positive = experiment.runs.positive,
              .negative = experiment.runs.negative,
              .runs = experiment.runs.runs,
              .expected = experiment.runs.expected_runs,
              .p_value = experiment.runs.p_value};
  if (!experiment.state_names.empty()) {
    out.nodes = {.states = experiment.state_names,
                 .t = experiment.node_times,
                 .values = transposed(experiment.nodes),
                 .sd = transposed(experiment.nodes_sd)};
  }
  return out;
}

std::vector<result::Outlier> outliers_of(const FitResult& fit) {
  std::vector<result::Outlier> outliers;
  for (const auto& outlier : fit.outliers) {
    // Residual i of all experiments, one after the other.
    auto left = static_cast<std::size_t>(outlier.index);
    for (const auto& experiment : fit.experiments) {
      if (left >= experiment.residuals.size()) {
        left -= experiment.residuals.size();
        continue;
      }
      const auto& r = experiment.residuals[left];
      outliers.push_back({.experiment = experiment.id,
                          .column = r.info.column,
                          .t = r.info.t,
                          .measured = r.info.measured,
                          .model = r.model,
                          .weighted = outlier.residual,
                          .studentized = finite_or_nan(outlier.studentized),
                          .p_value = outlier.p_value});
      break;
    }
  }
  return outliers;
}

result::Identifiability identifiability_of(const estimate::Identifiability& identifiability) {
  result::Identifiability out;
  out.all_determined = identifiability.all_determined();
  out.fixing = identifiability.smallest_fixing();
  for (const auto& finding : identifiability.findings) {
    auto& f = out.findings.emplace_back();
    f.kind = estimate::text(finding.kind);
    f.parameters = finding.parameters;
    f.text = finding.text;
    f.experiments = finding.experiments;
    if (finding.kind == estimate::Finding::Kind::kCombination) {
      f.determined = finding.determined;
      f.directions = transposed(finding.directions);
      f.effects = finding.effects;
    }
    f.fixings = finding.fixings;
    f.advice = finding.advice;
    if (finding.kind == estimate::Finding::Kind::kCorrelated) f.correlation = finding.correlation;
  }
  for (const auto& source : identifiability.sources) {
    auto& information = out.information.emplace_back();
    information.parameter = source.parameter;
    for (const auto& share : source.shares) {
      information.shares.push_back({share.experiment, share.share});
    }
  }
  return out;
}

result::Profile profile_of(const estimate::Profile& profile, const EstimateOrder& order) {
  result::Profile out;
  out.parameter = profile.parameter;
  out.interrupted = profile.interrupted();
  out.low_end = estimate::text(profile.low_end);
  out.high_end = estimate::text(profile.high_end);
  out.why = profile.why;
  out.interval = {profile.low, profile.high};
  out.threshold = finite_or_nan(profile.threshold);
  for (const auto& point : profile.points) {
    auto& p = out.points.emplace_back();
    p = {point.value, finite_or_nan(point.objective), point.converged};
    for (const int i : order.parameters) {
      p.values.push_back(point.estimates[static_cast<std::size_t>(i)]);
    }
  }
  return out;
}

std::string lower_one_text(const FitResult& fit, const estimate::Profile& profile) {
  return fmt::format(
      "the profile of {0} found a lower objective, {1:.8g} < {2:.8g}, at {0} = {3:.6g}: this is "
      "not "
      "the best minimum; --set {0}={3:.6g} or --starts may find it",
      profile.parameter, profile.lower_one->objective, fit.objective, profile.lower_one->value);
}

/// After a fit that did not converge: where an experiment is one long interval, what would help.
void add_interval_advice(const estimate::Problem& problem, std::vector<std::string>& warnings) {
  std::string names;
  for (const auto& experiment : problem.experiments) {
    const bool single = experiment.grid.times.size() <= 2 && experiment.grid.intervals == 1;
    if (!experiment.system || !single) continue;
    names += (names.empty() ? "" : ", ") + experiment.id;
  }
  if (names.empty()) return;
  warnings.push_back(
      fmt::format("single shooting did not converge ({}): --intervals auto begins shorter "
                  "intervals at measured "
                  "states, which keeps errors of the first guess small",
                  names));
}

void add_start_warnings(const result::Starts& starts, std::vector<std::string>& warnings) {
  if (!starts.kept.empty()) {
    std::string names;
    for (const auto& name : starts.kept) names += (names.empty() ? "" : ", ") + name;
    warnings.push_back(
        fmt::format("without two bounds, and so at their initial values in all starts: {}", names));
  }
  const auto is_reported = [&](const auto& start) { return start.number == starts.reported; };
  const auto reported = std::ranges::find_if(starts.list, is_reported);
  if (reported != starts.list.end() && reported->minimum == 0) {
    warnings.push_back(
        fmt::format("the start with the lowest objective, {}, did not converge by itself ({}): the "
                    "minima of the "
                    "others lie higher",
                    starts.reported, reported->status));
  } else if (!starts.minima.empty() && starts.minima[0].starts == 1 && starts.count > 1) {
    warnings.push_back(fmt::format(
        "only one of {} starts reached the lowest minimum: more starts may find a lower one",
        starts.count + 1));
  }
}

result::FitOptions options_of(const FitParts& parts) {
  const auto& o = parts.prepared.problem().options;
  result::FitOptions out;
  out.globalization = estimate::text(o.iteration.globalization);
  out.back_projection = o.iteration.back_projection;
  if (o.iteration.convergence != estimate::Convergence::kStatistical) {
    out.convergence = estimate::text(o.iteration.convergence);
  }
  out.tol = o.iteration.tolerance;
  out.max_iterations = o.iteration.max_iterations;
  out.norm = estimate::text(o.linear.norm);
  if (o.linear.norm == estimate::Norm::kHuber) out.huber_gamma = o.linear.huber_gamma;
  out.condensing = estimate::text(o.condensing);
  out.reduction = estimate::text(o.reduction);
  out.relaxation = estimate::text(o.relaxation);
  if (o.relaxation == estimate::Relaxation::kBaumgarte) {
    const bool by_rate = o.relaxation_rate > 0;
    (by_rate ? out.relaxation_rate : out.relaxation_factor) =
        by_rate ? o.relaxation_rate : o.relaxation_factor;
  }
  out.projection = estimate::text(o.integrator.projection);
  out.consistent = o.consistent;
  out.integrator = o.integrator_given ? integrate::text(o.integrator.method) : "auto";
  out.rtol = o.integrator.rtol;
  out.atol = o.integrator.atol;
  out.sigma = o.sigma_known || parts.prepared.ensemble().is_likelihood() ? "known" : "estimated";
  out.confidence = o.confidence;
  for (const auto& setting : parts.request.set) out.set.push_back(setting.text);
  out.fix = parts.request.fix;
  if (!parts.request.start.empty()) out.start = parts.request.start;
  out.certify = parts.request.certify;
  out.intervals = parts.intervals;
  return out;
}

result::Verdict verdict_of(const FitParts& parts) {
  using Status = estimate::GaussNewtonResult::Status;
  const bool converged = parts.fit.converged();
  const bool stopped_later = converged && parts.stopped;
  return {
      .version = version(),
      .status = estimate::text(stopped_later ? Status::kInterrupted : parts.fit.iteration.status),
      .partial = !converged || parts.stopped,
      .message =
          fmt::format("{}: {}{}", converged ? "converged" : "not converged",
                      parts.fit.iteration.message, stopped_later ? "; interrupted afterwards" : ""),
      .warnings = parts.fit.warnings};
}

/// Lines of the table with the values of the parameters, where they are known.
void add_history(const FitParts& parts, result::Fit& out) {
  const auto order = order_of(parts.fit);
  for (std::size_t k = 0; k < parts.fit.iteration.history.size(); ++k) {
    auto& iteration = out.history.emplace_back(iteration_of(parts.fit.iteration.history[k]));
    if (k >= parts.values.size()) continue;
    const auto& values = parts.values[k];
    for (const int i : order.parameters) {
      if (i < static_cast<int>(values.size())) iteration.values.push_back(values[i]);
    }
  }
}

/// Units of parameters and columns, and the files they come from.
void add_sources(const FitParts& parts, result::Fit& out) {
  const auto& problem = parts.prepared.problem();
  const ProblemSources& sources = parts.sources;
  for (auto& e : out.parameters) e.unit = sources.parameter_unit(e.id);
  std::map<std::string, const estimate::ExperimentDescription*> by_id;
  for (const auto& described : problem.experiments) by_id[described.id] = &described;
  for (auto& experiment : out.experiments) {
    if (const auto found = by_id.find(experiment.id); found != by_id.end()) {
      const auto& described = *found->second;
      for (const auto& o : described.observations) {
        if (o.quantity.empty()) continue;  // the time of an event
        experiment.observed.push_back(
            {o.column, o.quantity.text, sources.quantity_unit(described, o.quantity.text)});
      }
    }
  }
  out.verdict.origin = {parts.request.arguments, sources.files()};
}

}  // namespace

result::Iteration iteration_of(const estimate::Iteration& i) {
  return {.number = i.number,
          .objective = finite_or_nan(i.objective),
          .constraints = finite_or_nan(i.infeasibility),
          .increment = finite_or_nan(i.increment),
          .step = i.step,
          .omega = finite_or_nan(i.omega),
          .kappa = finite_or_nan(i.kappa),
          .test = finite_or_nan(i.test),
          .trials = i.trials,
          .rank = i.rank,
          .condition = std::isnan(i.condition) ? result::kInfinity : i.condition};
}

result::Fit make_result(const FitParts& parts) {
  const FitResult& fit = parts.fit;
  result::Fit out;
  out.verdict = verdict_of(parts);
  out.problem = parts.prepared.problem().file;
  out.iterations = fit.iteration.iterations;
  out.evaluations = fit.iteration.evaluations;
  if (fit.has_values()) {
    const auto& scale = fit.scale;
    out.objective = finite_or_nan(fit.objective);
    out.measurements = scale.num_data;
    out.free = scale.num_free;
    out.degrees_of_freedom = scale.degrees_of_freedom;
    out.rank = fit.rank;
    out.sigma_scale = finite_or_nan(scale.beta());
    const auto order = order_of(fit);
    for (const int i : order.parameters) {
      out.parameters.push_back(estimate_of(fit.estimates[static_cast<std::size_t>(i)]));
    }
    for (const int i : order.states) {
      out.initial_states.push_back(estimate_of(fit.estimates[static_cast<std::size_t>(i)]));
    }
    out.covariance = matrix_of(fit.covariance, order.parameters);
    out.correlation = matrix_of(fit.correlation, order.parameters);
  }
  out.chi2_p_value = fit.scale.chi2_p_value;
  if (fit.likelihood) {
    const auto& l = *fit.likelihood;
    out.likelihood = {.is_objective = l.is_objective,
                      .log_likelihood = finite_or_nan(l.log_likelihood),
                      .log_prior = finite_or_nan(l.log_prior),
                      .parameters = l.num_parameters,
                      .aic = finite_or_nan(l.aic()),
                      .bic = finite_or_nan(l.bic())};
  }
  out.convention = fit.scale.convention;
  for (const auto& experiment : fit.experiments) {
    out.experiments.push_back(experiment_of(experiment));
  }
  if (fit.normality.valid) out.normality = {fit.normality.statistic, fit.normality.p_value};
  out.outliers = outliers_of(fit);
  out.identifiability = identifiability_of(fit.identifiability);
  for (const auto& profile : parts.profiles) {
    out.profiles.push_back(profile_of(profile, order_of(fit)));
    if (profile.lower_one) out.verdict.warnings.push_back(lower_one_text(fit, profile));
  }
  const bool was_let_go =
      fit.iteration.iterations > 0 ||
      fit.iteration.status != estimate::GaussNewtonResult::Status::kMaxIterations;
  if (!fit.converged() && !parts.stopped && was_let_go) {
    add_interval_advice(parts.prepared.problem(), out.verdict.warnings);
  }
  if (fit.has_values()) {
    for (auto& text : impossible_mechanisms(parts.prepared.problem(), out)) {
      out.verdict.warnings.push_back(std::move(text));
    }
  }
  out.starts = parts.starts;
  if (out.starts) add_start_warnings(*out.starts, out.verdict.warnings);
  add_history(parts, out);
  out.work = {.evaluations = fit.work.evaluations,
              .linearizations = fit.work.linearizations,
              .steps = fit.work.steps,
              .right_hand_sides = fit.work.rhs,
              .directions = fit.work.directions};
  out.options = options_of(parts);
  out.variable_names = parts.prepared.variable_names();
  out.x = vector_of(fit.x);
  add_sources(parts, out);
  return out;
}

std::vector<result::Prediction> predictions_of(const std::vector<estimate::Prediction>& list) {
  std::vector<result::Prediction> out;
  out.reserve(list.size());
  for (const auto& p : list) {
    out.push_back({.experiment = p.experiment,
                   .t = p.t,
                   .quantities = p.quantities,
                   .values = transposed(p.values),
                   .sd = transposed(p.sd)});
  }
  return out;
}

result::FitTables make_tables(const FitParts& parts, const result::Fit& result) {
  const FitResult& fit = parts.fit;
  result::FitTables out;
  if (!fit.has_values()) return out;
  out.estimates = names_of_estimates(result);
  auto [order, states] = order_of(fit);
  order.insert(order.end(), states.begin(), states.end());
  // Fits that stop early have none, and may have thousands of estimates.
  if (fit.covariance.array().isFinite().any()) out.covariance = matrix_of(fit.covariance, order);
  std::size_t num_residuals = 0;
  for (const auto& experiment : fit.experiments) num_residuals += experiment.residuals.size();
  out.residuals.reserve(num_residuals);
  for (const auto& experiment : fit.experiments) {
    for (const auto& r : experiment.residuals) {
      out.residuals.push_back({.experiment = experiment.id,
                               .column = r.info.column,
                               .t = r.info.t,
                               .measured = r.info.measured,
                               .model = r.model,
                               .sigma = r.info.sigma,
                               .weighted = r.weighted,
                               .sd = r.sd_model,
                               .prior = r.info.prior});
    }
  }
  out.predictions = predictions_of(parts.predictions);
  out.first_guess = predictions_of(parts.first_guess);
  for (auto& p : out.first_guess) p.sd = {};
  return out;
}

}  // namespace parfait::run
