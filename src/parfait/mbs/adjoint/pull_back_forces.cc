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
    force.element->jacobian(at, jacobian);
    multiply(force, jacobian, rate_seeds);
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
  /// columns = Jacobian^T (seeds of forces: how points and axes move along w, alpha; of rates).
  void multiply(const ForceSpec& force, const ForceJacobian& jacobian, const double* rate_seeds) {
    auto& columns = w.adjoint.columns;
    columns.assign(static_cast<std::size_t>(jacobian.columns()), 0.0);
    const auto add = [&](int row, double seed) {
      if (seed == 0) return;
      for (int c = 0; c < jacobian.columns(); ++c) columns[c] += seed * jacobian(row, c);
    };
    for (std::size_t i = 0; i < force.ends.size(); ++i) {
      const EndSpec& spec = force.ends[i];
      const BodyAdjoint& body = w.adjoint.bodies[spec.body];
      const Geometry& g = w.bound.kernel.geometry[spec.geometry];
      const BodyFrame& f = w.k.frames[spec.body];
      const int row = ForceJacobian::kEndRows * static_cast<int>(i);
      if (spec.use & mechanism::kForce) {
        const V4 seed = body.w + cross(body.alpha, combine(f.X, g.rho[spec.side]));
        for (int k = 0; k < 3; ++k) add(row + k, seed[k]);
      }
      for (int a = 0; a < 3; ++a) {
        if (!mechanism::gives_axis_force(spec.use, a)) continue;
        const V4 seed = cross(body.alpha, combine(f.X, g.axis[spec.side][a]));
        for (int k = 0; k < 3; ++k) add(row + 3 + 3 * a + k, seed[k]);
      }
    }
    for (int i = 0; i < force.num_states; ++i) {
      add(jacobian.first_state_row() + i, rate_seeds[force.first_state + i]);
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
  for (const ForceSpec& force : m.force.elements) adjoint.pull(force, rate_seeds);
}

}  // namespace parfait::mbs
