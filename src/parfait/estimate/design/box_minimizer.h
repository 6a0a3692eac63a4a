#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <string>

namespace parfait::estimate {

/// min f(u) over a box, 0 <= u <= 1 unless it says otherwise, under c(u) = 0 and g(u) >= 0.
struct BoxPoint {
  double f = 0;          ///< infinite: it does not exist there
  Eigen::VectorXd c, g;  ///< in units in which 1 is large
};
struct BoxSlope {
  Eigen::VectorXd f;
  Eigen::MatrixXd c, g;  ///< a row per condition
};
struct BoxProblem {
  std::function<BoxPoint(const Eigen::VectorXd& u)> value;
  /// At a point whose value was asked for.
  std::function<BoxSlope(const Eigen::VectorXd& u)> slope;
  std::function<bool()> interrupted{};
  /// Hears of every point that is the best so far, but for the start.
  std::function<void(const Eigen::VectorXd& u)> on_best{};
  Eigen::VectorXd lower{}, upper{};  ///< empty: 0 and 1
  /// Steepest descent is steepest in the norm sum_i metric_i u_i^2; empty: 1.
  Eigen::VectorXd metric{};
};

enum class BoxMethod : std::uint8_t {
  kQuasiNewton,
  kGradient,  ///< steepest descent, for comparison
};

struct BoxOptions {
  BoxMethod method = BoxMethod::kQuasiNewton;
  int max_iterations = 200;  ///< of the quasi-Newton method, over all multipliers
  double tolerance = 1e-7;   ///< of the projected gradient
  double feasibility = 1e-7;
};

struct BoxResult {
  Eigen::VectorXd u;
  BoxPoint point;
  double violation = 0;  ///< the largest |c| or -g
  int iterations = 0;
  bool converged = false;
  bool feasible = false;
};

/// Projected BFGS: variables on a bound that the slope pushes against it rest, the others move
/// along the quasi-Newton direction, bent at the bounds; B is updated with Powell's damping.
/// Conditions enter as an augmented Lagrangian, whose multipliers are renewed when the inner
/// minimum is reached. Where there are none, the result is never worse than the start. See
/// docs/theory/design.md
BoxResult minimize_in_box(const BoxProblem& problem, const Eigen::VectorXd& start,
                          const BoxOptions& options = {});

}  // namespace parfait::estimate
