#include "parfait/estimate/design/design.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <map>

#include "parfait/base/error.h"
#include "parfait/estimate/fit/fit.h"
#include "parfait/estimate/fit/synthesize.h"
#include "parfait/estimate/problem/check_problem.h"
#include "parfait/expr/formula.h"
#include "parfait/expr/scope.h"
#include "parfait/math/dense_solves.h"
#include "parfait/math/quantiles.h"
#include "parfait/math/scrambled_sobol.h"

namespace parfait::estimate {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace design_search {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
/// Step of the central differences, in units of the range of a variable.
constexpr double kStep = 1e-4;
/// Where saturation has left less than 1e-5 (arctan) of the range.
constexpr double kFarSaturated = 1e4;

/// Planned experiments, linearized: by point (the first guess, then samples around it).
using Linearized = std::vector<std::vector<PlannedBlock>>;

/// The problem with everything that is known, once.
class Search {
 public:
  Search(const DesignProblem& problem, const DesignCallbacks& callbacks)
      : problem_(problem), callbacks_(callbacks), shared_(problem.known.estimates) {
    check_all();
    options_ = problem.known.options;
    if (!options_.integrator_given) {
      options_.integrator.rtol = std::min(options_.integrator.rtol, 1e-10);
      options_.integrator.atol = std::min(options_.integrator.atol, 1e-12);
    }
    points_.push_back(shared_.initial());
    add_robust_points();
    for (const VectorXd& p : points_) known_.push_back(known_at(p));
    interest_.reserve(points_.size());
    for (const VectorXd& p : points_) interest_.push_back(interest_at(p));
    check_newton();
  }

  int num_points() const { return static_cast<int>(points_.size()); }
  const Unknowns& shared() const { return shared_; }
  const Interest& interest() const { return interest_.front(); }
  const KnownInformation& known() const { return known_.front(); }
  const VectorXd& point() const { return points_.front(); }
  std::int64_t linearizations() const { return linearizations_; }

  /// All planned experiments with d at point s; with `along` by the steps that were taken there.
  std::vector<PlannedBlock> linearize(const DesignSpace& space, const std::vector<double>& d, int s,
                                      const Linearized* along = nullptr) const {
    const auto at = static_cast<std::size_t>(s);
    std::vector<PlannedBlock> blocks;
    for (std::size_t e = 0; e < space.planned().size(); ++e) {
      blocks.push_back(linearize_planned(
          space.planned()[e], space.experiment(static_cast<int>(e), d), shared_, points_[at],
          options_, along != nullptr ? &(*along)[at][e].steps : nullptr));
      ++linearizations_;
    }
    return blocks;
  }

  /// At every point. InputError where one cannot be integrated.
  Linearized linearize(const DesignSpace& space, const std::vector<double>& d) const {
    Linearized out;
    for (int s = 0; s < num_points(); ++s) {
      out.push_back(linearize(space, d, s));
      for (std::size_t e = 0; e < out.back().size(); ++e) {
        if (out.back()[e].why.empty()) continue;
        throw base::InputError(
            problem_.planned[e].base.place,
            "the planned experiment cannot be simulated as it is given: " + out.back()[e].why);
      }
    }
    return out;
  }

  Scenario scenario(const std::vector<PlannedBlock>& blocks, int s) const {
    std::vector<int> copies;
    for (const auto& planned : problem_.planned) {
      copies.push_back(problem_.choose_copies > 0 ? 1 : planned.copies);
    }
    const auto at = static_cast<std::size_t>(s);
    Scenario out = make_scenario(known_[at], blocks, copies, interest_[at]);
    check_rank(out.K);
    return out;
  }

  /// For switching times by Newton's method.
  LinearPlan linear_plan(const DesignSpace& space, const std::vector<double>& d) const {
    return linear_plan_of(space.planned().front(), space.experiment(0, d), shared_, point(),
                          options_);
  }
  SwitchingCriterion switching_criterion() const {
    return {
        .kind = problem_.criterion, .known = known().M, .inverse = math::inverse(interest().by_p)};
  }

  bool stopped() const { return callbacks_.interrupted && callbacks_.interrupted(); }
  const DesignProblem& problem() const { return problem_; }

 private:
  void check_all() const {
    if (problem_.planned.empty()) {
      throw base::InputError(problem_.place, "there is no <experiment> to be designed.");
    }
    if (problem_.known.estimates.empty()) {
      throw base::InputError(problem_.place,
                             "nothing is estimated, so there is nothing to design for.");
    }
    Problem all = problem_.known;
    for (const auto& planned : problem_.planned) {
      if (!planned.base.system) {
        throw base::InputError(
            planned.base.place,
            fmt::format("experiment \"{}\": a planned experiment needs a model.", planned.base.id));
      }
      if (!planned.base.samples) {
        throw base::InputError(
            planned.base.place,
            fmt::format("experiment \"{}\": a planned experiment needs <samples>.",
                        planned.base.id));
      }
      if (problem_.choose_copies > 0 &&
          (planned.choice.of != Choice::Of::kEverything || planned.continuous)) {
        throw base::InputError(
            planned.base.place,
            fmt::format(
                "experiment \"{}\": choose copies of experiments or their samples, not both.",
                planned.base.id));
      }
      auto& empty = all.experiments.emplace_back(planned.base);
      empty.data = sample_table(*empty.samples, empty.data.time, empty.observations);
    }
    check(all);
  }

