#include "parfait/dynamics/rest_point.h"

#include <algorithm>
#include <cmath>

#include "parfait/base/stop.h"
#include "parfait/math/dense_solves.h"
#include "parfait/math/directions_matrix.h"
#include "parfait/math/finite.h"

namespace parfait::dynamics {
namespace {

using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kMaxDirections = 64;

Vec view(VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}
ConstVec view(const VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

}  // namespace

RestPoint::RestPoint(const System& system, const Workspace& ws, double t,
                     double projection_tolerance)
    : system_(&system),
      ws_(system.make_bound_copy(ws, kMaxDirections)),
      t_(t),
      projection_tolerance_(projection_tolerance),
      prescribed_v_(VectorXd::Zero(system.sizes().nv)),
      rates_(system.sizes().ny()),
      residual_(system.sizes().nz) {
  const auto& sizes = system.sizes();
  const auto names = system.state_names();
  const auto& parameters = system.parameters();
  for (int i = sizes.nq + sizes.nv; i < sizes.ny(); ++i) {
    const bool is_parameter = std::any_of(parameters.begin(), parameters.end(),
                                          [&](const auto& p) { return p.id == names[i]; });
    if (!is_parameter) moving_.push_back(i);
  }
}

Status RestPoint::evaluate(const VectorXd& y) {
  base::leave_if_stopped();
  ++evaluations_;
  return system_->evaluate(*ws_,
                           {.t = t_,
                            .y = view(y),
                            .z = view(z_),
                            .mode = {},
                            .offset = {.phi = {}, .dphi = {}, .ddphi = hold_}},
                           view(rates_), view(residual_));
}

/// What driven constraints ask of the accelerations at rest is G a, and g_vel is linear in v, so
/// that it is the difference of two values. Its negative as an offset holds the constraints.
Status RestPoint::hold_constraints() {
  const auto& sizes = system_->sizes();
  hold_.clear();
  if (sizes.num_vel == 0) return Status::kOk;
  const auto status = evaluate(y_);
  if (status != Status::kOk) return status;
  VectorXd moving = y_;
  moving.segment(sizes.nq, sizes.nv) = rates_.segment(sizes.nq, sizes.nv);
  std::vector<double> at_rest(sizes.num_pos + sizes.num_vel), asked(at_rest.size());
  system_->invariants(*ws_, t_, view(y_), at_rest);
  system_->invariants(*ws_, t_, view(moving), asked);
  double largest = 0;
  for (int i = sizes.num_pos; i < sizes.num_pos + sizes.num_vel; ++i) {
    hold_.push_back(at_rest[i] - asked[i]);
    largest = std::max(largest, std::abs(hold_.back()));
  }
  const double size = 1 + rates_.segment(sizes.nq, sizes.nv).lpNorm<Eigen::Infinity>();
  if (largest <= 1e-12 * size) hold_.clear();
  return status;
}

/// Newton's method, damped so that the simplified correction (dh/dz)^-1 h falls.
Status RestPoint::solve_algebraic() {
  const int nz = system_->sizes().nz;
  if (nz == 0) return Status::kOk;
  constexpr int kMaxIterations = 50;
  constexpr double kTolerance = 1e-13;
  MatrixXd h_z(nz, nz);
  auto status = evaluate(y_);
  for (int iteration = 0; status == Status::kOk && iteration < kMaxIterations; ++iteration) {
    Directions dz, drates, dresidual;
    for (int first = 0; first < nz; first += kMaxDirections) {
      const int count = std::min(kMaxDirections, nz - first);
      dz.resize(nz, count);
      drates.resize(system_->sizes().ny(), count);
      dresidual.resize(nz, count);
      for (int j = 0; j < count; ++j) dz(first + j, j) = 1;
      system_->directions(*ws_, {.dt = {}, .dy = nullptr, .dz = &dz, .dphi = nullptr}, drates,
                          &dresidual);
      math::copy(dresidual, h_z.middleCols(first, count));
    }
    const math::PivotedQr qr(h_z);
    if (!qr.is_regular()) return Status::kSingular;
    const VectorXd step = qr.solve(-residual_);
    const double size = step.cwiseAbs().maxCoeff();
    if (!std::isfinite(size)) return Status::kNotFinite;
    if (size <= kTolerance * z_.cwiseAbs().maxCoeff()) return Status::kOk;
    const VectorXd z0 = z_;
    for (double length = 1;; length /= 2) {
      z_ = z0 + length * step;
      status = evaluate(y_);
      const double next =
          status == Status::kOk ? VectorXd(qr.solve(residual_)).cwiseAbs().maxCoeff() : HUGE_VAL;
      if (next <= (1 - length / 4) * size) break;
      // Rounding, which is all that is left of z = 0, too.
      if (size <= 1e3 * kTolerance * (1 + z_.cwiseAbs().maxCoeff())) return status;
      if (length < 1e-6) return Status::kSingular;
    }
  }
  return status == Status::kOk ? Status::kSingular : status;
}

Status RestPoint::place(const VectorXd& y, const VectorXd& z, const TangentBasis* basis) {
  const auto& sizes = system_->sizes();
  y_ = y;
  z_ = z;
  y_.segment(sizes.nq, sizes.nv).setZero();
  if (sizes.num_pos + sizes.num_vel > 0) {
    const auto report = system_->project(*ws_, t_, view(y_), Norm::kMass, projection_tolerance_);
    if (report.status != Status::kOk) return report.status;
    prescribed_v_ = y_.segment(sizes.nq, sizes.nv);
    y_.segment(sizes.nq, sizes.nv).setZero();
  }
  if (basis) basis_ = *basis;
  auto status = basis ? transport_tangent_basis(*system_, *ws_, kMaxDirections, basis_)
                      : compute_tangent_basis(*system_, *ws_, kMaxDirections, basis_);
  if (status != Status::kOk) return status;
  hold_.clear();
  status = solve_algebraic();
  if (status == Status::kOk) status = hold_constraints();
  if (status == Status::kOk) status = evaluate(y_);
  if (status != Status::kOk) return status;

  drift_.resize(n_q() + n_e());
  drift_.tail(n_e()) = rates_(moving_);
  MatrixXd a = rates_.segment(sizes.nq, sizes.nv);
  status = project_columns(*system_, *ws_, kMaxDirections, StatePart::kVelocities, a);
  if (status != Status::kOk) return status;
  largest_rate_ =
      std::max(a.lpNorm<Eigen::Infinity>(), drift_.tail(n_e()).lpNorm<Eigen::Infinity>());
  if (sizes.nv > 0) {  // coordinates follow as q'(q, v) says, which is v for most systems
    VectorXd moving = y_;
    moving.segment(sizes.nq, sizes.nv) = a;
    evaluate(moving);  // of this only q' counts, which is linear in v
    MatrixXd q_rate = rates_.head(sizes.nq);
    status = project_columns(*system_, *ws_, kMaxDirections, StatePart::kCoordinates, q_rate);
    drift_.head(n_q()) = basis_.Tq.transpose() * q_rate;
  }
  if (!math::all_finite(drift_)) return Status::kNotFinite;
  return status;
}

/// Columns of T from `first` on; zero beyond the last.
void RestPoint::seed(int first, int count, Directions& dy) const {
  const int nq = system_->sizes().nq, nv = system_->sizes().nv;
  dy.resize(system_->sizes().ny(), count);
  for (int j = 0; j < count; ++j) {
    const int column = first + j;
    if (column < n_q()) {
      for (int i = 0; i < nq; ++i) dy(i, j) = basis_.Tq(i, column);
    } else if (column < n_q() + n_v()) {
      for (int i = 0; i < nv; ++i) dy(nq + i, j) = basis_.Tv(i, column - n_q());
    } else if (column < n_q() + n_v() + n_e()) {
      dy(moving_[column - n_q() - n_v()], j) = 1;
    }
  }
}

Status RestPoint::linearize() {
  const auto& sizes = system_->sizes();
  const int ny = sizes.ny(), nz = sizes.nz, n = n_q() + n_v() + n_e();
  auto status = evaluate(y_);
  if (status != Status::kOk) return status;
  // Columns: T, then z.
  MatrixXd f(ny, n + nz), h(nz, n + nz);
  Directions dy, dz, drates, dresidual;
  for (int first = 0; first < n + nz; first += kMaxDirections) {
    base::leave_if_stopped();
    const int count = std::min(kMaxDirections, n + nz - first);
    seed(first, count, dy);
    dz.resize(nz, count);
    for (int j = std::max(0, n - first); j < count; ++j) dz(first + j - n, j) = 1;
    drates.resize(ny, count);
    dresidual.resize(nz, count);
    system_->directions(*ws_, {.dt = {}, .dy = &dy, .dz = nz > 0 ? &dz : nullptr, .dphi = nullptr},
                        drates, nz > 0 ? &dresidual : nullptr);
    math::copy(drates, f.middleCols(first, count));
    if (nz > 0) math::copy(dresidual, h.middleCols(first, count));
  }
  f_z_ = f.rightCols(nz);
  h_z_ = h.rightCols(nz);
  if (nz > 0) {
    const math::PivotedQr qr(h_z_);
    if (!qr.is_regular()) return Status::kSingular;
    f.leftCols(n) -= f_z_ * qr.solve(h.leftCols(n));
  }
  if (!math::all_finite(f)) return Status::kNotFinite;

  MatrixXd q_rate = f.topLeftCorner(sizes.nq, n);
  MatrixXd a = f.block(sizes.nq, 0, sizes.nv, n);
  status = project_columns(*system_, *ws_, kMaxDirections, StatePart::kCoordinates, q_rate);
  if (status != Status::kOk) return status;
  status = project_columns(*system_, *ws_, kMaxDirections, StatePart::kVelocities, a);
  A_.resize(n, n);
  A_.topRows(n_q()) = basis_.Tq.transpose() * q_rate;
  A_.middleRows(n_q(), n_v()) = basis_.Tv.transpose() * a;
  A_.bottomRows(n_e()) = f(moving_, Eigen::seqN(0, n));
  return status;
}

MatrixXd RestPoint::drift_jacobian() const {
  const int nq = n_q(), nv = n_v(), m = n_e();
  const auto A_qv = A_.block(0, nq, nq, nv);
  MatrixXd J(nq + m, nq + m);
  J.topLeftCorner(nq, nq) = A_qv * A_.block(nq, 0, nv, nq);
  J.topRightCorner(nq, m) = A_qv * A_.block(nq, nq + nv, nv, m);
  J.bottomLeftCorner(m, nq) = A_.block(nq + nv, 0, m, nq);
  J.bottomRightCorner(m, m) = A_.block(nq + nv, nq + nv, m, m);
  return J;
}

Status RestPoint::drift_of(const MatrixXd& drates, const MatrixXd& dresidual, MatrixXd& drift) {
  const auto& sizes = system_->sizes();
  MatrixXd f = drates;
  if (sizes.nz > 0) f -= f_z_ * math::PivotedQr(h_z_).solve(dresidual);
  MatrixXd a = f.middleRows(sizes.nq, sizes.nv);
  const auto status = project_columns(*system_, *ws_, kMaxDirections, StatePart::kVelocities, a);
  drift.resize(n_q() + n_e(), f.cols());
  drift.topRows(n_q()) = A_.block(0, n_q(), n_q(), n_v()) * (basis_.Tv.transpose() * a);
  drift.bottomRows(n_e()) = f(moving_, Eigen::all);
  return status;
}

Status RestPoint::coordinates_of(const MatrixXd& dy, MatrixXd& x) {
  MatrixXd dq = dy.topRows(system_->sizes().nq);
  const auto status = project_columns(*system_, *ws_, kMaxDirections, StatePart::kCoordinates, dq);
  x.resize(n_q() + n_e(), dy.cols());
  x.topRows(n_q()) = basis_.Tq.transpose() * dq;
  x.bottomRows(n_e()) = dy(moving_, Eigen::all);
  return status;
}

VectorXd RestPoint::displaced(const VectorXd& x) const {
  VectorXd y = y_;
  y.head(system_->sizes().nq) += basis_.Tq * x.head(n_q());
  y(moving_) += x.tail(n_e());
  return y;
}

MatrixXcd RestPoint::lifted(const MatrixXcd& x) const {
  MatrixXcd dy = MatrixXcd::Zero(system_->sizes().ny(), x.cols());
  if (x.cols() == 0) return dy;
  dy.topRows(system_->sizes().nq) = math::times(basis_.Tq, x.topRows(n_q()));
  dy.middleRows(system_->sizes().nq, system_->sizes().nv) =
      math::times(basis_.Tv, x.middleRows(n_q(), n_v()));
  dy(moving_, Eigen::all) = x.bottomRows(n_e());
  return dy;
}

}  // namespace parfait::dynamics
