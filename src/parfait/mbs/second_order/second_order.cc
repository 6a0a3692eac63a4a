#include "parfait/mbs/second_order/second_order.h"

#include <algorithm>
#include <cmath>

#include "parfait/math/symmetric.h"
#include "parfait/mbs/evaluation/external_states.h"
#include "parfait/mbs/forces/force_stage.h"
#include "parfait/mbs/placement/placement.h"
#include "parfait/mbs/projection/bilinear_row.h"
#include "parfait/mbs/projection/invariants.h"
#include "parfait/mbs/solver/body_step.h"
#include "parfait/mechanism/elements/constraint_row.h"

namespace parfait::mbs {
namespace {

using dynamics::ConstVec;
using dynamics::Directions;
using dynamics::Status;

/// M4 = [m, m c^T; m c, J + m c c^T]: the mass matrix of a body is M4 (x) I_3.
template <class S>
std::array<std::array<S, 4>, 4> mass_block(const S& m, const std::array<S, 3>& c,
                                           const std::array<S, 6>& J) {
  std::array<std::array<S, 4>, 4> out{};
  out[0][0] = m;
  for (int i = 0; i < 3; ++i) {
    out[0][1 + i] = out[1 + i][0] = m * c[i];
    for (int j = 0; j < 3; ++j) out[1 + i][1 + j] = J[kEntry[i][j]] + m * c[i] * c[j];
  }
  return out;
}

/// A force f at the local vector r, coefficient `first` at the origin.
void add_at(const Vec3<double>& f, double first, const Vec3<double>& r, double* out) {
  const double c[4] = {first, r.x, r.y, r.z};
  for (int i = 0; i < 4; ++i) {
    out[3 * i] += c[i] * f.x;
    out[3 * i + 1] += c[i] * f.y;
    out[3 * i + 2] += c[i] * f.z;
  }
}
void add_at(const Vec3<Dual>& f, double first, const Vec3<Dual>& r, Lane* out) {
  const Dual c[4] = {first, r.x, r.y, r.z};
  for (int i = 0; i < 4; ++i) {
    out[3 * i] += (c[i] * f.x).d;
    out[3 * i + 1] += (c[i] * f.y).d;
    out[3 * i + 2] += (c[i] * f.z).d;
  }
}

Vec3<double> center(const ModelWorkspace& w, int body, double) {
  const auto c = w.bound.kernel.center(body);
  return {c[0], c[1], c[2]};
}
Vec3<Dual> center(const ModelWorkspace& w, int body, const Dual&) {
  const auto c = w.bound.kernel.center(body);
  const InertiaLanes* seed = w.seed.inertia[body];
  if (!seed) return {c[0], c[1], c[2]};
  return {{c[0], seed->c[0]}, {c[1], seed->c[1]}, {c[2], seed->c[2]}};
}

Vec3<Dual> with_directions(const double* r, const Lane* d) {
  if (!d) return {r[0], r[1], r[2]};
  return {{r[0], d[0]}, {r[1], d[1]}, {r[2], d[2]}};
}
Vec3<double> vector_at(const double* r) {
  return {r[0], r[1], r[2]};
}
Vec3<double> point_of(const End<double>& end) {
  return vector_at(end.rho_local);
}
Vec3<Dual> point_of(const End<Dual>& end) {
  return with_directions(end.base.rho_local, end.drho);
}
Vec3<double> axis_of(const End<double>& end, int i) {
  return vector_at(end.axes[i]);
}
Vec3<Dual> axis_of(const End<Dual>& end, int i) {
  return with_directions(end.base.axes[i], end.da(i));
}

/// Forces of an element on canonical coordinates, added to out (12 per body). (W5)
template <class S, class Out, class EndAt>
void add_ends(const ModelWorkspace& w, const ForceSpec& force, const EndForce<S>* given,
              const EndAt& end_at, Out* out) {
  const int ground = static_cast<int>(w.k.frames.size()) - 1;
  for (std::size_t i = 0; i < force.ends.size(); ++i) {
    const EndSpec& spec = force.ends[i];
    if (spec.body == ground) continue;
    const auto end = end_at(spec);
    Out* to = out + 12 * spec.body;
    if (spec.use & mechanism::kForce) {
      add_at(given[i].force, 1, point_of(end) + center(w, spec.body, S{}), to);
    }
    for (int a = 0; a < 3; ++a) {
      if (mechanism::gives_axis_force(spec.use, a))
        add_at(given[i].axis[a], 0, axis_of(end, a), to);
    }
  }
}

class ModelSecondOrder final : public dynamics::SecondOrder {
 public:
  explicit ModelSecondOrder(const ModelData& data) : m(data) {}

