#pragma once

#include <functional>

#include "parfait/estimate/objective/minimize.h"

namespace parfait::estimate {

/// r(x) and products with its Jacobian J where it was linearized last; false: they do not exist.
struct ResidualFunction {
  std::function<bool(const Eigen::VectorXd& x, Eigen::VectorXd& r)> linearize;
  std::function<bool(const Eigen::VectorXd& v, Eigen::VectorXd& J_v)> times;
  std::function<bool(const Eigen::VectorXd& u, Eigen::VectorXd& Jt_u)> transposed_times;
  /// 1/2 |r|^2
  std::function<bool(const Eigen::VectorXd& x, double& f)> value;
};

/// A local minimum of 1/2 |r(x)|^2 within lower <= x <= upper by Gauss-Newton steps whose linear
/// problems are solved by lsmr(): J is never formed.
/// A step is halved until it leads down; unknowns at a bound whose gradient pushes out stay there,
/// others end at theirs. `scale`: sizes of the unknowns, in which the steps are short.
MinimizeResult minimize_residuals(const ResidualFunction& r, const Eigen::VectorXd& start,
                                  const Eigen::VectorXd& lower, const Eigen::VectorXd& upper,
                                  const Eigen::VectorXd& scale, const MinimizeOptions& options = {},
                                  const std::function<bool(const MinimizeStep&)>& on_step = {});

}  // namespace parfait::estimate