  /// breaks="newton" is for what (5.18) of Oberpeilsteiner (2018) describes: linear_plan_of() says
  /// what else is.
  void check_newton() const {
    for (const auto& planned : problem_.planned) {
      for (const auto& input : planned.inputs) {
        if (!input.newton) continue;
        const auto bad = [&](const std::string& why) {
          throw base::InputError(
              input.place, fmt::format("input \"{}\": breaks=\"newton\" is for {}", input.id, why));
        };
        const auto kind = problem_.criterion;
        if (kind == CriterionKind::kMaxSd || kind == CriterionKind::kC ||
            kind == CriterionKind::kPrediction) {
          bad("the criteria A, D, E and T.");
        }
        if (problem_.planned.size() > 1 || problem_.choose_copies > 0) {
          bad("a single planned experiment.");
        }
        if (problem_.robust.samples > 0) bad("one set of parameters, not for <robust>.");
        if (interest().by_p.rows() != interest().by_p.cols() || known().equations.rows() > 0) {
          bad("parameters that are all of interest, without requirements between them.");
        }
        const DesignSpace space(problem_.planned);
        static_cast<void>(linear_plan(space, space.initial()));
      }
    }
  }

  void check_rank(const MatrixXd& K) const {
    if (problem_.criterion == CriterionKind::kPrediction) {
      if (K.rows() > 0) return;
      throw base::InputError(problem_.place,
                             "criterion \"prediction\" needs a <predict> in an experiment.");
    }
    if (math::PivotedQr(K.transpose(), 1e-10).rank() == K.rows()) return;
    throw base::InputError(
        problem_.place,
        fmt::format("the parameters of interest ({}) are tied to each other, or held, by equations "
                    "or bounds. Name fewer with of=\"...\".",
                    base::listing(interest_.front().names)));
  }

  KnownInformation known_at(const VectorXd& p) const {
    const Index np = p.size();
    KnownInformation known{.M = MatrixXd::Zero(np, np), .equations = MatrixXd(0, np)};
    Problem at = problem_.known;
    for (Index i = 0; i < np; ++i) {
      at.estimates[static_cast<std::size_t>(i)].initial =
          shared_.value_of(static_cast<int>(i), p[i]);
    }
    Team alone;
    if (at.experiments.empty()) {
      const SharedBlock block(shared_, at.requirements);
      Block shared;
      if (!block.evaluate(p, shared)) {
        throw base::InputError(problem_.place, "a requirement of the parameters is not finite.");
      }
      add_information(shared, known);
      return known;
    }
    const auto ensemble = make_ensemble(at, alone);
    ensemble->set_expected_information(true);
    VectorXd x;
    if (!ensemble->initialize(x) || !ensemble->linearize(x).exists) {
      throw base::InputError(
          problem_.known.file.empty() ? Place{} : Place{.file = problem_.known.file},
          "the experiments that were made cannot be evaluated: " + ensemble->why());
    }
    return information_of(*ensemble);
  }

  Interest interest_at(const VectorXd& p) const {
    Interest out;
    if (problem_.criterion == CriterionKind::kPrediction) return out;
    const VectorXd slope = shared_.derivatives(p), value = shared_.values(p);
    const auto np = p.size();
    if (problem_.criterion == CriterionKind::kC) {
      out.by_p = combination_slope(value).cwiseProduct(slope).transpose();
      out.names = {problem_.combination.text};
      if (!(out.by_p.norm() > 0)) {
        throw base::InputError(problem_.combination.place,
                               fmt::format("combination \"{}\" depends on no parameter that is "
                                           "estimated.",
                                           problem_.combination.text));
      }
      return out;
    }
    std::vector<int> which;
    for (const auto& name : problem_.of) {
      const int i = shared_.find(name);
      if (i < 0) {
        throw base::InputError(
            problem_.place,
            fmt::format("of: \"{}\" is not estimated.{} Estimated: {}.", name,
                        base::suggestion(name, shared_.names()), base::listing(shared_.names())));
      }
      which.push_back(i);
    }
    for (int i = 0; i < np && problem_.of.empty(); ++i) which.push_back(i);
    out.by_p = MatrixXd::Zero(std::ssize(which), np);
    for (std::size_t k = 0; k < which.size(); ++k) {
      const int i = which[k];
      out.names.push_back(shared_.estimate(i).parameter);
      double unit = 1;
      if (problem_.relative) {
        unit = std::abs(value[i]);
        if (!(unit > 0)) {
          throw base::InputError(
              problem_.place,
              fmt::format("\"{}\" is 0, so that a relative standard deviation means nothing. Say "
                          "scale=\"absolute\".",
                          out.names.back()));
        }
      }
      out.by_p(static_cast<Index>(k), i) = slope[i] / unit;
    }
    return out;
  }

  VectorXd combination_slope(const VectorXd& value) const;

