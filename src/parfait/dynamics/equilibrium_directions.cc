#include "parfait/dynamics/equilibrium_directions.h"

#include <vector>

#include "parfait/dynamics/equilibrium_path.h"
#include "parfait/math/directions_matrix.h"

namespace parfait::dynamics {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using math::to_matrix;

Status equilibrium_directions(const System& system, Workspace& ws, double t, ConstVec y, ConstVec z,
                              Directions& dy, double projection_tolerance) {
  const auto& sizes = system.sizes();
  const int k = dy.count();
  const bool has_invariants = sizes.num_pos + sizes.num_vel > 0;
  EquilibriumPath at(system, ws, t, projection_tolerance);
  auto status = at.begin(VectorXd::Map(y.data(), sizes.ny()), VectorXd::Map(z.data(), sizes.nz));
  if (status != Status::kOk) return status;
  const RestPoint& point = at.point();
  const MatrixXd start = to_matrix(dy);

  // What the constraints alone do to the coordinates. States that stand still keep theirs.
  MatrixXd moved = MatrixXd::Zero(sizes.ny(), k);
  Directions d;
  std::vector<double> consistent(y.begin(), y.end());
  if (has_invariants) {
    status = system.project(ws, t, consistent, Norm::kMass, projection_tolerance).status;
    if (status != Status::kOk) return status;
    d.resize(sizes.ny(), k);
    status = system.project_directions(ws, d);
    if (status != Status::kOk) return status;
    moved.topRows(sizes.nq) = to_matrix(d).topRows(sizes.nq);
  }
  moved.bottomRows(sizes.ne) = start.bottomRows(sizes.ne);
  for (const int row : point.moving()) moved.row(row).setZero();

  // The drift along that and along the parameters, and the displacement that undoes it.
  std::vector<double> rates(sizes.ny()), residual(sizes.nz);
  const VectorXd& resting = point.y();
  status = system.evaluate(ws,
                           {.t = t,
                            .y = {resting.data(), static_cast<std::size_t>(resting.size())},
                            .z = {point.z().data(), static_cast<std::size_t>(sizes.nz)},
                            .mode = {},
                            .offset = {.phi = {}, .dphi = {}, .ddphi = point.hold()}},
                           rates, residual);
  if (status != Status::kOk) return status;
  math::copy(moved, d);
  Directions drates(sizes.ny(), k), dresidual(sizes.nz, k);
  system.directions(ws, {.dt = {}, .dy = &d, .dz = nullptr, .dphi = nullptr}, drates,
                    sizes.nz > 0 ? &dresidual : nullptr);
  MatrixXd drift, begun;
  status = at.drift_of(to_matrix(drates), to_matrix(dresidual), drift);
  if (status == Status::kOk) status = at.coordinates_of(start, begun);
  if (status != Status::kOk) return status;
  const MatrixXd dx = at.response(drift) + at.kept(begun);
  for (int j = 0; j < k; ++j) moved.col(j) += point.displaced(dx.col(j)) - point.y();

  math::copy(moved, dy);
  return has_invariants ? system.project_directions(ws, dy) : Status::kOk;
}

}  // namespace parfait::dynamics
