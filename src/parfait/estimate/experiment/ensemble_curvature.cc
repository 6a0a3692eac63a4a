#include <algorithm>
#include <cmath>

#include "parfait/estimate/experiment/ensemble.h"

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

bool Ensemble::has_inequalities() const {
  return std::ranges::any_of(blocks_, [](const Block& block) { return block.E.rows() > 0; });
}

/// The longest columns so far (as J. J. More, 1978).
void Ensemble::update_damping_scales() {
  const ColumnScales& now = linear_.scales();
  ColumnScales& D = curved_.damping;
  if (D.xi.empty()) {
    D = now;
    return;
  }
  D.p = D.p.cwiseMax(now.p);
  for (std::size_t i = 0; i < now.xi.size(); ++i) D.xi[i] = D.xi[i].cwiseMax(now.xi[i]);
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

void Ensemble::learn(const std::vector<Block>& before, const VectorXd& from, VecIn to) {
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
    actual += b.squaredNorm() - blocks_[e].right.b.squaredNorm();
    predicted += b.squaredNorm() - linear.squaredNorm();
  }
  const double curved = predicted - curved_.secant.along(step);
  if (curved != predicted) {
    curved_.preferred = std::abs(curved - actual) < std::abs(predicted - actual);
  }
  curved_.secant.learn(before, blocks_, step);
}

}  // namespace parfait::estimate
