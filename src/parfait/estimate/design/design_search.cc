#include "parfait/estimate/design/design_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/base/error.h"
#include "parfait/estimate/fit/fit.h"
#include "parfait/estimate/fit/synthesize.h"
#include "parfait/estimate/problem/check_problem.h"
#include "parfait/expr/formula.h"
#include "parfait/expr/scope.h"
#include "parfait/math/dense_solves.h"
#include "parfait/math/quantiles.h"
#include "parfait/math/scrambled_sobol.h"

namespace parfait::estimate::design_search {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

Search::Search(const DesignProblem& problem, const DesignCallbacks& callbacks)
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

std::vector<PlannedBlock> Search::linearize(const DesignSpace& space, const std::vector<double>& d,
                                            int s, const Linearized* along) const {
  const auto at = static_cast<std::size_t>(s);
  std::vector<PlannedBlock> blocks;
  for (std::size_t e = 0; e < space.planned().size(); ++e) {
    blocks.push_back(linearize_planned(space.planned()[e], space.experiment(static_cast<int>(e), d),
                                       shared_, points_[at], options_,
                                       along != nullptr ? &(*along)[at][e].steps : nullptr));
    ++linearizations_;
  }
  return blocks;
}

Linearized Search::linearize(const DesignSpace& space, const std::vector<double>& d) const {
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

Scenario Search::scenario(const std::vector<PlannedBlock>& blocks, int s) const {
  std::vector<int> copies;
  for (const auto& planned : problem_.planned) {
    copies.push_back(problem_.choose_copies > 0 ? 1 : planned.copies);
  }
  const auto at = static_cast<std::size_t>(s);
  Scenario out = make_scenario(known_[at], blocks, copies, interest_[at]);
  check_rank(out.K);
  return out;
}

LinearPlan Search::linear_plan(const DesignSpace& space, const std::vector<double>& d) const {
  return linear_plan_of(space.planned().front(), space.experiment(0, d), shared_, point(),
                        options_);
}

SwitchingCriterion Search::switching_criterion() const {
  return {
      .kind = problem_.criterion, .known = known().M, .inverse = math::inverse(interest().by_p)};
}

void Search::check_all() const {
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
          fmt::format("experiment \"{}\": a planned experiment needs <samples>.", planned.base.id));
    }
    if (problem_.choose_copies > 0 &&
        (planned.choice.of != Choice::Of::kEverything || planned.continuous)) {
      throw base::InputError(
          planned.base.place,
          fmt::format("experiment \"{}\": choose copies of experiments or their samples, not both.",
                      planned.base.id));
    }
    auto& empty = all.experiments.emplace_back(planned.base);
    empty.data = sample_table(*empty.samples, empty.data.time, empty.observations);
  }
  check(all);
}

void Search::check_newton() const {
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

void Search::check_rank(const MatrixXd& K) const {
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

KnownInformation Search::known_at(const VectorXd& p) const {
  const Index np = p.size();
  KnownInformation known{.M = MatrixXd::Zero(np, np), .equations = MatrixXd(0, np)};
  Problem at = problem_.known;
  for (Index i = 0; i < np; ++i) {
    at.estimates[static_cast<std::size_t>(i)].initial = shared_.value_of(static_cast<int>(i), p[i]);
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

Interest Search::interest_at(const VectorXd& p) const {
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

void Search::add_robust_points() {
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

}  // namespace parfait::estimate::design_search
