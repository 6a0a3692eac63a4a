#include "parfait/estimate/design/design_objective.h"

#include <tbb/parallel_for.h>

#include <cmath>

#include "parfait/math/dense_solves.h"

namespace parfait::estimate::design_search {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// Step of the central differences, in units of the range of a variable.
constexpr double kStep = 1e-4;
/// Where saturation has left less than 1e-5 (arctan) of the range.
constexpr double kFarSaturated = 1e4;

}  // namespace

MatrixXd information_with(const Scenario& scenario, const VectorXd& weights,
                          const Candidates& candidates) {
  VectorXd weight = VectorXd::Zero(scenario.rows.rows());
  for (Index i = 0; i < weights.size(); ++i) {
    for (const int row : candidates.list[static_cast<std::size_t>(i)].rows) {
      weight[row] += weights[i];
    }
  }
  const MatrixXd rows = weight.cwiseSqrt().asDiagonal() * scenario.rows;
  return scenario.known + math::gram(rows);
}

std::vector<double> DesignObjective::place(const VectorXd& u) const {
  std::vector<double> d(static_cast<std::size_t>(u.size()));
  for (std::size_t i = 0; i < d.size(); ++i) {
    const auto& v = space_.variables()[i];
    const double at = saturated(v.saturation, u[static_cast<Index>(i)]);
    d[i] = at >= 1 && at < 1 + 1e-12 ? v.upper : v.lower + (v.upper - v.lower) * at;
  }
  return d;
}

VectorXd DesignObjective::unit(const std::vector<double>& d) const {
  VectorXd u(std::ssize(d));
  for (std::size_t i = 0; i < d.size(); ++i) {
    const auto& v = space_.variables()[i];
    u[static_cast<Index>(i)] = unsaturated(v.saturation, (d[i] - v.lower) / (v.upper - v.lower));
  }
  return u;
}

void DesignObjective::describe(BoxProblem& problem) const {
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

Outcome DesignObjective::outcome(const std::vector<double>& d, bool keep,
                                 const Linearized* along) const {
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
      inequalities.insert(inequalities.end(), block.inequalities.begin(), block.inequalities.end());
    }
    const Scenario scenario = search_.scenario(blocks, s);
    const MatrixXd M = information_with(scenario, weights_, candidates_);
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

double DesignObjective::psi(const Outcome& outcome, double sharpness) const {
  if (!outcome.exists) return kNever;
  if (search_.problem().criterion == CriterionKind::kPrediction) return outcome.prediction;
  double sum = 0;
  for (const MatrixXd& M : outcome.information) {
    sum += evaluate_criterion(search_.problem().criterion, M, sharpness).psi;
  }
  return sum / static_cast<double>(outcome.information.size());
}

BoxPoint DesignObjective::point(const Outcome& outcome, double sharpness,
                                const VectorXd& scale) const {
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

BoxSlope DesignObjective::slope(const VectorXd& u, const Outcome& here, double sharpness,
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

}  // namespace parfait::estimate::design_search
