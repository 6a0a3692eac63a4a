#include "parfait/estimate/fit/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "parfait/estimate/algebraic/algebraic_experiment.h"
#include "parfait/estimate/fit/conflict.h"
#include "parfait/estimate/fit/fit_summary.h"
#include "parfait/estimate/problem/check_problem.h"
#include "parfait/estimate/problem/problem_counts.h"
#include "parfait/estimate/shooting/shooting_experiment.h"

namespace parfait::estimate {

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// How far each estimate moves when the integrator is 100 times more careful: the increment there,
/// minus the one that was left at the solution.
void certify(const Problem& problem, Team& team, FitResult& result) {
  Problem careful = problem;
  careful.options.integrator.rtol /= 100;
  careful.options.integrator.atol /= 100;
  const auto ensemble = make_ensemble(careful, team);
  if (!ensemble->linearize(result.x).exists) {
    result.warnings.push_back("the certificate failed at the tighter tolerance: " +
                              ensemble->why());
    return;
  }
  const Eigen::VectorXd moved = result.x + ensemble->increment() - result.iteration.increment;
  set_shifts(*ensemble, moved, result);
}

/// Where the fit stands when nothing can be said about how well: values without statistics.
/// `start`: the first guess of all variables; empty: there is none.
void report_values(const Ensemble& ensemble, VecIn start, FitResult& result) {
  const Unknowns& shared = ensemble.shared();
  const bool has_point = result.x.size() == ensemble.num_variables();
  const bool has_start = start.size() == ensemble.num_variables();
  result.objective = result.iteration.history.empty() ? std::nan("") : result.iteration.objective;
  result.num_shared = shared.size();
  const auto add = [&](const std::string& id, const std::string& experiment, double initial) {
    EstimateResult& out = result.estimates.emplace_back();
    out.id = id;
    out.experiment = experiment;
    out.initial = out.statistics.value = initial;
    out.statistics.sd = std::nan("");
    out.statistics.individual = out.statistics.joint = {std::nan(""), std::nan("")};
    return &out;
  };
  /// Unknowns that begin at `first` of all variables.
  const auto add_unknowns = [&](const Unknowns& unknowns, const std::string& experiment,
                                Eigen::Index first) {
    for (int i = 0; i < unknowns.size(); ++i) {
      const Estimate& estimate = unknowns.estimate(i);
      EstimateResult& out =
          *add(estimate.parameter, experiment,
               has_start ? unknowns.value_of(i, start[first + i]) : estimate.initial);
      out.lower = estimate.lower;
      out.upper = estimate.upper;
      out.truth = estimate.truth;
      if (has_point) out.statistics.value = unknowns.value_of(i, result.x[first + i]);
    }
  };
  add_unknowns(shared, "", 0);
  for (int e = 0; e < ensemble.num_experiments(); ++e) {
    const Experiment& experiment = ensemble.experiment(e);
    const Eigen::Index first = ensemble.offset_of(e);
    add_unknowns(experiment.layout().locals, experiment.id(),
                 first + experiment.layout().first_local);
    if (!has_start) continue;
    for (const InitialUnknown& state : experiment.layout().initial_unknowns) {
      EstimateResult& out =
          *add(state.state, experiment.id(), state.scale * start[first + state.index]);
      out.is_state = true;
      if (has_point) out.statistics.value = state.scale * result.x[first + state.index];
    }
  }
  const auto n = static_cast<Eigen::Index>(result.estimates.size());
  result.covariance.setConstant(n, n, std::nan(""));
  result.correlation = result.covariance;
}

}  // namespace

