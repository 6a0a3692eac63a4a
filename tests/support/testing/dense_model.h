#pragma once

#include <Eigen/Dense>
#include <string>
#include <vector>

#include "parfait/mechanism/description/description.h"
#include "testing/witness_elements.h"

namespace parfait::testing_support {

/// A state y = (q, v, e) at time t, or a direction in which it moves. q holds, for every body in
/// description order, 12 numbers in the body's own coordinate choice; v their rates.
struct State {
  double t = 0;
  Eigen::VectorXd q, v, e;
};
State moved(const State& state, const State& direction, double h);

struct Solution {
  Eigen::VectorXd a, lambda;
  Eigen::VectorXd e_rate;
  int rank = 0;         ///< of G; less than its rows: a is unique, lambda has least norm
  double residual = 0;  ///< max |G a - gamma|: large if dropped rows contradict the others
};

struct DenseOptions {
  /// Rows of G whose part independent of the others is below this (relative) count as redundant.
  double rank_tolerance = 1e-9;
};

/// A described model in index-1 form, the slow and obvious way:
///
///   [ M  G^T ] [ a      ]   [ f     ]
///   [ G   0  ] [ lambda ] = [ gamma ]
///
/// M from point masses, G and gamma by differentiating the constraints g(t, q) and g_v(t, q, v)
/// with dual numbers, the system solved densely with one refinement in extended precision. It is
/// the witness the O(n) kernel is judged by and shares nothing with it but the description.
///
/// Rows   Position rows: of the bodies in order (xx yy zz xy xz yz without the released; lengths
///        are (e_i.e_i - l_i^2) / 2), of the joints, of the constraints. Then the velocity rows.
/// Cost   O(n^3) with a large factor; up to some 50 bodies.
class DenseModel {
 public:
  explicit DenseModel(const mechanism::Description& description, const Functions& functions = {},
                      DenseOptions options = {});

  int num_bodies() const { return static_cast<int>(parts_.bodies.size()); }
  int nq() const { return 12 * num_bodies(); }
  int num_position_rows() const { return num_position_rows_; }
  int num_velocity_rows() const { return num_velocity_rows_; }
  int num_rows() const { return num_position_rows_ + num_velocity_rows_; }
  std::vector<std::string> row_names() const;
  int body_index(const std::string& id) const;
  const WitnessParts& parts() const { return parts_; }
  const DenseOptions& options() const { return options_; }

  State initial_state() const { return initial_; }

  const Eigen::MatrixXd& M() const { return M_; }
  /// Position rows.
  Eigen::VectorXd g(double t, const Eigen::VectorXd& q) const;
  /// Rates of the position rows (G v + g_t), then the velocity rows: all zero in a consistent
  /// state.
  Eigen::VectorXd g_velocity(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v) const;
  /// dg/dq over dg_v/dv.
  Eigen::MatrixXd G(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v) const;
  Eigen::VectorXd gamma(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v) const;
  Eigen::VectorXd f(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                    const Eigen::VectorXd& e) const;

  Solution solve(const State& state) const;
  /// With gamma + addition: the second derivative of relaxed constraints (K eq. 8.7).
  Solution solve(const State& state, const Eigen::VectorXd& gamma_addition) const;

  // What projections need: c = (g, g_velocity) as functions of x = (q, v).
  Eigen::MatrixXd dg_dq(double t, const Eigen::VectorXd& q) const;
  Eigen::MatrixXd dc_dx(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v) const;
  /// Sum of weight_j times the Hessian of g_j.
  Eigen::MatrixXd hessian_g(double t, const Eigen::VectorXd& q,
                            const Eigen::VectorXd& weight) const;
  /// Sum of weight_j times the Hessian of c_j in (q, v).
  Eigen::MatrixXd hessian_c(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                            const Eigen::VectorXd& weight) const;

  /// World position of a point of a body; linear in q, so rates give velocities and so on.
  Eigen::Vector3d point(int body, const Eigen::Vector3d& r, const Eigen::VectorXd& q) const;
  Eigen::Vector3d direction(int body, const Eigen::Vector3d& r, const Eigen::VectorXd& q) const;
  Eigen::Vector3d center(int body, const Eigen::VectorXd& q) const;
  double kinetic_energy(const Eigen::VectorXd& v) const { return 0.5 * v.dot(M_ * v); }
  /// Gravity and springs; other forces have none.
  double potential_energy(const Eigen::VectorXd& q) const;
  Eigen::Vector3d momentum(const Eigen::VectorXd& v) const;
  /// About the origin of the world.
  Eigen::Vector3d angular_momentum(const Eigen::VectorXd& q, const Eigen::VectorXd& v) const;

 private:
  WitnessParts parts_;
  Functions functions_;
  DenseOptions options_;
  State initial_;
  Eigen::MatrixXd M_;
  int num_position_rows_ = 0;
  int num_velocity_rows_ = 0;
};

/// Rows of A that are independent of those chosen before, by pivoted QR with a relative tolerance.
std::vector<int> independent_rows(const Eigen::MatrixXd& A, double tolerance);

/// The motion by `steps` classical Runge-Kutta steps without projection: for short spans only.
State dense_motion(const DenseModel& model, State state, double until, int steps);

}  // namespace parfait::testing_support
