#pragma once

#include <memory>
#include <vector>

#include "parfait/integrate/bdf/sundials_support.h"
#include "parfait/integrate/stepping/flow.h"

namespace parfait::integrate {

/// The system of a flow as SUNDIALS sees it: one vector u = (y, z), the values F = (f, h) at (t,
/// u), and columns S = du for the directions.
///
/// The Jacobian dF/du has its own workspace, bound to the same parameters: its directions are unit
/// vectors and their number is that of the unknowns, whatever the user's directions are.
class BdfEquations {
 public:
  BdfEquations(Flow& flow, int num_directions);

  Flow& flow() const { return flow_; }
  int ny() const { return ny_; }
  int nz() const { return nz_; }
  int size() const { return ny_ + nz_; }
  int num_directions() const { return dy_.count(); }

  dynamics::Status evaluate(double t, const double* u, double* F);
  /// dF = F_u S + F_p dp, column by column.
  dynamics::Status directions(double t, const double* u, const N_Vector* S, N_Vector* dF);
  /// dF/du, column-major.
  dynamics::Status jacobian(double t, const double* u, double* J);
  /// dh/dt = h_t + h_y f along the solution with z held (nz values).
  dynamics::Status residual_rate(double t, const double* u, const double* f, double* rate);
  /// Brings y onto the invariants.
  dynamics::Status project(double t, double* y);
  /// The last status of the above that was not kOk, since it was cleared.
  dynamics::Status failure() const { return failure_; }
  void clear_failure() { failure_ = dynamics::Status::kOk; }
  /// The mode or the parameters may have changed: values kept from before do not hold.
  void forget() { is_known_ = false; }

  /// w_i = 1 / (rtol_i |u_i| + atol_i).
  void weights(const double* u, double* w) const;
  /// max_i |x_i| / (|u_i| + atol_i / rtol_i): a change x of u, relative to u. 1 / this is the scale
  /// of a direction in which its sensitivities are as large as u, and as accurate (atol).
  double relative_size(const double* x, const double* u) const;

 private:
  dynamics::Point point(double t, const double* u) const;
  dynamics::Status noted(dynamics::Status status);
  dynamics::Status evaluate_in(dynamics::Workspace& ws, double t, const double* u, double* F);

  Flow& flow_;
  int ny_, nz_;
  std::vector<double> rtol_, atol_;
  dynamics::Status failure_ = dynamics::Status::kOk;

  // Where the user's workspace was evaluated last.
  bool is_known_ = false;
  double known_t_ = 0;
  std::vector<double> known_u_, scratch_;
  dynamics::Directions dy_, dz_, df_, dh_;

  std::unique_ptr<dynamics::Workspace> jacobian_workspace_;
  dynamics::Directions unit_y_, unit_z_, df_du_, dh_du_;
  dynamics::Directions along_y_, along_z_, along_f_, along_h_;  ///< one direction: time
};

}  // namespace parfait::integrate