std::unique_ptr<Ensemble> make_ensemble(const Problem& problem, Team& team) {
  Unknowns shared(problem.estimates);
  std::vector<std::unique_ptr<Experiment>> experiments;
  for (const ExperimentDescription& description : problem.experiments) {
    if (description.system) {
      experiments.push_back(
          std::make_unique<ShootingExperiment>(description, shared, problem.options));
    } else {
      experiments.push_back(std::make_unique<AlgebraicExperiment>(
          description, shared,
          AlgebraicOptions{.eliminate_rows = problem.options.linear.norm == Norm::kL2,
                           .rank_tolerance = problem.options.linear.rank_tolerance}));
    }
  }
  LinearFitOptions linear = problem.options.linear;
  linear.scale_columns = problem.options.iteration.convergence == Convergence::kStatistical;
  auto ensemble = std::make_unique<Ensemble>(std::move(shared), problem.requirements,
                                             std::move(experiments), linear, team);
  ensemble->set_sigma_known(problem.options.sigma_known);
  ensemble->set_consistent(problem.options.consistent);
  const bool integrates = std::ranges::any_of(
      problem.experiments, [](const ExperimentDescription& e) { return e.system != nullptr; });
  if (integrates) ensemble->set_noise(problem.options.integrator.rtol);
  return ensemble;
}

namespace {

/// A cost is a number, and what Gauss-Newton makes small are squares.
const Problem& without_costs(const Problem& problem) {
  for (const auto& experiment : problem.experiments) {
    if (experiment.costs.empty()) continue;
    throw base::InputError(
        experiment.costs.front().place,
        fmt::format("experiment \"{}\": has a <cost>, which Gauss-Newton cannot make small; "
                    "give --method lbfgs.",
                    experiment.id));
  }
  return problem;
}

}  // namespace

PreparedProblem::PreparedProblem(Problem problem, Team* team)
    : problem_(std::move(problem)),
      warnings_(check(without_costs(problem_))),
      team_(team != nullptr ? team : &alone_),
      ensemble_(make_ensemble(problem_, *team_)) {
  // The natural level function needs rows whose derivative is J, and those of a likelihood only
  // have its gradient: the objective itself must descend.
  Globalization& globalization = problem_.options.iteration.globalization;
  const bool is_natural =
      globalization == Globalization::kRmt || globalization == Globalization::kNatural;
  if (ensemble_->is_likelihood() && is_natural) globalization = Globalization::kAuto;
}

std::vector<std::string> PreparedProblem::variable_names() const {
  std::vector<std::string> names = ensemble_->shared().names();
  for (int e = 0; e < ensemble_->num_experiments(); ++e) {
    const auto& experiment = ensemble_->experiment(e);
    for (const auto& name : experiment.layout().variables) {
      names.push_back(experiment.id() + ": " + name);
    }
  }
  return names;
}

std::vector<std::string> PreparedProblem::estimate_names() const {
  std::vector<std::string> names = ensemble_->shared().names();
  const bool several = ensemble_->num_experiments() > 1;
  for (int e = 0; e < ensemble_->num_experiments(); ++e) {
    const auto& experiment = ensemble_->experiment(e);
    const std::string whose = several ? " (" + experiment.id() + ")" : "";
    for (const auto& name : experiment.layout().locals.names()) names.push_back(name + whose);
    for (const auto& state : experiment.layout().initial_unknowns) {
      names.push_back(state.state + "(0)" + whose);
    }
  }
  return names;
}

std::vector<double> PreparedProblem::estimate_values(VecIn x) const {
  std::vector<double> values;
  const auto add = [&](const Unknowns& unknowns, Eigen::Index first) {
    for (int i = 0; i < unknowns.size(); ++i) values.push_back(unknowns.value_of(i, x[first + i]));
  };
  add(ensemble_->shared(), 0);
  for (int e = 0; e < ensemble_->num_experiments(); ++e) {
    const auto& experiment = ensemble_->experiment(e);
    const Eigen::Index first = ensemble_->offset_of(e);
    add(experiment.layout().locals, first + experiment.layout().first_local);
    for (const auto& state : experiment.layout().initial_unknowns) {
      values.push_back(state.scale * x[first + state.index]);
    }
  }
  return values;
}

bool PreparedProblem::linearize_at(VecIn x) {
  const Eigen::VectorXd& point = ensemble_->linearization_point();
  if (point.size() == x.size() && point == x) return true;
  return team_->size() == 1 && ensemble_->linearize(x).exists;
}

