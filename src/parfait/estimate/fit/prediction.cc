#include "parfait/estimate/fit/prediction.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "parfait/base/stop.h"
#include "parfait/estimate/problem/horizon.h"
#include "parfait/estimate/problem/measurements.h"
#include "parfait/estimate/problem/observation_kind.h"
#include "parfait/estimate/statistics/statistics.h"

namespace parfait::estimate {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

std::vector<double> times_of(const ExperimentDescription& e, int count) {
  const Horizon horizon = horizon_of(e);
  std::vector<double> times;
  times.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    times.push_back(horizon.begin + (horizon.end - horizon.begin) * i / std::max(1, count - 1));
  }
  times.back() = horizon.end;
  for (const Measurement& m : measurements_of(e)) {
    base::leave_if_stopped();
    if (kind_of(e.observations[m.observation]).is_at_row_time()) times.push_back(m.t);
  }
  const auto measured = times.begin() + count;
  if (!std::is_sorted(measured, times.end())) std::sort(measured, times.end());
  std::inplace_merge(times.begin(), measured, times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

/// The experiment with all quantities "measured" as 0 +- 1 at all times: its residuals are the
/// values, its block holds their derivatives in the variables of the fit.
ExperimentDescription watching(const ExperimentDescription& e, const std::vector<double>& times,
                               const std::vector<std::string>& quantities) {
  ExperimentDescription out = e;
  out.requirements.clear();
  out.state_bounds.clear();
  out.observations.clear();
  const Horizon horizon = horizon_of(e);
  out.begin = horizon.begin;
  out.end = horizon.end;
  for (Estimate& local : out.locals) local.prior.reset();
  for (InitialState& s : out.initial) {
    if (s.kind == InitialState::Kind::kPrior) s.kind = InitialState::Kind::kFree;
  }
  out.data = {};
  out.data.header = {"t"};
  out.data.columns = {times};
  const auto measured = measurements_of(e);
  for (std::size_t q = 0; q < quantities.size(); ++q) {
    const std::string column = "q" + std::to_string(q);
    out.data.header.push_back(column);
    out.data.columns.emplace_back(times.size(), 0.0);
    auto& observation = out.observations.emplace_back();
    observation.column = column;
    observation.quantity = quantities[q];
    // Angles have the turns of the data.
    for (const Measurement& m : measured) {
      base::leave_if_stopped();
      const Observation& o = e.observations[m.observation];
      if (observation.turn || kind_of(o).quantity_of(o).text != quantities[q]) continue;
      if (kind_of(o).is_at_row_time()) observation.turn = {m.t, m.value};
    }
  }
  return out;
}

/// A problem whose data are what is to be predicted.
struct Watched {
  std::unique_ptr<Ensemble> ensemble;
  std::vector<std::vector<std::string>> names;  ///< quantities of each experiment
  std::vector<std::vector<double>> times;
};

/// The observed quantities.
std::vector<std::string> observed_quantities(const ExperimentDescription& e) {
  std::vector<std::string> names;
  for (const Observation& o : e.observations) {
    const FormulaText quantity = kind_of(o).quantity_of(o);
    if (!quantity.empty()) names.push_back(quantity.text);
  }
  // Where only times of events are measured, the states show what happens in between.
  return names.empty() ? e.system->state_names() : names;
}

Watched watch(const Problem& problem, int count, const ChooseQuantities& choose, Team& alone) {
  Watched watched;
  Problem changed = problem;
  for (std::size_t i = 0; i < problem.experiments.size(); ++i) {
    const ExperimentDescription& e = problem.experiments[i];
    auto& own = watched.names.emplace_back();
    watched.times.emplace_back();
    if (!e.system) continue;
    own = choose(e);
    if (own.empty()) continue;
    watched.times.back() = times_of(e, count);
    changed.experiments[i] = watching(e, watched.times.back(), own);
  }
  watched.ensemble = make_ensemble(changed, alone);
  return watched;
}

/// What experiment i says at its last point, without deviations.
Prediction prediction_of(const Watched& watched, int i) {
  const auto e = static_cast<std::size_t>(i);
  const Experiment& experiment = watched.ensemble->experiment(i);
  Prediction out;
  out.experiment = experiment.id();
  out.t = watched.times[e];
  out.quantities = watched.names[e];
  const auto nq = static_cast<Index>(out.quantities.size()), nt = static_cast<Index>(out.t.size());
  out.values = experiment.residuals().reshaped(nq, nt);
  out.sd.setConstant(nq, nt, std::nan(""));
  return out;
}

/// What `one` says of each experiment, at once; experiments of which it says nothing are left out.
template <class One>
std::vector<Prediction> of_all(const Watched& watched, const One& one) {
  const int count = watched.ensemble->num_experiments();
  std::vector<std::optional<Prediction>> found(static_cast<std::size_t>(count));
  tbb::parallel_for(0, count, [&](int i) { found[static_cast<std::size_t>(i)] = one(i); });
  std::vector<Prediction> out;
  for (auto& prediction : found) {
    if (prediction) out.push_back(std::move(*prediction));
  }
  return out;
}

}  // namespace

std::vector<Prediction> predict(const Problem& problem, const FitResult& result, int count,
                                const std::vector<std::string>& quantities) {
  PreparedProblem prepared(problem);
  return predict(prepared, result, count, quantities);
}

std::vector<Prediction> predict(PreparedProblem& prepared, const FitResult& result, int count,
                                const std::vector<std::string>& quantities) {
  if (result.x.size() != prepared.ensemble().num_variables()) return {};  // the fit never began
  Team alone;
  const Problem& problem = prepared.problem();
  // As it was fitted, for the covariances in the variables of the condensed problem.
  const Ensemble* const fitted = &prepared.ensemble();
  const bool has_covariance = prepared.linearize_at(result.x);

  const auto choose = [&](const ExperimentDescription& e) {
    return quantities.empty() ? observed_quantities(e) : quantities;
  };
  const Watched watched = watch(problem, count, choose, alone);
  const VectorXd p = result.x.head(watched.ensemble->shared().size());
  return of_all(watched, [&](int i) -> std::optional<Prediction> {
    if (!problem.experiments[static_cast<std::size_t>(i)].system) return std::nullopt;
    Experiment& experiment = watched.ensemble->experiment(i);
    if (!experiment.linearize(fitted->variables_of(i, result.x), p)) return std::nullopt;
    Prediction out = prediction_of(watched, i);
    if (!has_covariance) return out;
    const LinearFit& linear = fitted->linear();
    const Block& block = experiment.block();
    const VectorXd variance = row_variances({.xi = linear.covariance_local(i + 1),
                                             .mixed = linear.covariance_mixed(i + 1),
                                             .p = linear.covariance_shared()},
                                            block.A, block.B);
    out.sd = (result.scale.beta() * variance.cwiseMax(0.0).cwiseSqrt())
                 .reshaped(out.values.rows(), out.values.cols());
    return out;
  });
}

std::vector<Prediction> predict_values(PreparedProblem& prepared, VecIn x, int count) {
  return predict_values(prepared, x, observed_quantities, count);
}

std::vector<Prediction> predict_values(PreparedProblem& prepared, VecIn x,
                                       const ChooseQuantities& choose, int count) {
  if (x.size() != prepared.ensemble().num_variables()) return {};
  Team alone;
  const Problem& problem = prepared.problem();
  const Watched watched = watch(problem, count, choose, alone);
  const VectorXd p = x.head(watched.ensemble->shared().size());
  return of_all(watched, [&](int i) -> std::optional<Prediction> {
    if (watched.names[static_cast<std::size_t>(i)].empty()) return std::nullopt;
    const VectorXd own = prepared.ensemble().variables_of(i, x);
    if (!watched.ensemble->experiment(i).evaluate(own, p)) return std::nullopt;
    return prediction_of(watched, i);
  });
}

}  // namespace parfait::estimate