  void add_robust_points() {
    const auto& robust = problem_.robust;
    if (robust.samples <= 0) return;
    const auto np = static_cast<int>(points_.front().size());
    const auto cube = math::scrambled_sobol(robust.samples, np, robust.seed);
    const VectorXd p0 = points_.front();
    points_.clear();
    points_.push_back(p0);
    for (const auto& u : cube) {
      VectorXd p = p0;
      for (int i = 0; i < np; ++i) {
        const double z = math::normal_quantile(u[static_cast<std::size_t>(i)]);
        double value = shared_.value_of(i, p0[i]) * (1 + robust.spread * z);
        value = std::clamp(value, shared_.estimate(i).lower, shared_.estimate(i).upper);
        if (shared_.is_log(i)) value = std::max(value, 1e-3 * shared_.value_of(i, p0[i]));
        p[i] = shared_.x_of(i, value);
      }
      points_.push_back(p);
    }
  }

  const DesignProblem& problem_;
  const DesignCallbacks& callbacks_;
  Unknowns shared_;
  FitOptions options_;
  std::vector<VectorXd> points_;  ///< scaled parameters: the first guess, then samples around it
  std::vector<KnownInformation> known_;
  std::vector<Interest> interest_;
  mutable std::atomic<std::int64_t> linearizations_ = 0;
};

VectorXd Search::combination_slope(const VectorXd& value) const {
  if (problem_.combination.empty()) {
    throw base::InputError(problem_.place,
                           "criterion \"c\" needs combination=\"...\", a formula of parameters.");
  }
  expr::Names names(shared_.names());
  const expr::Formula formula(problem_.combination.text, names, problem_.combination.place);
  std::vector<double> scratch(formula.scratch_size());
  std::vector<double> gradient(static_cast<std::size_t>(formula.num_used()));
  formula.gradient(value.data(), scratch.data(), gradient.data());
  VectorXd slope = VectorXd::Zero(value.size());
  for (std::size_t j = 0; j < gradient.size(); ++j) slope[formula.used_slots()[j]] = gradient[j];
  return slope;
}

/// Information of what is of interest at d, in every scenario; for predictions psi itself.
struct Outcome {
  bool exists = false;
  std::vector<MatrixXd> information;
  double prediction = kNever;
  VectorXd equations, inequalities;
  std::string why{};
  Linearized blocks{};  ///< if it was asked to keep them
};

/// The criterion as a function of d, for fixed weights of the candidates.
class DesignObjective {
 public:
  DesignObjective(const Search& search, const DesignSpace& space, const VectorXd& weights,
                  const Candidates& candidates)
      : search_(search), space_(space), weights_(weights), candidates_(candidates) {}

  std::vector<double> place(const VectorXd& u) const {
    std::vector<double> d(static_cast<std::size_t>(u.size()));
    for (std::size_t i = 0; i < d.size(); ++i) {
      const auto& v = space_.variables()[i];
      const double at = saturated(v.saturation, u[static_cast<Index>(i)]);
      d[i] = at >= 1 && at < 1 + 1e-12 ? v.upper : v.lower + (v.upper - v.lower) * at;
    }
    return d;
  }
  VectorXd unit(const std::vector<double>& d) const {
    VectorXd u(std::ssize(d));
    for (std::size_t i = 0; i < d.size(); ++i) {
      const auto& v = space_.variables()[i];
      u[static_cast<Index>(i)] = unsaturated(v.saturation, (d[i] - v.lower) / (v.upper - v.lower));
    }
    return u;
  }

  /// Bounds and metric of the variables. Values that saturate have none that they would reach.
  void describe(BoxProblem& problem) const {
    const auto n = static_cast<Index>(space_.size());
    problem.lower = VectorXd::Zero(n);
    problem.upper = problem.metric = VectorXd::Ones(n);
    for (Index i = 0; i < n; ++i) {
      const auto& v = space_.variables()[static_cast<std::size_t>(i)];
      problem.metric[i] = v.metric;
      if (v.saturation == Saturation::kNone) continue;
      problem.lower[i] = -kFarSaturated;
      problem.upper[i] = kFarSaturated;
    }
  }

  /// `along`: by the steps that were taken there.
  Outcome outcome(const std::vector<double>& d, bool keep = false,
                  const Linearized* along = nullptr) const {
    Outcome out;
    const bool predicts = search_.problem().criterion == CriterionKind::kPrediction;
    double predicted = 0;
    std::vector<double> equations, inequalities;
    for (int s = 0; s < search_.num_points(); ++s) {
      auto blocks = search_.linearize(space_, d, s, along);
      for (const auto& block : blocks) {
        if (!block.why.empty()) {
          out.why = block.why;
          return out;
        }
        equations.insert(equations.end(), block.equations.begin(), block.equations.end());
        inequalities.insert(inequalities.end(), block.inequalities.begin(),
                            block.inequalities.end());
      }
      const Scenario scenario = search_.scenario(blocks, s);
      const MatrixXd M = information(scenario);
      if (predicts) {
        predicted += std::log(covariance_of(M, scenario.K).trace()) / search_.num_points();
      } else {
        out.information.push_back(information_of(M, scenario.K));
      }
      if (keep) out.blocks.push_back(std::move(blocks));
    }
    const auto rates = space_.rate_conditions(d);
    inequalities.insert(inequalities.end(), rates.begin(), rates.end());
    out.exists = true;
    out.prediction = std::isnan(predicted) ? kNever : predicted;
    out.equations = Eigen::Map<const VectorXd>(equations.data(), std::ssize(equations));
    out.inequalities = Eigen::Map<const VectorXd>(inequalities.data(), std::ssize(inequalities));
    return out;
  }

