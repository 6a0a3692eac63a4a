#include <algorithm>

#include "parfait/mbs/adjoint/pull_back.h"
#include "parfait/mbs/forces/force_stage.h"
#include "parfait/mechanism/elements/force_jacobian.h"

// Force elements: what their ends give does work along w, alpha. Its derivative is the transposed
// Jacobian of the element, and what the ends see of the motion as their bodies turn.
namespace parfait::mbs {
namespace {

using mechanism::ForceJacobian;

V4 v4(const Vec3<double>& a) {
  return V4{a.x, a.y, a.z, 0};
}

/// Adjoints of X r and X' r to those of X, X' and r.
void add_vector(const BodyFrame& f, V4 value, V4 rate, const double* r, BodyAdjoint& body,
                double* bar) {
  for (int i = 0; i < 3; ++i) {
    body.X[i] += value * splat(r[i]);
    body.Xd[i] += rate * splat(r[i]);
    if (bar) bar[i] += dot3(f.X[i], value) + dot3(f.Xd[i], rate);
  }
}

class ForceAdjoint {
 public:
  ForceAdjoint(const ModelData& model, ModelWorkspace& workspace) : m(model), w(workspace) {}

  void pull(const ForceSpec& force, const double* rate_seeds) {
    auto at = look_at(m, w, force);
    if (force.law >= 0) {
      w.force.law.gradient = w.formula.gradients.data() + w.formula.gradient_first[force.law];
      w.force.law.value = &w.formula.law_values[force.law];
    }
    force.element->act(at, {{w.force.forces.data(), force.ends.size()},
                            {w.external.rates.data() + force.first_state,
                             static_cast<std::size_t>(force.num_states)}});
    auto& jacobian = w.second.jacobian;
    fill_rows(force, rate_seeds);
    const std::size_t num_columns =
        ForceJacobian::kEndColumns * force.ends.size() + at.constants.size() + at.states.size() + 2;
    auto& columns = w.adjoint.columns;
    if (columns.size() < num_columns) columns.resize(num_columns);
    force.element->pull_back(at, w.adjoint.rows, jacobian, {columns.data(), num_columns});
    const double* const column = w.adjoint.columns.data();
    for (std::size_t i = 0; i < force.ends.size(); ++i) {
      add_end(force.ends[i], w.force.forces[i],
              column + ForceJacobian::kEndColumns * static_cast<int>(i));
    }
    auto& a = w.adjoint;
    for (int i = 0; i < force.constants.count; ++i) {
      a.constants[force.constants.first + i] += column[jacobian.first_constant() + i];
    }
    for (int i = 0; i < force.num_states; ++i) {
      a.e[force.first_state + i] += column[jacobian.first_state() + i];
    }
    a.t += column[jacobian.time_column()];
    if (force.law < 0) return;
    // What the formula reads besides s and s'.
    const auto used = m.force.laws[force.law].used_slots();
    for (std::size_t j = 0; j < used.size(); ++j) {
      if (used[j] == m.slots.s || used[j] == m.slots.rate) continue;
      a.slots[used[j]] += column[jacobian.law_column()] * w.force.law.gradient[j];
    }
  }

 private:
  /// Seeds of forces: how points and axes move along w, alpha; and those of rates.
  void fill_rows(const ForceSpec& force, const double* rate_seeds) {
    auto& rows = w.adjoint.rows;
    const std::size_t num_rows = ForceJacobian::kEndRows * force.ends.size();
    rows.assign(num_rows + static_cast<std::size_t>(force.num_states), 0.0);
    for (std::size_t i = 0; i < force.ends.size(); ++i) {
      const EndSpec& spec = force.ends[i];
      const BodyAdjoint& body = w.adjoint.bodies[spec.body];
      const Geometry& g = w.bound.kernel.geometry[spec.geometry];
      const BodyFrame& f = w.k.frames[spec.body];
      double* const row = rows.data() + ForceJacobian::kEndRows * i;
      const auto put = [&](int first, V4 seed) {
        for (int k = 0; k < 3; ++k) row[first + k] = seed[k];
      };
      if (spec.use & mechanism::kForce) {
        put(0, body.w + cross(body.alpha, combine(f.X, g.rho[spec.side])));
      }
      for (int a = 0; a < 3; ++a) {
        if (!mechanism::gives_axis_force(spec.use, a)) continue;
        put(3 + 3 * a, cross(body.alpha, combine(f.X, g.axis[spec.side][a])));
      }
    }
    for (int i = 0; i < force.num_states; ++i) {
      rows[num_rows + static_cast<std::size_t>(i)] = rate_seeds[force.first_state + i];
    }
  }

  void add_end(const EndSpec& spec, const EndForce<double>& given, const double* column) {
    auto& a = w.adjoint;
    BodyAdjoint& body = a.bodies[spec.body];
    const BodyFrame& f = w.k.frames[spec.body];
    const Geometry& g = w.bound.kernel.geometry[spec.geometry];
    GeometryAdjoint* const out =
        a.geometry_driven[spec.geometry] ? &a.geometry[spec.geometry] : nullptr;
    const auto vector = [&](int first) {
      return V4{column[first], column[first + 1], column[first + 2], 0};
    };
    const V4 point = vector(ForceJacobian::kPointColumn);
    const V4 velocity = vector(ForceJacobian::kVelocityColumn);
    body.rc += point;
    body.vc += velocity;
    const V4 turn = spec.use & mechanism::kForce ? cross(v4(given.force), body.alpha) : V4{};
    add_vector(f, point + turn, velocity, g.rho[spec.side], body,
               out ? out->rho[spec.side] : nullptr);
    for (int i = 0; i < 3; ++i) {
      if (!uses_axis(spec.use, i) && !mechanism::reads_axis_rate(spec.use, i)) continue;
      V4 value = vector(ForceJacobian::kAxisColumn + 3 * i);
      if (mechanism::gives_axis_force(spec.use, i)) value += cross(v4(given.axis[i]), body.alpha);
      add_vector(f, value, vector(ForceJacobian::kRateColumn + 3 * i), g.axis[spec.side][i], body,
                 out ? out->axis[spec.side][i] : nullptr);
    }
  }

  const ModelData& m;
  ModelWorkspace& w;
};

}  // namespace

void pull_back_forces(const ModelData& m, ModelWorkspace& w, const double* rate_seeds) {
  ForceAdjoint adjoint(m, w);
  for (const ForceSpec& force : m.force.elements) {
    if (!force.rests(w.state.mode)) adjoint.pull(force, rate_seeds);
  }
}

}  // namespace parfait::mbs
