#include "parfait/integrate/bdf/bdf_start.h"

#include <cmath>

#include "parfait/math/dense_solves.h"

namespace parfait::integrate {

using dynamics::Status;

BdfStart::BdfStart(const sundials::Context& context, const BdfEquations& equations)
    : u(context, equations.size()),
      du_dt(context, equations.size()),
      S(context, equations.size(), equations.num_directions()),
      dS_dt(context, equations.size(), equations.num_directions()) {}

namespace {

constexpr int kMaxStartIterations = 50;
constexpr double kSmallestDamping = 1e-4;

/// h = 0 for z at fixed t and y.
class AlgebraicPart {
 public:
  AlgebraicPart(BdfEquations& equations, double t, double* u)
      : equations_(equations),
        t_(t),
        u_(u),
        ny_(equations.ny()),
        nz_(equations.nz()),
        F_(equations.size()),
        J_(equations.size(), equations.size()) {}

  /// QR of dh/dz at u. Rows are brought to the size 1 first, so that an equation in small units is
  /// not taken for a dependent one.
  Status factor() {
    const Status status = equations_.jacobian(t_, u_, J_.data());
    if (status != Status::kOk) return status;
    Eigen::MatrixXd dh_dz = J_.bottomRightCorner(nz_, nz_);
    row_scale_ = dh_dz.rowwise().lpNorm<Eigen::Infinity>();
    if ((row_scale_.array() == 0).any()) return Status::kSingular;
    row_scale_ = row_scale_.cwiseInverse();
    qr_ = math::PivotedQr(row_scale_.asDiagonal() * dh_dz);
    return qr_.is_regular() ? Status::kOk : Status::kSingular;
  }

  /// The residual h at u, rows scaled.
  Status residual(Eigen::VectorXd& r) {
    const Status status = equations_.evaluate(t_, u_, F_.data());
    r = row_scale_.cwiseProduct(F_.tail(nz_));
    return status;
  }

  Eigen::VectorXd solve(const Eigen::VectorXd& h) const {
    return qr_.solve(row_scale_.cwiseProduct(h));
  }
  Eigen::VectorXd solve_scaled(const Eigen::VectorXd& r) const { return qr_.solve(r); }

  Status find_z() {
    Eigen::Map<Eigen::VectorXd> z(u_ + ny_, nz_);
    Eigen::VectorXd r, change = Eigen::VectorXd::Zero(ny_ + nz_);
    for (int iteration = 0; iteration < kMaxStartIterations; ++iteration) {
      Status status = factor();
      if (status == Status::kOk) status = residual(r);
      if (status != Status::kOk) return status;
      const Eigen::VectorXd dz = solve_scaled(r), z0 = z;
      const double before = r.norm();
      change.tail(nz_) = dz;
      // Near the solution Newton doubles the digits: after a step this small nothing is left to do.
      const bool is_last = equations_.relative_size(change.data(), u_) < 1e-8;
      for (double damping = 1;; damping /= 2) {
        if (damping < kSmallestDamping) {
          return status == Status::kOk ? Status::kProjectionFailed : status;
        }
        z = z0 - damping * dz;
        if (is_last) return residual(r);
        status = residual(r);
        if (status == Status::kOk && r.norm() < before) break;
      }
    }
    return Status::kProjectionFailed;
  }

 private:
  BdfEquations& equations_;
  double t_;
  double* u_;
  int ny_, nz_;
  Eigen::VectorXd F_, row_scale_;
  Eigen::MatrixXd J_;
  math::PivotedQr qr_;
};

Status complete_algebraic(BdfEquations& equations, BdfStart& start) {
  const int ny = equations.ny(), nz = equations.nz();
  AlgebraicPart algebraic(equations, start.t, start.u.data());
  Status status = algebraic.find_z();
  if (status == Status::kOk) status = algebraic.factor();
  if (status == Status::kOk) {
    status = equations.evaluate(start.t, start.u.data(), start.du_dt.data());
  }
  Eigen::VectorXd rate(nz);
  if (status == Status::kOk) {
    status = equations.residual_rate(start.t, start.u.data(), start.du_dt.data(), rate.data());
  }
  if (status != Status::kOk) return status;
  Eigen::Map<Eigen::VectorXd>(start.du_dt.data() + ny, nz) = -algebraic.solve(rate);

  if (start.S.count() == 0) return status;
  for (int j = 0; j < start.S.count(); ++j) {
    std::fill_n(start.S[j].data() + ny, nz, 0.0);
  }
  status = equations.directions(start.t, start.u.data(), start.S.get(), start.dS_dt.get());
  if (status != Status::kOk) return status;
  for (int j = 0; j < start.S.count(); ++j) {
    const Eigen::Map<Eigen::VectorXd> dh(start.dS_dt[j].data() + ny, nz);
    Eigen::Map<Eigen::VectorXd>(start.S[j].data() + ny, nz) = -algebraic.solve(dh);
  }
  return status;
}

}  // namespace

Status complete(BdfEquations& equations, BdfStart& start) {
  const int ny = equations.ny(), nz = equations.nz();
  const Status status = nz > 0 ? complete_algebraic(equations, start)
                               : equations.evaluate(start.t, start.u.data(), start.du_dt.data());
  if (status != Status::kOk || start.S.count() == 0) return status;
  const Status of_directions =
      equations.directions(start.t, start.u.data(), start.S.get(), start.dS_dt.get());
  for (int j = 0; j < start.S.count(); ++j) std::fill_n(start.dS_dt[j].data() + ny, nz, 0.0);
  return of_directions;
}

}  // namespace parfait::integrate