  double psi(const Outcome& outcome, double sharpness = 0) const {
    if (!outcome.exists) return kNever;
    if (search_.problem().criterion == CriterionKind::kPrediction) return outcome.prediction;
    double sum = 0;
    for (const MatrixXd& M : outcome.information) {
      sum += evaluate_criterion(search_.problem().criterion, M, sharpness).psi;
    }
    return sum / static_cast<double>(outcome.information.size());
  }

  BoxPoint point(const Outcome& outcome, double sharpness, const VectorXd& scale) const {
    BoxPoint out;
    out.f = psi(outcome, sharpness);
    out.c = outcome.equations;
    out.g = outcome.inequalities;
    if (scale.size() == out.c.size() + out.g.size()) {
      out.c = out.c.cwiseQuotient(scale.head(out.c.size()));
      out.g = out.g.cwiseQuotient(scale.tail(out.g.size()));
    }
    return out;
  }

  /// Central differences of the sensitivity matrices along the steps that were taken at u, by way
  /// of the information. `here` keeps its blocks.
  BoxSlope slope(const VectorXd& u, const Outcome& here, double sharpness,
                 const VectorXd& scale) const {
    const Index n = u.size();
    BoxSlope out;
    out.f = VectorXd::Zero(n);
    out.c = MatrixXd::Zero(here.equations.size(), n);
    out.g = MatrixXd::Zero(here.inequalities.size(), n);
    const CriterionKind kind = search_.problem().criterion;
    std::vector<MatrixXd> Psi;
    for (const MatrixXd& M : here.information) {
      Psi.push_back(evaluate_criterion(kind, M, sharpness).slope);
    }
    std::vector<Outcome> plus(static_cast<std::size_t>(n)), minus(static_cast<std::size_t>(n));
    std::vector<double> width(static_cast<std::size_t>(n));
    tbb::parallel_for(Index{0}, 2 * n, [&](Index k) {
      const Index i = k / 2;
      const auto at = static_cast<std::size_t>(i);
      const bool is_length = space_.variables()[at].kind == DesignVariable::Kind::kInputLength;
      // A little beyond a bound does not hurt, but lengths stay positive.
      const double h = is_length ? 2e-5 : kStep;
      VectorXd there = u;
      there[i] += k % 2 == 0 ? h : -h;
      (k % 2 == 0 ? plus : minus)[at] = outcome(place(there), false, &here.blocks);
      if (k % 2 == 0) width[at] = 2 * h;
    });
    for (Index i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const bool both = plus[at].exists && minus[at].exists;
      const Outcome& right = plus[at].exists ? plus[at] : here;
      const Outcome& left = minus[at].exists ? minus[at] : here;
      const double h = both ? width[at] : width[at] / 2;
      if (kind == CriterionKind::kPrediction) {
        out.f[i] = (right.prediction - left.prediction) / h;
      } else {
        double sum = 0;
        for (std::size_t s = 0; s < Psi.size(); ++s) {
          sum += Psi[s].cwiseProduct(right.information[s] - left.information[s]).sum();
        }
        out.f[i] = sum / h / static_cast<double>(Psi.size());
      }
      out.c.col(i) = (right.equations - left.equations) / h;
      out.g.col(i) = (right.inequalities - left.inequalities) / h;
    }
    if (scale.size() == out.c.rows() + out.g.rows()) {
      for (Index j = 0; j < out.c.rows(); ++j) out.c.row(j) /= scale[j];
      for (Index j = 0; j < out.g.rows(); ++j) out.g.row(j) /= scale[out.c.rows() + j];
    }
    return out;
  }

 private:
  MatrixXd information(const Scenario& scenario) const {
    VectorXd weight = VectorXd::Zero(scenario.rows.rows());
    for (Index i = 0; i < weights_.size(); ++i) {
      for (const int row : candidates_.list[static_cast<std::size_t>(i)].rows) {
        weight[row] += weights_[i];
      }
    }
    const MatrixXd rows = weight.cwiseSqrt().asDiagonal() * scenario.rows;
    return scenario.known + math::gram(rows);
  }

