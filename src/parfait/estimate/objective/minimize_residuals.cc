#include "parfait/estimate/objective/minimize_residuals.h"

#include <algorithm>
#include <cmath>

#include "parfait/estimate/linear/lsmr.h"

namespace parfait::estimate {
namespace minimizing_residuals {
namespace {

using Eigen::VectorXd;
using Outcome = MinimizeResult::Outcome;

constexpr double kArmijo = 1e-4;
constexpr int kMaxHalvings = 40;
/// Of the linear problem: steps are those of Gauss-Newton to about this.
constexpr double kLinearTolerance = 1e-12;

class Run {
 public:
  Run(const ResidualFunction& r, const VectorXd& lower, const VectorXd& upper,
      const VectorXd& scale, const MinimizeOptions& options)
      : function_(r), lower_(lower), upper_(upper), scale_(scale), options_(options) {}

  MinimizeResult from(const VectorXd& start,
                      const std::function<bool(const MinimizeStep&)>& on_step) {
    out_.x = start.cwiseMax(lower_).cwiseMin(upper_);
    if (!linearize()) return finish(Outcome::kFailed);
    double length = 0;
    const double first = projected_size();
    while (true) {
      out_.path.push_back({.iteration = out_.iterations,
                           .f = out_.f,
                           .gradient = projected_size(),
                           .length = length,
                           .evaluations = out_.evaluations,
                           .x = out_.x});
      if (on_step && !on_step(out_.path.back())) return finish(Outcome::kInterrupted);
      const auto is_small = [&](double factor) {
        return projected_size() <= factor * options_.tolerance * std::max(first, out_.f);
      };
      if (is_small(1)) return finish(Outcome::kConverged);
      if (out_.iterations >= options_.max_iterations) return finish(Outcome::kMaxIterations);
      const double before = out_.f;
      length = step(increment());
      const bool goes_down = length > 0 && linearize();
      if (goes_down) ++out_.iterations;
      if (!goes_down || before - out_.f <= 4e-16 * out_.f) {
        return finish(is_small(100) ? Outcome::kConverged : Outcome::kStalled);
      }
    }
  }

 private:
  MinimizeResult finish(Outcome outcome) {
    out_.outcome = outcome;
    return out_;
  }

  bool linearize() {
    ++out_.evaluations;
    if (!function_.linearize(out_.x, r_) || !r_.allFinite()) return false;
    out_.f = 0.5 * r_.squaredNorm();
    ++out_.evaluations;
    return function_.transposed_times(r_, out_.gradient) && out_.gradient.allFinite();
  }

  bool is_held(Eigen::Index i) const {
    return (out_.x[i] <= lower_[i] && out_.gradient[i] > 0) ||
           (out_.x[i] >= upper_[i] && out_.gradient[i] < 0);
  }
  double projected_size() const {
    double size = 0;
    for (Eigen::Index i = 0; i < out_.x.size(); ++i) {
      if (!is_held(i)) size = std::max(size, std::abs(out_.gradient[i]));
    }
    return size;
  }

  /// min |r + J d| over the unknowns that are free to move.
  VectorXd increment() {
    VectorXd units = scale_;
    for (Eigen::Index i = 0; i < units.size(); ++i) {
      if (is_held(i)) units[i] = 0;
    }
    const LinearOperator J{.rows = r_.size(),
                           .cols = units.size(),
                           .times =
                               [&](const VectorXd& v, VectorXd& Jv) {
                                 ++out_.evaluations;
                                 return function_.times(units.cwiseProduct(v), Jv);
                               },
                           .transposed_times =
                               [&](const VectorXd& u, VectorXd& Jt_u) {
                                 ++out_.evaluations;
                                 if (!function_.transposed_times(u, Jt_u)) return false;
                                 Jt_u = units.cwiseProduct(Jt_u);
                                 return true;
                               }};
    const auto n = static_cast<int>(units.size());
    return units.cwiseProduct(lsmr(J, -r_, kLinearTolerance, n).x);
  }

  /// Moves x along d, or along the gradient where the bounds leave nothing of d; how much of it.
  double step(const VectorXd& d) {
    const VectorXd x = out_.x;
    for (const VectorXd& way : {d, VectorXd(-scale_.cwiseAbs2().cwiseProduct(out_.gradient))}) {
      double alpha = 1;
      for (int i = 0; i < kMaxHalvings; ++i, alpha *= 0.5) {
        const VectorXd next = (x + alpha * way).cwiseMax(lower_).cwiseMin(upper_);
        const double slope = out_.gradient.dot(next - x);
        if (!(slope < 0)) break;
        double f = 0;
        ++out_.evaluations;
        if (!function_.value(next, f) || !(f <= out_.f + kArmijo * slope)) continue;
        out_.x = next;
        return alpha;
      }
    }
    return 0;
  }

  const ResidualFunction& function_;
  const VectorXd& lower_;
  const VectorXd& upper_;
  const VectorXd& scale_;
  MinimizeOptions options_;
  VectorXd r_;
  MinimizeResult out_;
};

}  // namespace
}  // namespace minimizing_residuals

MinimizeResult minimize_residuals(const ResidualFunction& r, const Eigen::VectorXd& start,
                                  const Eigen::VectorXd& lower, const Eigen::VectorXd& upper,
                                  const Eigen::VectorXd& scale, const MinimizeOptions& options,
                                  const std::function<bool(const MinimizeStep&)>& on_step) {
  return minimizing_residuals::Run(r, lower, upper, scale, options).from(start, on_step);
}

}  // namespace parfait::estimate
