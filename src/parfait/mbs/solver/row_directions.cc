#include "parfait/mbs/solver/row_directions.h"

namespace parfait::mbs {
namespace {

void subtract(const Vec3<Dual>& a, Lane* out) {
  out[0] -= a.x.d;
  out[1] -= a.y.d;
  out[2] -= a.z.d;
}

/// F_X -= f r^T with directions.
void subtract_axis_force(const Vec3<Dual>& f, const double* r, const Lane* dr, Lane* F) {
  const double value[3] = {f.x.v, f.y.v, f.z.v};
  const Lane d[3] = {f.x.d, f.y.d, f.z.d};
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) {
      F[3 * i + k] -= d[k] * r[i];
      if (dr) F[3 * i + k] -= value[k] * dr[i];
    }
  }
}

}  // namespace

Site<Dual> joint_site(const JointShape& shape, const Geometry& g, const KernelState& k,
                      const DirectionState& d, const GeometryLanes* seeds) {
  Site<Dual> site;
  for (int side = 0; side < 2; ++side) {
    const int body = shape.body[side];
    site.end[side].base = {&k.frames[body], g.rho[side], g.axis[side]};
    site.end[side].lanes = body < static_cast<int>(d.lanes.size()) ? &d.lanes[body] : nullptr;
    if (seeds) {
      site.end[side].drho = seeds->rho[side];
      site.end[side].daxes = seeds->axis[side];
    }
  }
  return site;
}

RowMotion<Dual> row_motion(const Site<Dual>& site, const RowShape& row) {
  RowMotion<Dual> m;
  const auto& a = site.end[0];
  const auto& b = site.end[1];
  if (uses_delta(row.kind)) {
    m.delta = a.point() - b.point();
    m.delta_d = a.velocity() - b.velocity();
  }
  if (uses_a(row.kind)) {
    m.a = a.axis(row.a_axis);
    m.a_d = a.axis_rate(row.a_axis);
  }
  if (uses_b(row.kind)) {
    m.b = b.axis(row.b_axis);
    m.b_d = b.axis_rate(row.b_axis);
  }
  return m;
}

const RowMotion<Dual>& JointMotion::positions(const RowShape& row) {
  if (uses_delta(row.kind) && !has_delta_) {
    motion_.delta = site_.end[0].point() - site_.end[1].point();
    has_delta_ = true;
  }
  place_axes(row);
  return motion_;
}

const RowMotion<Dual>& JointMotion::velocities(const RowShape& row) {
  if (uses_delta(row.kind) && !has_rate_) {
    motion_.delta_d = site_.end[0].velocity() - site_.end[1].velocity();
    has_rate_ = true;
  }
  if (mechanism::world_axis(row.kind) >= 0) return motion_;
  if (uses_a(row.kind)) motion_.a_d = site_.end[0].axis_rate(row.a_axis);
  if (uses_b(row.kind)) motion_.b_d = site_.end[1].axis_rate(row.b_axis);
  return positions(row);
}

void JointMotion::place_axes(const RowShape& row) {
  if (uses_a(row.kind)) motion_.a = site_.end[0].axis(row.a_axis);
  if (uses_b(row.kind)) motion_.b = site_.end[1].axis(row.b_axis);
}

Lane row_acceleration_directions(const Site<Dual>& site, const RowShape& row) {
  auto m = row_motion(site, row);
  const auto& a = site.end[0];
  const auto& b = site.end[1];
  if (uses_delta(row.kind)) m.delta_dd = a.acceleration() - b.acceleration();
  if (uses_a(row.kind)) m.a_dd = a.axis_acceleration(row.a_axis);
  if (uses_b(row.kind)) m.b_dd = b.axis_acceleration(row.b_axis);
  return row_acceleration(row.kind, m).d;
}

void subtract_wrenches(const Structure& s, const JointShape& shape, const Site<Dual>& site,
                       const double* lambda, DirectionState& d) {
  const int released[2] = {s.released_index[shape.body[0]], s.released_index[shape.body[1]]};
  const bool is_rigid = released[0] < 0 && released[1] < 0;
  JointMotion joint(site);
  Vec3<Dual> force{}, torque[2];  // what all rows push with at the markers, and their torques there
  bool turns = false;             // whether there are any
  for (int i = 0; i < shape.nrows; ++i) {
    const RowShape& row = shape.rows[i];
    const int axis = mechanism::world_axis(row.kind);
    if (axis >= 0 && is_rigid) {  // a force whose direction never changes
      (axis == 0 ? force.x : axis == 1 ? force.y : force.z).v += lambda[i];
      continue;
    }
    const auto& m = row.kind == RowKind::kVVX ? joint.velocities(row) : joint.positions(row);
    const auto grad = row_gradient(row.kind, m);
    const Dual l(lambda[i]);
    const Vec3<Dual> n = l * grad.n;
    force += n;
    if (uses_a(row.kind)) torque[0] += cross(m.a, l * grad.e_a);
    if (uses_b(row.kind)) torque[1] += cross(m.b, l * grad.e_b);
    turns |= uses_a(row.kind);
    for (int side = 0; side < 2; ++side) {
      if (released[side] < 0) continue;
      const auto& end = site.end[side];
      const int which = side == 0 ? row.a_axis : row.b_axis;
      Lane* F = d.axis_force[released[side]].data();
      subtract_axis_force(side == 0 ? n : -n, end.base.rho_local, end.drho, F);
      subtract_axis_force(l * (side == 0 ? grad.e_a : grad.e_b), end.base.axes[which],
                          end.da(which), F);
    }
  }
  BodyWork& a = d.bodies[shape.body[0]];
  BodyWork& b = d.bodies[shape.body[1]];
  subtract(force, a.F);
  subtract(-force, b.F);
  subtract(cross(site.end[0].rho(), force), a.T);
  subtract(cross(site.end[1].rho(), -force), b.T);
  if (turns) {
    subtract(torque[0], a.T);
    subtract(torque[1], b.T);
  }
}

}  // namespace parfait::mbs