  const Search& search_;
  const DesignSpace& space_;
  const VectorXd& weights_;
  const Candidates& candidates_;
};

struct Found {
  std::vector<double> d;
  double psi = kNever;
  double violation = 0;
  int iterations = 0;
  bool converged = false;
  bool exists = false;
  std::string why{};
  Linearized blocks{};  ///< there: what it is worth needs no more integrations
};

constexpr double kFeasible = 1e-6;

bool is_better(const Found& a, const Found& b) {
  const bool fa = a.violation <= kFeasible, fb = b.violation <= kFeasible;
  if (fa != fb) return fa;
  return fa ? a.psi < b.psi : a.violation < b.violation;
}

/// From one point to the minimum near it.
Found minimize_from(const Search& search, const DesignObjective& objective,
                    const std::vector<double>& d, int max_iterations) {
  const CriterionKind kind = search.problem().criterion;
  std::vector<double> sharpness = {0};
  if (kind == CriterionKind::kE || kind == CriterionKind::kMaxSd) sharpness = {8, 64, 0};
  Found found;
  found.d = d;
  VectorXd u = objective.unit(d);
  VectorXd scale;
  {
    const Outcome first = objective.outcome(d, true);
    found.exists = first.exists;
    found.why = first.why;
    if (!first.exists) return found;
    found.psi = objective.psi(first);
    found.blocks = first.blocks;
    const auto m = first.equations.size() + first.inequalities.size();
    if (m > 0) {  // conditions in units of what the variables can do about them
      const BoxSlope slope = objective.slope(u, first, sharpness.front(), {});
      scale.resize(m);
      for (Index j = 0; j < m; ++j) {
        const bool is_equation = j < first.equations.size();
        const double size =
            is_equation ? slope.c.row(j).norm() : slope.g.row(j - first.equations.size()).norm();
        const double value = std::abs(is_equation ? first.equations[j]
                                                  : first.inequalities[j - first.equations.size()]);
        scale[j] = std::max({size, 0.1 * value, 1e-12});
      }
    }
    for (const double c : first.equations) found.violation = std::max(found.violation, std::abs(c));
    for (const double g : first.inequalities) found.violation = std::max(found.violation, -g);
  }
  for (const double q : sharpness) {
    Outcome last, kept;
    VectorXd at, kept_at;
    const auto keep = [&] {
      kept = last;
      kept_at = at;
    };
    BoxProblem problem;
    problem.value = [&](const VectorXd& v) {
      last = objective.outcome(objective.place(v), true);
      at = v;
      if (kept_at.size() == 0) keep();
      BoxPoint point;
      if (last.exists) return objective.point(last, q, scale);
      point.f = kNever;
      return point;
    };
    problem.slope = [&](const VectorXd& v) {
      if (at.size() != v.size() || at != v) {
        last = objective.outcome(objective.place(v), true);
        at = v;
      }
      return objective.slope(v, last, q, scale);
    };
    objective.describe(problem);
    problem.interrupted = [&] { return search.stopped(); };
    problem.on_best = [&](const VectorXd& v) {
      if (at == v) keep();
    };
    const BoxResult result = minimize_in_box(
        problem, u,
        {.method = search.problem().method, .max_iterations = max_iterations, .tolerance = 1e-8});
    found.iterations += result.iterations;
    u = result.u;
    Found there = found;
    there.d = objective.place(u);
    const Outcome outcome = kept_at == u ? kept : objective.outcome(there.d, true);
    if (!outcome.exists) continue;
    there.blocks = outcome.blocks;
    there.psi = objective.psi(outcome);
    there.violation = 0;
    for (const double c : outcome.equations)
      there.violation = std::max(there.violation, std::abs(c));
    for (const double g : outcome.inequalities) there.violation = std::max(there.violation, -g);
    there.converged = result.converged;
    if (is_better(there, found)) {
      found = there;
    } else {
      found.converged = found.converged || result.converged;
    }
  }
  return found;
}

DesignMeasures measures_of(const MatrixXd& information, double psi) {
  DesignMeasures out;
  out.psi = psi;
  const auto pairs = math::symmetric_eigen_pairs(information);
  const Index k = information.rows();
  out.trace_M = information.trace();
  out.lambda_min = pairs.values[0];
  out.condition = pairs.values[0] > 0 ? pairs.values[k - 1] / pairs.values[0] : kNever;
  const CriterionValue D = evaluate_criterion(CriterionKind::kD, information);
  const CriterionValue A = evaluate_criterion(CriterionKind::kA, information);
  const CriterionValue m = evaluate_criterion(CriterionKind::kMaxSd, information);
  out.log_det_M = -D.psi * static_cast<double>(k);
  out.trace_C = std::exp(A.psi);
  out.max_sd = std::exp(0.5 * m.psi);
  return out;
}

/// Standard deviations of all shared parameters in their own units.
VectorXd deviations(const Scenario& scenario, const VectorXd& weights,
                    const Candidates& candidates) {
  VectorXd weight = VectorXd::Zero(scenario.rows.rows());
  for (Index i = 0; i < weights.size(); ++i) {
    for (const int row : candidates.list[static_cast<std::size_t>(i)].rows)
      weight[row] += weights[i];
  }
  const MatrixXd rows = weight.cwiseSqrt().asDiagonal() * scenario.rows;
  const MatrixXd C = covariance_of(scenario.known + math::gram(rows), scenario.K);
  return C.diagonal().cwiseMax(0.0).cwiseSqrt();
}

}  // namespace
}  // namespace design_search

