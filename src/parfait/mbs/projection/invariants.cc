#include "parfait/mbs/projection/invariants.h"

#include "parfait/math/symmetric.h"
#include "parfait/mbs/placement/placement.h"
#include "parfait/mbs/solver/body_step.h"
#include "parfait/mbs/solver/joint_step.h"
#include "parfait/mbs/solver/row_directions.h"

namespace parfait::mbs {
namespace {

Vec3<Dual> axis(V4 a, const Lane* d) {
  return {{a[0], d[0]}, {a[1], d[1]}, {a[2], d[2]}};
}

Site<Dual> site_of(const ModelData& m, const ModelWorkspace& w, std::size_t j) {
  return joint_site(m.kernel.structure.joints[j], w.bound.kernel.geometry[j], w.k, w.d,
                    w.seed.geometry[j]);
}

/// Adds f (at the local vector r = (first, r1, r2, r3)) to the entries of a body.
void add_entries(const Vec3<Dual>& f, const Dual& first, const Dual* r, double* gradient,
                 Lane* directions) {
  for (int i = 0; i < 4; ++i) {
    const Dual& c = i == 0 ? first : r[i - 1];
    const Dual x[3] = {f.x * c, f.y * c, f.z * c};
    for (int k = 0; k < 3; ++k) {
      gradient[3 * i + k] += x[k].v;
      directions[3 * i + k] += x[k].d;
    }
  }
}

/// The gradient of a velocity row with respect to positions: the bilinear form of a position row
/// with one argument replaced by the rates; VVDX depends on the position through its axis.
RowGradient<Dual> position_part(RowKind kind, const RowMotion<Dual>& m) {
  switch (kind) {
    case RowKind::kDDX:
      return {{}, m.b_d, m.a_d};
    case RowKind::kBBDX:
      return {m.a_d, m.delta_d, {}};
    case RowKind::kBBX:
      return {m.delta_d, {}, {}};
    case RowKind::kVVDX:
      return {{}, m.delta_d, {}};
    default:
      return {};
  }
}

}  // namespace

void invariant_directions(const ModelData& m, ModelWorkspace& w, Lane* dg) {
  const auto& s = m.kernel.structure;
  Lane* vel = dg + s.num_pos;
  for (int b = 0; b < s.num_bodies; ++b) {
    const BodyFrame& f = w.k.frames[b];
    const BodyLanes& l = w.d.lanes[b];
    std::array<Lane, 6> P, V;
    for (int e = 0; e < 6; ++e) {
      const auto [i, j] = kPair[e];
      const auto Xi = axis(f.X[i], l.D + 3 * i), Xj = axis(f.X[j], l.D + 3 * j);
      const auto Vi = axis(f.Xd[i], l.V + 3 * i), Vj = axis(f.Xd[j], l.V + 3 * j);
      P[e] = dot(Xi, Xj).d;
      V[e] = (dot(Xi, Vj) + dot(Xj, Vi)).d;
    }
    if (!m.kernel.maps[b].is_orthonormal) {
      P = congruent(m.kernel.maps[b].S, P);
      V = congruent(m.kernel.maps[b].S, V);
    }
    for (int e = 0; e < 6; ++e) {
      const int row = s.body_row[b][e];
      if (row < 0) continue;
      dg[row] = (e < 3 ? 0.5 : 1.0) * P[e];
      vel[row] = (e < 3 ? 0.5 : 1.0) * V[e];
    }
  }
  Lane* joint_vel = vel + s.num_vel - s.num_rows;
  for (std::size_t j = 0; j < s.joints.size(); ++j) {
    const JointShape& shape = s.joints[j];
    const auto site = site_of(m, w, j);
    JointMotion joint(site);
    int pos_row = shape.first_pos_row;
    for (int i = 0; i < shape.nrows; ++i) {
      const RowShape& row = shape.rows[i];
      if (!row.is_velocity()) dg[pos_row++] = row_position(row.kind, joint.positions(row)).d;
      joint_vel[shape.first_row + i] = row_velocity(row.kind, joint.velocities(row)).d;
    }
  }
  for (const auto& offset : m.offset.specs) {
    joint_vel[offset.row] -= row_offset_directions(m, w, offset, 1);
    if (offset.kind >= RowKind::kV0x) continue;
    for (const auto& shape : s.joints) {
      const int i = offset.row - shape.first_row;
      if (i >= 0 && i < shape.nrows) {
        dg[shape.first_pos_row + i] -= row_offset_directions(m, w, offset, 0);
      }
    }
  }
}

void Model::invariant_directions(dynamics::Workspace& ws, double t, dynamics::ConstVec y,
                                 const dynamics::PointDirections& d,
                                 dynamics::Directions& dg) const {
  const ModelData& m = *data_;
  ModelWorkspace& w = cast(ws);
  w.state.t = t;
  load_state(m, w, y.data());
  evaluate_offsets(m.offset, w.bound, w.state, w.formula, w.offset, w.k);
  place_bodies(m.kernel.structure, w.bound.kernel, w.state.q_now, w.state.v_now, w.k);
  for (int chunk = 0; chunk < dg.chunks(); ++chunk) {
    seed_chunk(m, w, d, chunk);
    const Lane* dy = d.dy ? reinterpret_cast<const Lane*>(d.dy->chunk(chunk)) : w.seed.zero.data();
    place_lanes(m, w, dy, true);
    mbs::invariant_directions(m, w, reinterpret_cast<Lane*>(dg.chunk(chunk)));
  }
}

std::vector<int> Model::position_rows() const {
  const auto& s = data_->kernel.structure;
  const int num_body_rows = s.num_vel - s.num_rows;
  std::vector<int> rows(static_cast<std::size_t>(s.num_vel), -1);
  for (int i = 0; i < num_body_rows; ++i) rows[i] = i;
  for (const JointShape& shape : s.joints) {
    int pos_row = shape.first_pos_row;
    for (int i = 0; i < shape.nrows; ++i) {
      if (!shape.rows[i].is_velocity()) rows[num_body_rows + shape.first_row + i] = pos_row++;
    }
  }
  return rows;
}

void invariant_gradient(const ModelData& m, ModelWorkspace& w, const double* lambda,
                        double* gradient, Lane* directions) {
  const auto& s = m.kernel.structure;
  const int nq = m.sizes.nq;
  std::fill_n(gradient, 2 * nq, 0.0);
  std::fill_n(directions, 2 * nq, Lane{});
  const double* lambda_vel = lambda + s.num_pos;
  for (int b = 0; b < s.num_bodies; ++b) {
    const BodyFrame& f = w.k.frames[b];
    const BodyLanes& l = w.d.lanes[b];
    const auto add = [&](int at, double factor, const Vec3<Dual>& a) {
      const Dual x[3] = {a.x, a.y, a.z};
      for (int k = 0; k < 3; ++k) {
        gradient[at + k] += factor * x[k].v;
        directions[at + k] += factor * x[k].d;
      }
    };
    // lambda^T g = <Lambda, X^T X>/2 + <Mu, sym(X^T X')>, the symmetric Lambda and Mu in canonical
    // axes: gradient X Lambda + X' Mu and X Mu.
    std::array<double, 6> Lambda{}, Mu{};
    for (int e = 0; e < 6; ++e) {
      const int row = s.body_row[b][e];
      if (row < 0) continue;
      Lambda[e] = lambda[row];
      Mu[e] = lambda_vel[row];
    }
    if (!m.kernel.maps[b].is_orthonormal) {
      const auto& S = m.kernel.maps[b].S;
      std::array<std::array<double, 3>, 3> transposed;
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) transposed[i][j] = S[j][i];
      }
      Lambda = congruent(transposed, Lambda);
      Mu = congruent(transposed, Mu);
    }
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        const auto Xj = axis(f.X[j], l.D + 3 * j), Vj = axis(f.Xd[j], l.V + 3 * j);
        const int at = 12 * b + 3 + 3 * i;
        add(at, Lambda[kEntry[i][j]], Xj);
        add(at, Mu[kEntry[i][j]], Vj);
        add(nq + at, Mu[kEntry[i][j]], Xj);
      }
    }
  }
  const double* joint_vel = lambda_vel + s.num_vel - s.num_rows;
  for (std::size_t j = 0; j < s.joints.size(); ++j) {
    const JointShape& shape = s.joints[j];
    const auto site = site_of(m, w, j);
    int pos_row = shape.first_pos_row;
    for (int i = 0; i < shape.nrows; ++i) {
      const RowShape& row = shape.rows[i];
      const auto motion = row_motion(site, row);
      const auto grad = row_gradient(row.kind, motion);
      const auto turned = position_part(row.kind, motion);
      const Dual l_pos(row.is_velocity() ? 0.0 : lambda[pos_row++]);
      const Dual l_vel(joint_vel[shape.first_row + i]);
      for (int side = 0; side < 2; ++side) {
        const int body = shape.body[side];
        if (body == s.num_bodies) continue;
        const auto& end = site.end[side];
        const int axis_index = side == 0 ? row.a_axis : row.b_axis;
        const auto c = w.bound.kernel.center(body);
        Dual r[3], u[3];  // the point from the origin; the axis
        for (int k = 0; k < 3; ++k) {
          r[k] = Dual(end.base.rho_local[k] + c[k], end.drho ? end.drho[k] : Lane{});
          if (const auto* seed = w.seed.inertia[body]) r[k].d += seed->c[k];
          u[k] = Dual(end.base.axes[axis_index][k], end.daxes ? end.daxes[axis_index][k] : Lane{});
        }
        const Dual sign(side == 0 ? 1.0 : -1.0), one(1.0), zero(0.0);
        double* g = gradient + 12 * body;
        Lane* d = directions + 12 * body;
        add_entries(sign * (l_pos * grad.n + l_vel * turned.n), one, r, g, d);
        add_entries(side == 0 ? l_pos * grad.e_a + l_vel * turned.e_a
                              : l_pos * grad.e_b + l_vel * turned.e_b,
                    zero, u, g, d);
        add_entries(sign * l_vel * grad.n, one, r, g + nq, d + nq);
        add_entries(l_vel * (side == 0 ? grad.e_a : grad.e_b), zero, u, g + nq, d + nq);
      }
    }
  }
}

}  // namespace parfait::mbs
