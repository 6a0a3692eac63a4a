#include <algorithm>
#include <cmath>

#include "parfait/estimate/experiment/ensemble.h"
#include "parfait/math/dense_solves.h"

// Steps with the curvature of the residuals. docs/theory/gauss_newton.md, G13-G15.
namespace parfait::estimate {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// Beyond this dense steps cost more than they are worth.
constexpr int kMostVariables = 300;

}  // namespace

void Ensemble::set_curved(bool on) {
  curved_ = {};
  curved_.on = on;
}

bool Ensemble::is_curved() const {
  return curved_.on && options_.norm == Norm::kL2 &&
         estimate::num_variables(blocks_) <= kMostVariables && !curved_.damping.xi.empty();
}

/// Far from a minimum the steps of Gauss-Newton pass local minima of a likelihood in which those
/// with curvature end; near one they crawl where it is flat.
bool Ensemble::prefers_curvature() {
  if (!curved_.preferred || !is_likelihood_) return curved_.preferred;
  constexpr double kNear = 1;  // of -2 log L: a standard deviation, in one direction
  double promise = -remainder().squaredNorm();
  for (const Block& block : blocks_) promise += block.right.b.squaredNorm();
  return promise <= kNear;
}

bool Ensemble::has_inequalities() const {
  return std::ranges::any_of(blocks_, [](const Block& block) { return block.E.rows() > 0; });
}

/// The longest columns so far (as J. J. More, 1978).
void Ensemble::update_damping_scales() {
  const ColumnScales& now = linear_.scales();
  ColumnScales& D = curved_.damping;
  // Columns of a likelihood are in units of a noise that changes: they have no history.
  if (D.xi.empty() || is_likelihood_) {
    D = now;
    return;
  }
  D.p = D.p.cwiseMax(now.p);
  for (std::size_t i = 0; i < now.xi.size(); ++i) D.xi[i] = D.xi[i].cwiseMax(now.xi[i]);
}

/// Far from the data, steps of the model are short and those of its noise, taken together with
/// them, as well; alone, they have their minimum at once (docs/theory/likelihood.md).
VectorXd Ensemble::noise_increment() {
  VectorXd dx = VectorXd::Zero(num_variables());
  if (!is_likelihood_) return dx;
  std::vector<Eigen::Index> rows(blocks_.size(), 0);  // of the noise, the last of each block
  for (int e = 0; e < num_experiments(); ++e) {
    rows[static_cast<std::size_t>(e) + 1] = experiment(e).layout().num_noise_rows;
  }
  std::vector<Eigen::Index> columns;
  for (Eigen::Index j = 0; j < shared_.size(); ++j) {
    bool alone = true, any = false;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const auto column = blocks_[i].B.col(j);
      alone = alone && column.head(column.size() - rows[i]).isZero(0);
      any = any || !column.tail(rows[i]).isZero(0);
    }
    if (alone && any) columns.push_back(j);
  }
  if (columns.empty()) return dx;
  const auto n = static_cast<Eigen::Index>(columns.size());
  MatrixXd H = MatrixXd::Zero(n, n);
  VectorXd g = VectorXd::Zero(n);
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    MatrixXd J(rows[i], n);
    for (Eigen::Index k = 0; k < n; ++k) {
      J.col(k) = blocks_[i].B.col(columns[static_cast<std::size_t>(k)]).tail(rows[i]);
    }
    H += math::gram(J);
    g += J.transpose() * blocks_[i].right.b.tail(rows[i]);
  }
  const VectorXd step = math::solve_least_squares(H, g);
  // Not for what the next step does anyway: a few units of the log-likelihood for each.
  constexpr double kWorthwhile = 4;
  if (!(g.dot(step) > kWorthwhile * static_cast<double>(n))) return dx;
  for (Eigen::Index k = 0; k < n; ++k) dx[columns[static_cast<std::size_t>(k)]] = -step[k];
  return dx;
}

void Ensemble::damp_no_more() {
  if (curved_.step) {
    curved_.step.reset();
  } else {
    const bool at_linearization = at_linearization_;
    (void)damp(0);
    at_linearization_ = at_linearization;
  }
}

double Ensemble::model_objective() {
  if (is_likelihood_) {
    return curved_.step ? objective_ - curved_.decrease : offset_ + remainder().squaredNorm();
  }
  if (!curved_.step) return objective(remainder());
  double sum = 0;
  // As condensed: with what it costs the data to close the intervals.
  for (const Block& block : blocks_) sum += block.right.b.squaredNorm();
  return sum - curved_.decrease;
}

void Ensemble::learn(const std::vector<Block>& before, const std::vector<RightSide>& here,
                     const VectorXd& from, VecIn to, double objective_before) {
  if (curved_.secant.empty()) curved_.secant.reset(blocks_);
  // Of the step that was tried last, the part that was taken.
  LinearSolution step = *curved_.step;
  const VectorXd dp = to.head(shared_.size()) - from.head(shared_.size());
  if (dp.size() > 0) {
    const VectorXd w = weights_.size() > 0 ? VectorXd(weights_.head(dp.size()))
                                           : VectorXd(VectorXd::Ones(dp.size()));
    const VectorXd taken = w.cwiseProduct(dp), tried = w.cwiseProduct(step.p);
    if (!(tried.squaredNorm() > 0)) return;
    const double t = taken.dot(tried) / tried.squaredNorm();
    if (!((taken - t * tried).norm() <= 1e-6 * taken.norm())) return;
    step.p *= t;
    for (VectorXd& xi : step.xi) xi *= t;
  }
  // Which model knew better?
  double actual = 0, predicted = 0;
  for (std::size_t e = 0; e < blocks_.size(); ++e) {
    const VectorXd& b = before[e].right.b;
    const VectorXd linear = before[e].A * step.xi[e] + before[e].B * step.p + b;
    if (!is_likelihood_) actual += b.squaredNorm() - blocks_[e].right.b.squaredNorm();
    predicted += b.squaredNorm() - linear.squaredNorm();
  }
  if (is_likelihood_) actual = objective_before - objective_;
  const double curved = predicted - curved_.secant.along(step);
  if (curved != predicted) {
    curved_.preferred = std::abs(curved - actual) < std::abs(predicted - actual);
  }
  curved_.secant.learn(before, here, blocks_, step);
}

}  // namespace parfait::estimate