namespace design_search {
namespace {

/// All points from which a search begins, the one that was given first.
std::vector<std::vector<double>> design_starts(const DesignSpace& space, int count,
                                               std::uint64_t seed) {
  std::vector<std::vector<double>> out = {space.initial()};
  if (count < 2 || space.size() == 0) return out;
  const auto cube = math::scrambled_sobol(count - 1, space.size(), seed);
  for (std::size_t i = 0; i < cube.size(); ++i) {
    std::vector<double> d(cube[i].size());
    for (std::size_t k = 0; k < d.size(); ++k) {
      const auto& v = space.variables()[k];
      double u = cube[i][k];
      // Every other start has inputs on their bounds: that is where optimal ones often lie.
      if (i % 2 == 1 && v.kind == DesignVariable::Kind::kInputValue) u = u < 0.5 ? 0 : 1;
      d[k] = v.lower + (v.upper - v.lower) * u;
    }
    out.push_back(std::move(d));
  }
  return out;
}

SelectionProblem selection_of(const Search& search, const Linearized& blocks,
                              const Candidates& candidates) {
  SelectionProblem selection;
  selection.criterion = search.problem().criterion;
  selection.candidates = candidates.list;
  selection.groups = candidates.groups;
  selection.names = search.interest().names;
  for (int s = 0; s < search.num_points(); ++s) {
    selection.scenarios.push_back(search.scenario(blocks[static_cast<std::size_t>(s)], s));
  }
  return selection;
}

bool candidates_chosen_in(const DesignProblem& problem) {
  return problem.choose_copies > 0 ||
         std::ranges::any_of(problem.planned, [](const PlannedExperiment& e) {
           return e.choice.of != Choice::Of::kEverything || (e.continuous && e.continuous->budget);
         });
}

/// The experiment as it is to be measured: its samples at what was chosen.
void set_samples(const PlannedExperiment& planned, int e, const Candidates& candidates,
                 const VectorXd& counts, ExperimentDescription& out) {
  out.requirements.clear();
  if (planned.continuous) {
    const auto times = out.samples->all_times();
    const double cell = (times.back() - times.front()) / static_cast<double>(times.size());
    for (Observation& o : out.observations) {
      o.sigma = {.absolute = std::sqrt(planned.continuous->density / cell)};
    }
  }
  const auto chosen = [&](std::size_t i) {
    return candidates.experiment[i] == e && counts[static_cast<Index>(i)] > 0.5;
  };
  if (planned.choice.of == Choice::Of::kSamples) {
    std::vector<double> times;
    for (std::size_t i = 0; i < candidates.list.size(); ++i) {
      if (!chosen(i)) continue;
      const int n = static_cast<int>(std::lround(counts[static_cast<Index>(i)]));
      for (int k = 0; k < n; ++k) times.push_back(candidates.list[i].position);
    }
    std::ranges::sort(times);
    out.samples->times = times;
    out.samples->count = 0;
  } else if (planned.choice.of == Choice::Of::kMarkers) {
    std::vector<std::string> dropped;
    for (std::size_t i = 0; i < candidates.list.size(); ++i) {
      if (candidates.experiment[i] != e || chosen(i)) continue;
      for (const auto& marker : planned.choice.markers) {
        if (marker.id != candidates.label[i]) continue;
        dropped.insert(dropped.end(), marker.columns.begin(), marker.columns.end());
      }
    }
    std::erase_if(out.observations, [&](const Observation& o) {
      return std::ranges::find(dropped, o.column) != dropped.end();
    });
  } else if (planned.choice.of == Choice::Of::kCells) {
    std::vector<double> times;
    for (std::size_t i = 0; i < candidates.list.size(); ++i) {
      if (chosen(i)) times.push_back(candidates.list[i].position);
    }
    std::ranges::sort(times);
    times.erase(std::unique(times.begin(), times.end()), times.end());
    out.samples->times = times;
    out.samples->count = 0;
  }
  // The horizon stays what it was planned to be.
  const std::string file = out.data.file, time = out.data.time;
  out.data = {};
  out.data.time = time;
  out.data.file = file;
}

bool asks_for_newton(const DesignProblem& problem) {
  return std::ranges::any_of(problem.planned, [](const PlannedExperiment& e) {
    return std::ranges::any_of(e.inputs, &PlannedInput::newton);
  });
}

/// Newton's method on the switching conditions, from switching times that were found; they become
/// the pieces of the input where they are a minimum.
SwitchingTimes newton_on_switches(const Search& search, DesignSpace& space, Found& best) {
  const auto table = space.inputs(0, best.d).front();
  const LinearPlan plan = search.linear_plan(space, best.d);
  const std::vector<double> times(table.t.begin() + 1, table.t.end());
  SwitchingTimes out = find_switching_times(plan, search.switching_criterion(), table.value, times);
  if (!out.converged || !out.is_minimum) return out;
  std::vector<double> lengths;
  double last = plan.begin;
  for (std::size_t i = 0; i <= out.t.size(); ++i) {
    const double next = i < out.t.size() ? out.t[i] : plan.end;
    lengths.push_back((next - last) / (plan.end - plan.begin));
    last = next;
  }
  space = space.with_lengths(0, lengths);
  best.d = space.initial();
  best.blocks = search.linearize(space, best.d);
  best.violation = out.violation;
  return out;
}

}  // namespace
}  // namespace design_search

