#pragma once

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "parfait/integrate/stepping/stepper.h"
#include "parfait/integrate/stepping/tape.h"
#include "parfait/math/dense_solves.h"

namespace parfait::integrate {

/// The linearized flow along a solution, transposed. With z as the function of y that h(t, y, z) =
/// 0 makes of it (index 1),
///
///   lambda -> f_y^T lambda + h_y^T nu,     h_z^T nu = -(f_z^T lambda + zbar)
///
/// and f_p^T lambda + h_p^T nu is added to the adjoints of parameters in the workspace.
class TransposedFlow {
 public:
  /// `curve` has the solution; `workspace` is bound to the parameters and is copied.
  TransposedFlow(const dynamics::System& system, const dynamics::Workspace& workspace,
                 Stepper& curve);

  /// Where the next calls look.
  dynamics::Status move_to(double t, const TapePiece& piece);
  dynamics::ConstVec y() const { return y_; }

  /// Adds to ybar; an empty zbar is zero. kSingular: the index is not 1.
  dynamics::Status pull(dynamics::ConstVec lambda, dynamics::ConstVec zbar, dynamics::Vec ybar);
  /// f_y - f_z h_z^-1 h_y.
  dynamics::Status jacobian(Eigen::MatrixXd& J);
  /// Where the adjoints of parameters are.
  dynamics::Workspace& workspace() { return *pulling_; }

 private:
  dynamics::Point point() const;
  /// Both blocks of rows, by y and z.
  dynamics::Status differentiate();

  const dynamics::System& system_;
  Stepper& curve_;
  int ny_, nz_;
  double t_ = 0;
  const TapePiece* piece_ = nullptr;
  std::unique_ptr<dynamics::Workspace> pulling_, differentiating_;
  std::vector<double> y_, z_, f_, h_, z_bar_, nothing_;
  dynamics::Directions unit_y_, unit_z_, df_, dh_;
  Eigen::MatrixXd f_u_, h_u_;
};

}  // namespace parfait::integrate