  void mass(dynamics::Workspace& ws, dynamics::Triplets& M) const override {
    ModelWorkspace& w = cast(ws);
    M.clear();
    for (int b = 0; b < num_bodies(); ++b) {
      std::array<double, 6> J;
      for (int e = 0; e < 6; ++e) J[e] = w.bound.kernel.J(b, e);
      const auto block = mass_block(w.bound.kernel.mass(b), w.bound.kernel.center(b), J);
      const auto& A = m.kernel.maps[b].A;
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
          double sum = 0;
          for (int k = 0; k < 4; ++k) {
            for (int l = 0; l < 4; ++l) sum += A[i][k] * block[k][l] * A[j][l];
          }
          for (int k = 0; k < 3; ++k) M.add(12 * b + 3 * i + k, 12 * b + 3 * j + k, sum);
        }
      }
    }
  }

  void mass_directions(dynamics::Workspace& ws, ConstVec a, Directions& dMa) const override {
    ModelWorkspace& w = cast(ws);
    std::fill_n(dMa.data(), dMa.size(), 0.0);
    if (!m.kernel.any_body_driven) return;
    for (int chunk = 0; chunk < std::min(dMa.chunks(), w.seed.dp.chunks()); ++chunk) {
      Lane* out = reinterpret_cast<Lane*>(dMa.chunk(chunk));
      for (int b = 0; b < num_bodies(); ++b) {
        if (m.kernel.bodies[b].driven)
          body_mass_directions(w, a.data() + 12 * b, chunk, b, out + 12 * b);
      }
    }
  }

  Status evaluate(dynamics::Workspace& ws, const dynamics::Point& at, ConstVec lambda,
                  dynamics::Vec r, dynamics::Vec g, dynamics::Vec edot) const override {
    ModelWorkspace& w = cast(ws);
    auto& point = w.second;
    w.state.t = at.t;
    load_state(m, w, at.y.data());
    set_mode(at.mode, w.state);
    evaluate_offsets(m.offset, w.bound, w.state, w.formula, w.offset, w.k);
    place_bodies(m.kernel.structure, w.bound.kernel, w.state.q_now, w.state.v_now, w.k);
    point.resize(m.kernel, m.sizes.num_pos);
    point.ready = false;
    std::copy_n(at.y.begin(), m.sizes.nq, point.u.begin());
    std::copy_n(lambda.begin(), m.sizes.num_pos, point.lambda.begin());
    add_applied_forces(w, r);
    for_each_row(m.kernel, [&](int row, const RowId& id) {
      subtract_row(w, row_form<double>(m.kernel, w.bound.kernel, w.seed, id), lambda[row], r);
    });
    std::copy(r.begin(), r.end(), point.r.begin());
    evaluate_invariants(m.kernel, m.offset, w, w.projection.g.data(),
                        w.projection.g.data() + m.sizes.num_pos);
    std::copy_n(w.projection.g.begin(), m.sizes.num_pos, g.begin());
    external_rates(m, w);
    std::copy(w.external.rates.begin(), w.external.rates.end(), edot.begin());
    double sum = 0;  // NaN as soon as one of them is
    for (double x : r) sum += x * 0;
    for (double x : edot) sum += x * 0;
    return sum == 0 ? Status::kOk : Status::kNotFinite;
  }

  void linearize(dynamics::Workspace& ws, dynamics::Linearization& out) const override {
    ModelWorkspace& w = cast(ws);
    prepare(w);
    linearize_second_order(m, w, out);
  }

  void directions(dynamics::Workspace& ws, const dynamics::PointDirections& d, Directions& dr,
                  Directions& dg, Directions& dedot) const override {
    ModelWorkspace& w = cast(ws);
    prepare(w);
    for (int chunk = 0; chunk < dr.chunks(); ++chunk) {
      const Lane* dy =
          d.dy ? reinterpret_cast<const Lane*>(d.dy->chunk(chunk)) : w.seed.zero.data();
      Lane* out = reinterpret_cast<Lane*>(dr.chunk(chunk));
      Lane* rows = reinterpret_cast<Lane*>(dg.chunk(chunk));
      seed_chunk(m, w, d, chunk);
      place_lanes(m, w, dy, true);
      force_directions_into(w, out);
      for_each_row(m.kernel, [&](int row, const RowId& id) {
        rows[row] = row_directions(w, row_form<Dual>(m.kernel, w.bound.kernel, w.seed, id), dy,
                                   w.second.lambda[row], out);
      });
      for (const auto& offset : m.offset.specs) {
        const int row = position_row(offset.row);
        if (row >= 0) rows[row] -= row_offset_directions(m, w, offset, 0);
      }
      external_directions(m, w, reinterpret_cast<Lane*>(dedot.chunk(chunk)));
    }
  }

