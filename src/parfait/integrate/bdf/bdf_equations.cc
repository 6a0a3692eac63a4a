#include "parfait/integrate/bdf/bdf_equations.h"

#include <algorithm>
#include <cmath>

namespace parfait::integrate {

using dynamics::Directions;
using dynamics::Status;

BdfEquations::BdfEquations(Flow& flow, int num_directions)
    : flow_(flow),
      ny_(flow.ny()),
      nz_(flow.system().sizes().nz),
      rtol_(flow.rtol()),
      atol_(flow.atol()),
      known_u_(size()),
      scratch_(size()),
      dy_(ny_, num_directions),
      dz_(nz_, num_directions),
      df_(ny_, num_directions),
      dh_(nz_, num_directions),
      jacobian_workspace_(flow.system().make_bound_copy(flow.workspace(), size())),
      unit_y_(ny_, size()),
      unit_z_(nz_, size()),
      df_du_(ny_, size()),
      dh_du_(nz_, size()),
      along_y_(ny_, 1),
      along_z_(nz_, 1),
      along_f_(ny_, 1),
      along_h_(nz_, 1) {
  const Tolerance algebraic =
      flow.options().externals.value_or(Tolerance{flow.options().rtol, flow.options().atol});
  rtol_.resize(size(), algebraic.rtol);
  atol_.resize(size(), algebraic.atol);
  for (int i = 0; i < ny_; ++i) unit_y_(i, i) = 1;
  for (int i = 0; i < nz_; ++i) unit_z_(i, ny_ + i) = 1;
}

dynamics::Point BdfEquations::point(double t, const double* u) const {
  return flow_.point(t, {u, static_cast<std::size_t>(ny_)},
                     {u + ny_, static_cast<std::size_t>(nz_)});
}

Status BdfEquations::noted(Status status) {
  if (status != Status::kOk) failure_ = status;
  return status;
}

Status BdfEquations::evaluate_in(dynamics::Workspace& ws, double t, const double* u, double* F) {
  ++flow_.statistics.evaluations;
  Status status = flow_.system().evaluate(ws, point(t, u), {F, static_cast<std::size_t>(ny_)},
                                          {F + ny_, static_cast<std::size_t>(nz_)});
  // A NaN would pass through SUNDIALS' comparisons unseen.
  const auto is_finite = [](double x) { return std::isfinite(x); };
  if (status == Status::kOk && !std::all_of(F, F + size(), is_finite)) status = Status::kNotFinite;
  return noted(status);
}

Status BdfEquations::evaluate(double t, const double* u, double* F) {
  const Status status = evaluate_in(flow_.workspace(), t, u, F);
  is_known_ = status == Status::kOk;
  known_t_ = t;
  std::copy(u, u + size(), known_u_.begin());
  return status;
}

Status BdfEquations::directions(double t, const double* u, const N_Vector* S, N_Vector* dF) {
  const bool is_here = is_known_ && t == known_t_ && std::equal(u, u + size(), known_u_.begin());
  const Status status = is_here ? Status::kOk : evaluate(t, u, scratch_.data());
  if (status != Status::kOk) return status;
  for (int j = 0; j < num_directions(); ++j) {
    const double* column = N_VGetArrayPointer(S[j]);
    for (int i = 0; i < ny_; ++i) dy_(i, j) = column[i];
    for (int i = 0; i < nz_; ++i) dz_(i, j) = column[ny_ + i];
  }
  ++flow_.statistics.direction_evaluations;
  flow_.system().directions(flow_.workspace(), {.dt = {}, .dy = &dy_, .dz = nz_ ? &dz_ : nullptr},
                            df_, nz_ ? &dh_ : nullptr);
  for (int j = 0; j < num_directions(); ++j) {
    double* column = N_VGetArrayPointer(dF[j]);
    for (int i = 0; i < ny_; ++i) column[i] = df_(i, j);
    for (int i = 0; i < nz_; ++i) column[ny_ + i] = dh_(i, j);
  }
  return Status::kOk;
}

Status BdfEquations::jacobian(double t, const double* u, double* J) {
  const Status status = evaluate_in(*jacobian_workspace_, t, u, scratch_.data());
  if (status != Status::kOk) return status;
  ++flow_.statistics.direction_evaluations;
  flow_.system().directions(*jacobian_workspace_,
                            {.dt = {}, .dy = &unit_y_, .dz = nz_ ? &unit_z_ : nullptr}, df_du_,
                            nz_ ? &dh_du_ : nullptr);
  const int n = size();
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < ny_; ++i) J[j * n + i] = df_du_(i, j);
    for (int i = 0; i < nz_; ++i) J[j * n + ny_ + i] = dh_du_(i, j);
  }
  const bool is_finite = std::all_of(J, J + n * n, [](double x) { return std::isfinite(x); });
  return noted(is_finite ? Status::kOk : Status::kNotFinite);
}

Status BdfEquations::residual_rate(double t, const double* u, const double* f, double* rate) {
  const Status status = evaluate_in(*jacobian_workspace_, t, u, scratch_.data());
  if (status != Status::kOk) return status;
  for (int i = 0; i < ny_; ++i) along_y_(i, 0) = f[i];
  const double dt = 1;
  ++flow_.statistics.direction_evaluations;
  flow_.system().directions(*jacobian_workspace_,
                            {.dt = {&dt, 1}, .dy = &along_y_, .dz = &along_z_}, along_f_,
                            &along_h_);
  for (int i = 0; i < nz_; ++i) rate[i] = along_h_(i, 0);
  return Status::kOk;
}

Status BdfEquations::project(double t, double* y) {
  is_known_ = false;
  return noted(flow_.project(t, {y, static_cast<std::size_t>(ny_)}));
}

void BdfEquations::weights(const double* u, double* w) const {
  for (int i = 0; i < size(); ++i) w[i] = 1 / (rtol_[i] * std::abs(u[i]) + atol_[i]);
}

double BdfEquations::relative_size(const double* x, const double* u) const {
  double largest = 0;
  for (int i = 0; i < size(); ++i) {
    largest = std::max(largest, std::abs(x[i]) / (std::abs(u[i]) + atol_[i] / rtol_[i]));
  }
  return largest;
}

}  // namespace parfait::integrate
