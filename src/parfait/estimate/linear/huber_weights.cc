#include "parfait/estimate/linear/huber_weights.h"

#include <algorithm>
#include <cmath>

#include "parfait/estimate/linear/active_rows.h"

namespace parfait::estimate {

using Eigen::Index;
using Eigen::VectorXd;
using Status = LinearFit::Status;

namespace {

constexpr int kMaxIterations = 200;
/// Least curvature of outliers, which have none: large enough for the rank.
constexpr double kLeastCurvature = 1e-6;

using Vectors = std::vector<VectorXd>;

Vectors residuals(std::span<const Block> blocks, std::span<const RightSide> rights,
                  const LinearSolution& solution) {
  Vectors result;
  for (std::size_t e = 0; e < blocks.size(); ++e) {
    result.emplace_back(blocks[e].A * solution.xi[e] + blocks[e].B * solution.p + rights[e].b);
  }
  return result;
}

/// Weights with which squares of the residuals themselves have the gradient of rho.
void set_weights(const Vectors& r, double gamma, std::vector<RowsInForce>& rows) {
  for (std::size_t e = 0; e < r.size(); ++e) {
    rows[e].weight = (gamma / r[e].array().abs().max(gamma)).sqrt();
  }
}

/// Weights and right-hand sides of squares that have the gradient of rho, and for outliers `theta`
/// times the curvature of those above: 1 never overestimates a step, 0 is Newton's method.
std::vector<RightSide> quadratic_model(std::span<const RightSide> rights, const Vectors& r,
                                       double gamma, double theta, std::vector<RowsInForce>& rows) {
  std::vector<RightSide> model(rights.begin(), rights.end());
  for (std::size_t e = 0; e < r.size(); ++e) {
    rows[e].weight.setOnes(r[e].size());
    for (Index i = 0; i < r[e].size(); ++i) {
      const double size = std::abs(r[e][i]);
      if (size <= gamma) continue;
      const double curvature = std::max(theta * gamma / size, kLeastCurvature);
      rows[e].weight[i] = std::sqrt(curvature);
      model[e].b[i] += std::copysign(gamma, r[e][i]) / curvature - r[e][i];
    }
  }
  return model;
}

/// Minimizer over 0 <= t <= 1 of sum rho(r + t (target - r)): the derivative never falls with t.
/// Where it cannot be told from the rounding of the sum the whole way is taken.
double line_minimum(const Vectors& r, const Vectors& target, double gamma) {
  double rounding = 0;
  for (const VectorXd& block : r) {
    rounding += 1e-13 * (block.array().abs().min(gamma) * (block.array().abs() + gamma)).sum();
  }
  const auto slope = [&](double t) {
    double sum = 0;
    for (std::size_t e = 0; e < r.size(); ++e) {
      const auto way = (target[e] - r[e]).array();
      sum += ((r[e].array() + t * way).max(-gamma).min(gamma) * way).sum();
    }
    return sum;
  };
  if (slope(1) <= rounding) return 1;
  double low = 0, high = 1;
  for (int i = 0; i < 50; ++i) {
    const double middle = (low + high) / 2;
    (slope(middle) <= 0 ? low : high) = middle;
  }
  return (low + high) / 2;
}

double distance(const LinearSolution& a, const LinearSolution& b) {
  double sum = (a.p - b.p).squaredNorm();
  for (std::size_t e = 0; e < a.xi.size(); ++e) sum += (a.xi[e] - b.xi[e]).squaredNorm();
  return std::sqrt(sum);
}

/// solution + t (target - solution)
void move(LinearSolution& solution, const LinearSolution& target, double t) {
  solution.p += t * (target.p - solution.p);
  for (std::size_t e = 0; e < target.xi.size(); ++e) {
    solution.xi[e] += t * (target.xi[e] - solution.xi[e]);
  }
}

}  // namespace

Status solve_huber(std::span<const Block> blocks, std::span<const RightSide> rights,
                   const LinearFitOptions& options, LinearMap& map, LinearSolution& solution) {
  const double gamma = options.huber_gamma;
  Status status = find_active_rows(blocks, rights, options, map, solution);
  if (status != Status::kSolved) return status;
  bool converged = false;
  double theta = 0.1;
  for (int iteration = 0; !converged && iteration < kMaxIterations; ++iteration) {
    const Vectors r = residuals(blocks, rights, solution);
    std::vector<RowsInForce> rows = map.rows();
    const std::vector<RightSide> model = quadratic_model(rights, r, gamma, theta, rows);
    map.set_rows(rows);
    LinearSolution target;
    status = find_active_rows(blocks, model, options, map, target);
    if (status != Status::kSolved) return status;
    converged = distance(target, solution) <= 1e-11 * (1 + norm(solution));
    // Both ends of the way obey the constraints, so every point of it does.
    const double t = line_minimum(r, residuals(blocks, rights, target), gamma);
    move(solution, target, t);
    if (t > 0.5) theta /= 10;
    if (t < 0.1) theta = std::min(1.0, 10 * theta);
  }
  if (!converged) return Status::kMaxIterations;
  std::vector<RowsInForce> rows = map.rows();
  set_weights(residuals(blocks, rights, solution), gamma, rows);
  map.set_rows(rows);
  return find_active_rows(blocks, rights, options, map, solution);
}

}  // namespace parfait::estimate