void PreparedProblem::hold(Requirement equation) {
  problem_.requirements.push_back(std::move(equation));
  ensemble_->set_requirements(problem_.requirements);
}

void PreparedProblem::release() {
  problem_.requirements.pop_back();
  ensemble_->set_requirements(problem_.requirements);
}

FitResult fit(const Problem& problem, const FitSettings& settings) {
  PreparedProblem prepared(problem);
  return fit(prepared, settings);
}

FitResult fit(PreparedProblem& prepared, const FitSettings& settings) {
  const auto begin = std::chrono::steady_clock::now();
  const Problem& problem = prepared.problem();
  Team& team = prepared.team();
  Ensemble* const ensemble = &prepared.ensemble();
  const auto interrupted = [&] {
    const auto& ask = problem.options.interrupted;
    return team.any(ask && ask());
  };
  FitResult result;
  result.warnings = prepared.warnings();
  check_measured(problem);
  if (!estimates_anything(problem)) {
    result.warnings.emplace_back("nothing is estimated: this is the problem at the given values");
  }

  Eigen::VectorXd start;
  if (settings.start && settings.start->size() == ensemble->num_variables()) {
    start = *settings.start;
  } else if (!ensemble->initialize(start)) {
    const bool stopped = interrupted();
    result.iteration.status = stopped ? GaussNewtonResult::Status::kInterrupted
                                      : GaussNewtonResult::Status::kEvaluationFailed;
    result.iteration.message = stopped ? "interrupted" : ensemble->why();
    report_values(*ensemble, Eigen::VectorXd(), result);
    return result;
  }
  result.timing.start = seconds_since(begin);

  const auto iterate = std::chrono::steady_clock::now();
  GaussNewtonOptions options = problem.options.iteration;
  options.tolerance = settings.tolerance.value_or(options.tolerance);
  if (settings.max_iterations) {
    const int most = *settings.max_iterations;
    options.max_iterations = std::min(most, options.max_iterations.value_or(most));
  }
  options.last_resort = options.last_resort && !settings.one_of_many;
  OnIteration on_iteration;
  if (settings.on_iteration) {
    on_iteration = [&](const Iteration& line, VecIn x) {
      return settings.on_iteration(line, prepared.estimate_values(x), x);
    };
  }
  result.start = start;
  ensemble->set_expected_information(false);
  result.iteration = gauss_newton(*ensemble, start, options, on_iteration, interrupted);
  if (result.iteration.status == GaussNewtonResult::Status::kLinearFailed) {
    const std::string conflict = conflict_text(problem, *ensemble);
    if (!conflict.empty()) result.iteration.message += "; " + conflict;
  }
  result.x = result.iteration.x;
  if (const auto kappa = result.iteration.kappa; kappa && *kappa >= 1) {
    result.warnings.push_back(fmt::format(
        "the minimum is not statistically stable (kappa = {:.2g} >= 1): residuals are so large, "
        "for "
        "how curved the model is, that other data of the same quality may have their minimum "
        "elsewhere; deviations say little. Look for what the model leaves out",
        *kappa));
  }
  result.timing.iteration = seconds_since(iterate);

  const auto summarize_from = std::chrono::steady_clock::now();
  const bool has_linearization = !result.iteration.history.empty();
  // Trial points may have been looked at since: the summary belongs to the point itself.
  // Covariances come from the Fisher information of a likelihood, steps do not.
  ensemble->set_expected_information(true);
  const bool is_current = result.converged() && !ensemble->is_likelihood();
  if (settings.statistics && has_linearization &&
      (is_current || ensemble->linearize(result.x).exists)) {
    summarize(problem, *ensemble, team, start, result);
    if (settings.certify && result.converged()) certify(problem, team, result);
  } else {
    report_values(*ensemble, start, result);
  }
  result.work = ensemble->work();
  for (const auto& remark : ensemble->remarks()) result.warnings.push_back(remark);
  result.timing.statistics = seconds_since(summarize_from);
  result.timing.total = seconds_since(begin);
  return result;
}

}  // namespace parfait::estimate
