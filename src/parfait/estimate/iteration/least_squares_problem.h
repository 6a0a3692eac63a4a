#pragma once

#include <Eigen/Core>
#include <string>

#include "parfait/estimate/linear/block.h"

namespace parfait::estimate {

/// A constrained nonlinear least squares problem as the Gauss-Newton iteration sees it:
///
///   min |r1(x)|   s.t.   r2(x) = 0,   r3(x) >= 0,        x scaled, so that |dx| means something.
///
/// The iteration never sees a Jacobian. It asks for the increment -J(x_k)+ r(x) at the point x_k
/// itself and at trial points; how J is condensed and factorized is the problem's business.
class LeastSquaresProblem {
 public:
  struct Values {
    bool exists = false;   ///< false: not to be had; why() says it
    bool defined = false;  ///< r exists (but the linear problem may have no solution)
    double objective = 0;  ///< sum of squared weighted residuals, or the value of another norm
    /// Objective - |r1|^2; 0 unless the objective is a likelihood. Then, too, J1^T r1 is half its
    /// gradient at the point of linearize(), and offset + |r1 + J1 dx|^2 its linear prediction.
    double offset = 0;
    double infeasibility = 0;  ///< largest |r2|, or violation of r3
  };
  virtual ~LeastSquaresProblem() = default;

  virtual int num_variables() const = 0;
  /// r at x.
  virtual Values evaluate(VecIn x) = 0;
  /// r and J at x, factorized. exists = false also if the linear problem has no solution.
  virtual Values linearize(VecIn x) = 0;
  virtual std::string why() const = 0;

  /// -J+ r with r of the last evaluate() or linearize(), J of the last linearize().
  virtual Eigen::VectorXd increment() = 0;
  /// r1 + J1 dx of the last linearize() at its own increment: what the data leave over.
  virtual Eigen::VectorXd remainder() = 0;
  /// -J+ (r1, 0) with J of the last linearize(), for kappa.
  virtual Eigen::VectorXd increment_of(VecIn r1) = 0;

  /// The linear problem of the last linearize() with lambda D^2 |dx|^2 added to the squares, D a
  /// constant that makes lambda = 1 comparable to the data; lambda = 0: as it was. increment() and
  /// remainder() then belong to it, if the last point is the one of linearize(): after trials it
  /// must be evaluated again. False: it has no solution.
  [[nodiscard]] virtual bool damp(double lambda) = 0;

  /// x moved to where bounds hold exactly, for points that rounding or back projection left
  /// outside.
  virtual Eigen::VectorXd into_bounds(VecIn x) const = 0;

  /// The point an iteration continues from instead of x: consistent variants move states onto their
  /// manifold. Not part of omega or of any test.
  virtual Eigen::VectorXd adopt(VecIn x) { return x; }

  /// Relative accuracy of the values: the tolerance of an integrator; 0: rounding.
  virtual double noise() const { return 0; }

  virtual int rank() const = 0;
  virtual int num_free() const = 0;
  virtual double condition() const = 0;
};

}  // namespace parfait::estimate