  bool pull_back_mass(dynamics::Workspace& ws, ConstVec a, ConstVec seed) const override {
    if (!m.kernel.structure.released.empty()) return false;
    mbs::pull_back_mass(m, cast(ws), a.data(), seed.data());
    return true;
  }

  bool pull_back_parameters(dynamics::Workspace& ws, ConstVec r, ConstVec g,
                            ConstVec edot) const override {
    if (!m.kernel.structure.released.empty()) return false;
    prepare(cast(ws));
    pull_back_second_order(m, cast(ws), r.data(), g.data(), edot.data());
    return true;
  }

 private:
  int num_bodies() const { return m.kernel.structure.num_bodies; }

  void prepare(ModelWorkspace& w) const {
    if (w.second.ready) return;
    w.make_direction_room(m);
    prepare_laws(m, w);
    prepare_external(m, w);
    w.second.ready = true;
  }

  /// The row of g_pos of a joint row, -1 for a velocity row.
  int position_row(int joint_row) const {
    for (const auto& shape : m.kernel.structure.joints) {
      const int i = joint_row - shape.first_row;
      if (i < 0 || i >= shape.nrows) continue;
      int row = shape.first_pos_row;
      for (int n = 0; n < i; ++n) row += shape.rows[n].is_velocity() ? 0 : 1;
      return shape.rows[i].is_velocity() ? -1 : row;
    }
    return -1;
  }