DesignResult design(const DesignProblem& problem, const DesignCallbacks& callbacks) {
  using design_search::candidates_chosen_in;
  using design_search::design_starts;
  using design_search::DesignObjective;
  using design_search::Found;
  using design_search::Search;
  using design_search::selection_of;
  using design_search::set_samples;
  const Search search(problem, callbacks);
  DesignSpace space(problem.planned);
  DesignResult result;
  std::vector<double> d = space.initial();

  // What can be chosen does not depend on d.
  const design_search::Linearized given = search.linearize(space, d);
  const auto& first = given.front();
  std::vector<std::vector<PlannedRow>> rows;
  for (std::size_t e = 0; e < first.size(); ++e) {
    if (problem.choose_copies > 0 && first[e].prior_A.rows() > 0) {
      throw base::InputError(
          problem.planned[e].base.place,
          fmt::format("experiment \"{}\": priors of its own parameters or states "
                      "cannot be weighed with copies that are chosen.",
                      problem.planned[e].base.id));
    }
    rows.push_back(first[e].rows);
  }
  const Candidates candidates = candidates_of(problem.planned, rows, problem.choose_copies);
  const bool choosing = candidates_chosen_in(problem);
  const SelectionProblem at_start = selection_of(search, given, candidates);
  VectorXd weights = even_weights(at_start);
  const VectorXd start_weights = weights;
  const double start_psi = selection_value(at_start, weights);

  // Numbers and choice in turns: first the choice, for the start as it was given.
  Found best;
  best.d = d;
  best.exists = true;
  best.psi = start_psi;
  best.blocks = given;
  const auto choose = [&](const Found& at) {
    result.selection = select(selection_of(search, at.blocks, candidates));
    return result.selection->counts;
  };
  if (choosing) {
    weights = choose(best);
    best.psi = result.selection->rounded;
  }
  const Found as_given = best;
  if (space.size() > 0) {
    const int rounds = choosing ? 3 : 1;
    for (int round = 0; round < rounds && !search.stopped(); ++round) {
      const DesignObjective objective(search, space, weights, candidates);
      std::vector<std::vector<double>> starts = {best.d};
      if (round == 0) {
        starts = design_starts(space, problem.starts, problem.seed);
        best = {};
        best.violation = design_search::kNever;
      }
      std::vector<Found> found;
      for (std::size_t i = 0; i < starts.size() && !search.stopped(); ++i) {
        found.push_back(
            design_search::minimize_from(search, objective, starts[i], problem.max_iterations));
        Found& one = found.back();
        if (round == 0) {
          result.starts.push_back({.psi = one.psi,
                                   .violation = one.violation,
                                   .iterations = one.iterations,
                                   .converged = one.converged});
        }
        if (one.exists && is_better(one, best)) best = one;
        if (callbacks.on_start) {
          callbacks.on_start(static_cast<int>(i) + 1, static_cast<int>(starts.size()), best.psi);
        }
      }
      if (!best.exists && search.stopped()) {
        best = as_given;
        result.remarks.emplace_back("stopped before anything was tried: this is what was given");
        break;
      }
      if (!best.exists) throw base::InputError("no start could be simulated: " + found.front().why);
      if (!choosing) break;
      const double before = best.psi;
      const VectorXd old_weights = weights;
      const auto old_selection = result.selection;
      weights = choose(best);
      if (result.selection->rounded < before) best.psi = result.selection->rounded;
      if (result.selection->rounded > before + 1e-12) {
        weights = old_weights;
        result.selection = old_selection;
        break;
      }
      if (best.psi > before - 1e-6) break;
    }
    for (const auto& one : result.starts) {
      if (one.violation <= design_search::kFeasible && one.psi <= best.psi + 1e-4) {
        ++result.best_reached;
      }
    }
    if (space.has_free_breaks() && best.exists && !search.stopped()) {
      std::vector<double> at = best.d;
      const DesignSpace refined = space.with_switching_times(at);
      const DesignObjective objective(search, refined, weights, candidates);
      const Found there =
          design_search::minimize_from(search, objective, at, problem.max_iterations);
      if (there.exists && is_better(there, best)) {
        space = refined;
        best = there;
        if (design_search::asks_for_newton(problem)) {
          result.switching = design_search::newton_on_switches(search, space, best);
        }
      } else {
        result.remarks.emplace_back(
            "inputs that switch between their bounds at free times are no better than equal "
            "pieces");
      }
    }
  }
  if (best.violation > design_search::kFeasible && search.stopped()) {
    result.remarks.push_back(fmt::format(
        "stopped before a design was found that keeps all requirements: the least violation is "
        "{:.3g}",
        best.violation));
  } else if (best.violation > design_search::kFeasible) {
    throw base::InputError(
        problem.place,
        fmt::format(
            "no design was found that keeps all requirements: the least violation is {:.3g}. "
            "Widen bounds or rates, or give more time, pieces or starts.",
            best.violation));
  }
  d = best.d;

  // What it is worth.
  const SelectionProblem final_problem = selection_of(search, best.blocks, candidates);
  const double psi = selection_value(final_problem, weights);
  if (!std::isfinite(psi)) {
    throw base::InputError(
        problem.place,
        fmt::format(
            "there is no information at all about some of {}: the Fisher information stays "
            "singular for every design that was tried. Observe something else, or vary more.",
            base::listing(search.interest().names)));
  }
  result.violation = best.violation;
  result.interrupted = search.stopped();
  result.interest = search.interest().names;
  const auto information_at = [&](const SelectionProblem& of, const VectorXd& w, bool with) {
    const Scenario& s = of.scenarios.front();
    VectorXd weight = VectorXd::Zero(s.rows.rows());
    for (Index i = 0; i < w.size() && with; ++i) {
      for (const int row : candidates.list[static_cast<std::size_t>(i)].rows) weight[row] += w[i];
    }
    const MatrixXd weighted = weight.cwiseSqrt().asDiagonal() * s.rows;
    return MatrixXd(s.known + math::gram(weighted));
  };
  const bool predicts = problem.criterion == CriterionKind::kPrediction;
  const auto measures_at = [&](const SelectionProblem& of, const VectorXd& w,
                               bool with) -> std::optional<DesignMeasures> {
    const MatrixXd M = information_at(of, w, with);
    const MatrixXd& K = of.scenarios.front().K;
    if (predicts) {
      DesignMeasures m;
      m.trace_C = covariance_of(M, K).trace();
      if (!std::isfinite(m.trace_C)) return {};
      m.psi = std::log(m.trace_C);
      m.log_det_M = m.lambda_min = m.trace_M = m.max_sd = m.condition = std::nan("");
      return m;
    }
    const MatrixXd I = information_of(M, K);
    const double value =
        with ? selection_value(of, w) : evaluate_criterion(problem.criterion, I).psi;
    if (!std::isfinite(value)) return {};
    return design_search::measures_of(I, value);
  };
  result.known = measures_at(final_problem, weights, false);
  result.start = measures_at(at_start, start_weights, true);
  result.design = *measures_at(final_problem, weights, true);
  if (!predicts) {
    result.information = information_of(information_at(final_problem, weights, true),
                                        final_problem.scenarios.front().K);
  }

  // Deviations of all parameters, in their units.
  {
    const auto np = static_cast<Index>(search.point().size());
    const VectorXd slope = search.shared().derivatives(search.point());
    const VectorXd value = search.shared().values(search.point());
    Interest all;
    all.by_p = slope.asDiagonal();
    std::vector<int> copies;
    for (const auto& planned : problem.planned) {
      copies.push_back(problem.choose_copies > 0 ? 1 : planned.copies);
    }
    const auto sds = [&](const design_search::Linearized& blocks, const VectorXd& w, bool with) {
      const Scenario s = make_scenario(search.known(), blocks.front(), copies, all);
      return design_search::deviations(s, with ? w : VectorXd(VectorXd::Zero(w.size())),
                                       candidates);
    };
    const VectorXd known = sds(best.blocks, weights, false),
                   start = sds(given, start_weights, true), after = sds(best.blocks, weights, true);
    for (Index i = 0; i < np; ++i) {
      const std::string& name = search.shared().estimate(static_cast<int>(i)).parameter;
      result.sds.push_back(
          {.parameter = name,
           .value = value[i],
           .of_interest = std::ranges::find(result.interest, name) != result.interest.end(),
           .known = known[i],
           .start = start[i],
           .design = after[i]});
    }
  }

  for (std::size_t i = 0; i < d.size(); ++i) {
    const auto& v = space.variables()[i];
    result.variables.push_back(
        {.name = v.name, .lower = v.lower, .upper = v.upper, .start = v.initial, .value = d[i]});
  }
  for (std::size_t i = 0; i < candidates.list.size(); ++i) {
    const auto at = static_cast<Index>(i);
    const bool is_fixed = !result.selection.has_value();
    result.chosen.push_back({.experiment = candidates.experiment[i],
                             .label = candidates.label[i],
                             .t = candidates.list[i].position,
                             .weight = is_fixed ? weights[at] : result.selection->weights[at],
                             .count = weights[at],
                             .gain = is_fixed ? std::nan("") : result.selection->gains[at]});
  }
  for (std::size_t e = 0; e < problem.planned.size(); ++e) {
    auto description = space.experiment(static_cast<int>(e), d);
    set_samples(problem.planned[e], static_cast<int>(e), candidates, weights, description);
    result.experiments.push_back(std::move(description));
    result.inputs.push_back(space.inputs(static_cast<int>(e), d));
    int copies = problem.planned[e].copies;
    if (problem.choose_copies > 0) {
      copies = 0;
      for (std::size_t i = 0; i < candidates.list.size(); ++i) {
        if (candidates.experiment[i] == static_cast<int>(e)) {
          copies = static_cast<int>(std::lround(weights[static_cast<Index>(i)]));
        }
      }
    }
    result.copies.push_back(copies);
  }
  result.linearizations = search.linearizations();
  return result;
}

}  // namespace parfait::estimate
