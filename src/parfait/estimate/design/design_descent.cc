#include "parfait/estimate/design/design_descent.h"

#include <algorithm>
#include <cmath>

#include "parfait/math/scrambled_sobol.h"

namespace parfait::estimate::design_search {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

BoxSlope no_slope(Index variables, Index equations, Index inequalities) {
  return {.f = VectorXd::Zero(variables),
          .c = MatrixXd::Zero(equations, variables),
          .g = MatrixXd::Zero(inequalities, variables)};
}

}  // namespace

bool is_better(const Found& a, const Found& b) {
  const bool fa = a.violation <= kFeasible, fb = b.violation <= kFeasible;
  if (fa != fb) return fa;
  return fa ? a.psi < b.psi : a.violation < b.violation;
}

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

Found minimize_from(const Search& search, const DesignObjective& objective,
                    const std::vector<double>& d, int max_iterations) {
  const CriterionKind kind = search.problem().criterion;
  std::vector<double> sharpness = {0};
  if (kind == CriterionKind::kE || kind == CriterionKind::kMaxSd) sharpness = {8, 64, 0};
  Found found;
  found.d = d;
  VectorXd u = objective.unit(d);
  VectorXd scale;
  Index num_equations = 0, num_inequalities = 0;
  {
    const Outcome first = objective.outcome(d, true);
    found.exists = first.exists;
    found.why = first.why;
    if (!first.exists) return found;
    num_equations = first.equations.size();
    num_inequalities = first.inequalities.size();
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
      // Stopped meanwhile: the search is left before it goes anywhere along it.
      if (!last.exists) return no_slope(v.size(), num_equations, num_inequalities);
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

}  // namespace parfait::estimate::design_search
