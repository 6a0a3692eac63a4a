#pragma once

#include <Eigen/Core>
#include <vector>

#include "parfait/dynamics/rest_point.h"

namespace parfait::dynamics {

/// A point on the way to an equilibrium, and the steps that lead on. x = (xi, e) are displacements
/// in the tangent space, r(x) the flow in honey (RestPoint::drift), J its derivative. External
/// states (all of an ODE) are counted in units of their own, so that a model in nanomoles comes to
/// rest as one in moles does; coordinates of a mechanism are metres and radians.
///
/// See  docs/theory/modes.md (E2-E5)
class EquilibriumPath {
 public:
  EquilibriumPath(const System& system, const Workspace& ws, double t, double projection_tolerance);

  /// Goes to a point and linearizes there.
  Status begin(const Eigen::VectorXd& y, const Eigen::VectorXd& z);

  /// An implicit step of the flow, (drag I - J) dx = r, with as little drag as its prediction
  /// allows. False if even the shortest step is not as predicted.
  bool relax();
  /// A damped Newton step -J^-1 r, which also goes to unstable equilibria. False likewise.
  bool step_newton();
  /// A small step along the fastest growing direction.
  bool push();
  /// After each step: linearizes at the new point.
  Status linearize();

  const RestPoint& point() const { return point_; }
  /// Largest |dx| / (unit + |x|) of a full Newton step: what is left to correct. The unit of a
  /// coordinate is 1, that of an external state a thousandth of its size on the way.
  double correction() const { return left_; }
  /// Largest |y| in units.
  double size() const;
  /// Growth rate of the fastest growing direction of the flow that does not swing; 0 if none grows.
  double growth() const { return growth_; }
  /// Whether something moves that no displacement can bring to rest, and what.
  bool falls() const { return (falling_.array() != 0).any(); }
  Eigen::VectorXd falling() const { return units_.cwiseProduct(falling_); }
  /// Right null space of J.
  Eigen::MatrixXd neutral() const { return units_.asDiagonal() * N_; }

  /// -J^-1 dr for the part of dr that J can change, and what of dx the flow keeps (E6).
  Eigen::MatrixXd response(const Eigen::MatrixXd& dr) const;
  Eigen::MatrixXd kept(const Eigen::MatrixXd& dx) const;
  Status drift_of(const Eigen::MatrixXd& drates, const Eigen::MatrixXd& dresidual,
                  Eigen::MatrixXd& drift) {
    return point_.drift_of(drates, dresidual, drift);
  }
  Status coordinates_of(const Eigen::MatrixXd& dy, Eigen::MatrixXd& x) {
    return point_.coordinates_of(dy, x);
  }

  int evaluations() const { return point_.evaluations() + trial_.evaluations(); }

 private:
  void set_units();
  double measure(const Eigen::VectorXd& x, double unit_of_states = 1) const;
  Eigen::MatrixXd newton_matrix() const;
  bool is_noise(const Eigen::VectorXd& neutral_part) const;
  Eigen::VectorXd without_noise(const Eigen::VectorXd& r) const;
  bool try_step(const Eigen::VectorXd& x);

  RestPoint point_, trial_;
  // All in units from here on: x, r and J of the point are units x, units r, units J units^-1.
  Eigen::VectorXd units_;       ///< of x; empty until the first linearize()
  std::vector<bool> has_unit_;  ///< of the external states
  Eigen::MatrixXd J_;           ///< dr/dx at the point
  Eigen::MatrixXd N_;           ///< neutral directions: J N = 0
  Eigen::MatrixXd Q_;           ///< takes from r what J cannot change
  Eigen::MatrixXd fill_;        ///< makes J regular
  Eigen::VectorXd r_, newton_, falling_, growing_;
  double scale_ = 1;     ///< of J
  double strength_ = 1;  ///< of J or of r, whichever is more
  double correction_ = 0, left_ = 0;
  double growth_ = 0;
};

}  // namespace parfait::dynamics