  void body_mass_directions(const ModelWorkspace& w, const double* a, int chunk, int b,
                            Lane* out) const {
    const InertiaLanes& seed =
        w.seed.inertia_lanes[static_cast<std::size_t>(chunk) * num_bodies() + b];
    const auto c = w.bound.kernel.center(b);
    std::array<Dual, 3> center_of_mass;
    std::array<Dual, 6> J;
    for (int i = 0; i < 3; ++i) center_of_mass[i] = {c[i], seed.c[i]};
    for (int e = 0; e < 6; ++e) J[e] = {w.bound.kernel.J(b, e), seed.J[e]};
    const auto block = mass_block(Dual(w.bound.kernel.mass(b), seed.m), center_of_mass, J);
    double canonical[12];
    m.kernel.maps[b].to_canonical(a, canonical);
    Lane force[12] = {};
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) {
        for (int k = 0; k < 3; ++k) force[3 * i + k] += block[i][j].d * canonical[3 * j + k];
      }
    }
    pull_back(m.kernel.maps[b], force, out);
  }

  /// Weights and forces on canonical coordinates, then on the user's.
  void add_applied_forces(ModelWorkspace& w, dynamics::Vec r) const {
    auto& f = w.second.canonical;
    std::fill(f.begin(), f.end(), 0.0);
    const Vec3<double> gravity{w.bound.gravity[0], w.bound.gravity[1], w.bound.gravity[2]};
    for (int b = 0; b < num_bodies(); ++b) {
      add_at(w.bound.kernel.mass(b) * gravity, 1, center(w, b, 0.0), f.data() + 12 * b);
    }
    for (const ForceSpec& force : m.force.elements) {
      act(m, w, force);
      add_ends(
          w, force, w.force.forces.data(),
          [&](const EndSpec& spec) { return end_of(w.bound.kernel, w.k, spec); }, f.data());
    }
    for (int b = 0; b < num_bodies(); ++b) {
      pull_back(m.kernel.maps[b], f.data() + 12 * b, r.data() + 12 * b);
    }
  }

  void force_directions_into(ModelWorkspace& w, Lane* out) const {
    auto& f = w.second.lanes;
    std::fill(f.begin(), f.end(), Lane{});
    for (int b = 0; b < num_bodies(); ++b) {
      const InertiaLanes* seed = w.seed.inertia[b];
      const Dual mass(w.bound.kernel.mass(b), seed ? seed->m : Lane{});
      const Vec3<Dual> gravity{{w.bound.gravity[0], w.seed.gravity[0]},
                               {w.bound.gravity[1], w.seed.gravity[1]},
                               {w.bound.gravity[2], w.seed.gravity[2]}};
      add_at(mass * gravity, 1, center(w, b, Dual{}), f.data() + 12 * b);
    }
    for (const ForceSpec& force : m.force.elements) {
      act_directions(m, w, force);
      add_ends(
          w, force, w.force_directions.forces.data(),
          [&](const EndSpec& spec) {
            return end_with_directions(w.bound.kernel, w.k, w.seed, w.d, spec);
          },
          f.data());
      for (int i = 0; i < force.num_states; ++i) {
        w.external.element_lanes[force.first_state + i] = w.force_directions.rates[i].d;
      }
    }
    for (int b = 0; b < num_bodies(); ++b) {
      pull_back(m.kernel.maps[b], f.data() + 12 * b, out + 12 * b);
    }
  }

  /// r -= lambda dg/dq
  void subtract_row(const ModelWorkspace& w, const BilinearRow<double>& form, double lambda,
                    dynamics::Vec r) const {
    const double* u = w.second.u.data();
    const auto vectors = [&](int side, int i) {
      return vector_at(u + 12 * form.body[side] + 3 * i);
    };
    const bool linear = form.component >= 0;
    const Vec3<double> x = linear ? Vec3<double>{} : form.s * combine_vectors(form.xi, vectors);
    Vec3<double> y{};
    if (linear) {
      (form.component == 0 ? y.x : form.component == 1 ? y.y : y.z) = 1;
    } else {
      y = form.s * combine_vectors(form.eta, vectors);
    }
    for (int side = 0; side < 2; ++side) {
      if (form.body[side] == num_bodies()) continue;
      double* out = r.data() + 12 * form.body[side];
      for (int i = 0; i < 4; ++i) {
        const Vec3<double> G = form.xi[side][i] * y + form.eta[side][i] * x;
        out[3 * i] -= lambda * G.x;
        out[3 * i + 1] -= lambda * G.y;
        out[3 * i + 2] -= lambda * G.z;
      }
    }
  }

  /// r -= lambda d(dg/dq); returns dg.
  Lane row_directions(const ModelWorkspace& w, const BilinearRow<Dual>& form, const Lane* dy,
                      double lambda, Lane* dr) const {
    const double* u = w.second.u.data();
    const auto vectors = [&](int side, int i) {
      const int at = 12 * form.body[side] + 3 * i;
      return with_directions(u + at, form.body[side] == num_bodies() ? nullptr : dy + at);
    };
    const Vec3<Dual> x = combine_vectors(form.xi, vectors);
    Vec3<Dual> y{};
    Lane dg;
    if (form.component >= 0) {
      (form.component == 0 ? y.x : form.component == 1 ? y.y : y.z) = Dual(1.0);
      dg = dot(x, y).d;
    } else {
      y = combine_vectors(form.eta, vectors);
      dg = form.s * dot(x, y).d;
    }
    const double factor = -lambda * form.s;
    for (int side = 0; side < 2; ++side) {
      if (form.body[side] == num_bodies()) continue;
      Lane* out = dr + 12 * form.body[side];
      for (int i = 0; i < 4; ++i) {
        const Vec3<Dual> G = form.component >= 0 ? form.xi[side][i] * y
                                                 : form.xi[side][i] * y + form.eta[side][i] * x;
        out[3 * i] += factor * G.x.d;
        out[3 * i + 1] += factor * G.y.d;
        out[3 * i + 2] += factor * G.z.d;
      }
    }
    return dg;
  }

  const ModelData& m;
};

}  // namespace

void SecondOrderPoint::resize(const KernelData& kernel, int num_pos) {
  if (!u.empty()) return;
  const std::size_t size = 12 * (static_cast<std::size_t>(kernel.num_bodies()) + 1);
  u.resize(size);
  for (int i = 0; i < 3; ++i) u[size - 12 + 3 + 4 * i] = 1;  // the axes of the ground
  lambda.resize(num_pos);
  r.resize(size);
  canonical.resize(size);
  lanes.resize(size);
}

std::unique_ptr<const dynamics::SecondOrder> make_second_order(const ModelData& m) {
  return std::make_unique<ModelSecondOrder>(m);
}

const dynamics::SecondOrder* Model::second_order() const {
  return data_->second_order.get();
}

}  // namespace parfait::mbs
