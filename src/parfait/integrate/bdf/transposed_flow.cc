#include "parfait/integrate/bdf/transposed_flow.h"

#include <algorithm>

namespace parfait::integrate {

using dynamics::ConstVec;
using dynamics::Status;
using dynamics::Vec;

TransposedFlow::TransposedFlow(const dynamics::System& system, const dynamics::Workspace& workspace,
                               Stepper& curve)
    : system_(system),
      curve_(curve),
      ny_(system.sizes().ny()),
      nz_(system.sizes().nz),
      pulling_(system.make_bound_copy(workspace, math::kLanes)),
      differentiating_(system.make_bound_copy(workspace, ny_ + nz_)),
      y_(ny_),
      z_(nz_),
      f_(ny_),
      h_(nz_),
      z_bar_(nz_),
      nothing_(ny_),
      unit_y_(ny_, ny_ + nz_),
      unit_z_(nz_, ny_ + nz_),
      df_(ny_, ny_ + nz_),
      dh_(nz_, ny_ + nz_) {
  system.clear_parameter_adjoint(*pulling_);
  for (int i = 0; i < ny_; ++i) unit_y_(i, i) = 1;
  for (int i = 0; i < nz_; ++i) unit_z_(i, ny_ + i) = 1;
}

dynamics::Point TransposedFlow::point() const {
  return {.t = std::min(t_, piece_->latest), .y = y_, .z = z_, .mode = piece_->mode, .offset = {}};
}

Status TransposedFlow::move_to(double t, const TapePiece& piece) {
  t_ = t;
  piece_ = &piece;
  Status status = curve_.state(t, y_);
  if (status == Status::kOk && nz_ > 0) status = curve_.algebraic(t, z_);
  return status;
}

Status TransposedFlow::differentiate() {
  const Status status = system_.evaluate(*differentiating_, point(), f_, h_);
  if (status != Status::kOk) return status;
  system_.directions(*differentiating_,
                     {.dt = {}, .dy = &unit_y_, .dz = nz_ > 0 ? &unit_z_ : nullptr}, df_,
                     nz_ > 0 ? &dh_ : nullptr);
  f_u_.resize(ny_, ny_ + nz_);
  h_u_.resize(nz_, ny_ + nz_);
  for (int j = 0; j < ny_ + nz_; ++j) {
    for (int i = 0; i < ny_; ++i) f_u_(i, j) = df_(i, j);
    for (int i = 0; i < nz_; ++i) h_u_(i, j) = dh_(i, j);
  }
  return f_u_.allFinite() && h_u_.allFinite() ? Status::kOk : Status::kNotFinite;
}

Status TransposedFlow::pull(ConstVec lambda, ConstVec zbar, Vec ybar) {
  Status status = system_.evaluate(*pulling_, point(), f_, h_);
  if (status != Status::kOk) return status;
  std::ranges::fill(z_bar_, 0.0);
  std::ranges::copy(zbar, z_bar_.begin());
  dynamics::Pulled to{.t = 0, .y = ybar, .z = z_bar_};
  std::ranges::fill(h_, 0.0);
  system_.pull_back(*pulling_, lambda, h_, to);
  if (nz_ == 0) return status;
  status = differentiate();
  if (status != Status::kOk) return status;
  const math::PivotedQr h_z(h_u_.rightCols(nz_).transpose());
  if (!h_z.is_regular()) return Status::kSingular;
  const Eigen::VectorXd nu = -h_z.solve(Eigen::Map<const Eigen::VectorXd>(z_bar_.data(), nz_));
  std::ranges::fill(nothing_, 0.0);
  dynamics::Pulled rest{.t = 0, .y = ybar, .z = {}};
  system_.pull_back(*pulling_, nothing_, {nu.data(), static_cast<std::size_t>(nz_)}, rest);
  return status;
}

Status TransposedFlow::jacobian(Eigen::MatrixXd& J) {
  const Status status = differentiate();
  if (status != Status::kOk) return status;
  J = f_u_.leftCols(ny_);
  if (nz_ == 0) return status;
  const math::PivotedQr h_z(h_u_.rightCols(nz_));
  if (!h_z.is_regular()) return Status::kSingular;
  const Eigen::MatrixXd dz_dy = h_z.solve(h_u_.leftCols(ny_));
  J -= f_u_.rightCols(nz_) * dz_dy;
  return status;
}

}  // namespace parfait::integrate
