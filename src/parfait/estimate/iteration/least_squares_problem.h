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
    double infeasibility = 0;           ///< largest |r2|, or violation of r3
    double relative_infeasibility = 0;  ///< the same beside the size of what must match
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

  /// damp() includes the curvature of the residuals that steps have shown since this was switched
  /// on, where it predicts better than none.
  virtual void set_curved(bool /*on*/) {}
  /// The problem of the last linearize() again, without damping; the last point stays what it is.
  virtual void damp_no_more() { (void)damp(0); }
  /// What the model of damp(), without damping, says of the objective after increment().
  virtual double model_objective() { return remainder().squaredNorm(); }
  virtual bool has_inequalities() const { return false; }
  /// J1 is the derivative of r1, so that tests of increments at trial points mean something. Of a
  /// likelihood only J1^T r1 is the gradient.
  virtual bool has_natural_level() const { return true; }
  /// Increments take no notice of inequalities; into_bounds() does.
  virtual void set_unbounded(bool /*on*/) {}
  /// x moved to where bounds hold exactly, for points that rounding or back projection left
  /// outside.
  virtual Eigen::VectorXd into_bounds(VecIn x) const = 0;

  /// The longest t <= 1 for which x + t dx may be trusted whatever the linear problem says: an
  /// exponential has forgotten its linearization after a few powers of ten.
  virtual double longest_step(VecIn /*dx*/) const { return 1; }
  /// -J+ (0, r2) with J of the last linearize() and the equations of the last evaluate(): what
  /// their curvature left of a step.
  virtual Eigen::VectorXd correction() { return Eigen::VectorXd::Zero(num_variables()); }

  /// A step of the unknowns that enter the noise of a likelihood alone, to where they are best
  /// while everything else stays: the one for the last linearize(). Zero: there are none.
  virtual Eigen::VectorXd noise_increment() { return Eigen::VectorXd::Zero(num_variables()); }

  /// The point an iteration continues from instead of x: consistent variants move states onto their
  /// manifold. Not part of omega or of any test.
  virtual Eigen::VectorXd adopt(VecIn x) { return x; }

  /// Relative accuracy of the values: the tolerance of an integrator; 0: rounding.
  virtual double noise() const { return 0; }

  /// |dx| is the length of weights() times dx. Found at the first linearize() of a fit, so that
  /// units do not matter, and constant from then on; empty: all 1.
  virtual const Eigen::VectorXd& weights() const {
    static const Eigen::VectorXd kNone;
    return kNone;
  }
  /// What the last linearize() says about its own increment: what it is worth, and how well each
  /// unknown is known. Not `known`: the length of the increment alone decides when to stop.
  struct Precision {
    bool known = false;
    bool of_squares = true;  ///< the objective is of the order of squared residuals
    /// What the linear model promises: objective - model objective after the increment.
    double decrease = 0;
    /// sd = beta deviation; NaN: no degrees of freedom, or no such thing in this norm.
    double beta = 0;
    /// A decrease that is one standard deviation, in one direction (beta^2 for sums of squares).
    double unit = 0;
    int degrees_of_freedom = 0;
    double misfit = 0;          ///< the residuals in the norm of the problem
    double data = 0;            ///< |y/sigma| of all data: their rounding errors are eps of it
    Eigen::VectorXd deviation;  ///< for data of unit variance; infinite: not determined
    Eigen::VectorXd size;       ///< of each unknown: changes far below it do not matter
  };
  /// |dx|.
  double norm(VecIn dx) const {
    return weights().size() > 0 ? weights().cwiseProduct(dx).norm() : dx.norm();
  }
  /// `with_deviations`: otherwise only what costs little.
  virtual Precision precision(VecIn /*x*/, bool /*with_deviations*/) { return {}; }

  virtual int rank() const = 0;
  virtual int num_free() const = 0;
  virtual double condition() const = 0;
};

}  // namespace parfait::estimate
