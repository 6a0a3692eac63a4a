#include <algorithm>

#include "parfait/mbs/adjoint/pull_back.h"
#include "parfait/mbs/forces/force_stage.h"
#include "parfait/mbs/observation/observation.h"

// Quantities look at few bodies: each is differentiated along what it looks at, a chunk of numbers
// at a time, with the directions that exist.
namespace parfait::mbs {
namespace {

class QuantityAdjoint {
 public:
  QuantityAdjoint(const ModelData& model, ModelWorkspace& workspace, const Quantity& q)
      : m(model), w(workspace), a(workspace.adjoint), q_(q) {}

  void pull(double seed) {
    collect();
    for (std::size_t first = 0; first < a.probes.size(); first += math::kLanes) {
      const std::size_t count = std::min<std::size_t>(math::kLanes, a.probes.size() - first);
      for (std::size_t i = 0; i < count; ++i) (*a.probes[first + i].lane)[static_cast<int>(i)] = 1;
      const Lane d = quantity_directions(m, w, q_).d;
      for (std::size_t i = 0; i < count; ++i) {
        const auto& probe = a.probes[first + i];
        *probe.lane = Lane{};
        *probe.adjoint += seed * d[static_cast<int>(i)];
      }
    }
    a.probes.clear();
    for (const int b : bodies_) w.seed.inertia[b] = nullptr;
    for (const int g : geometry_) w.seed.geometry[g] = nullptr;
  }

 private:
  using Kind = Quantity::Kind;

  void probe(Lane& lane, double& adjoint) { a.probes.push_back({&lane, &adjoint}); }
  static double& at(V4& x, int k) { return reinterpret_cast<double*>(&x)[k]; }

  void add_body(int b) {
    if (b == m.kernel.num_bodies() || std::find(bodies_.begin(), bodies_.end(), b) != bodies_.end())
      return;
    bodies_.push_back(b);
    BodyLanes& lanes = w.d.lanes[b];
    BodyAdjoint& body = a.bodies[b];
    Lane* const own = a.body_lanes.data() + 27 * static_cast<std::size_t>(b);
    for (int k = 0; k < 3; ++k) {
      probe(lanes.rc[k], at(body.rc, k));
      probe(lanes.vc[k], at(body.vc, k));
      for (int i = 0; i < 3; ++i) {
        probe(own[3 * i + k], at(body.X[i], k));
        probe(own[9 + 3 * i + k], at(body.Xd[i], k));
        if (q_.kind == Kind::kMarkerAcceleration) probe(own[18 + 3 * i + k], at(body.Xdd[i], k));
      }
      if (q_.kind == Kind::kMarkerAcceleration) probe(lanes.ac[k], at(body.ac, k));
    }
    if (!m.kernel.bodies[b].driven) return;
    InertiaLanes& inertia = a.inertia_lanes[b];
    w.seed.inertia[b] = &inertia;
    probe(inertia.m, a.inertia[b].m);
    for (int i = 0; i < 3; ++i) probe(inertia.c[i], a.inertia[b].c[i]);
    for (int e = 0; e < 6; ++e) probe(inertia.J[e], a.inertia[b].J[e]);
  }

  /// Ends of a geometry with their bodies.
  void add_geometry(int g) {
    const GeometrySpec& spec = m.kernel.geometry[g];
    for (int side = 0; side < 2; ++side) {
      if (spec.used[side]) add_body(spec.end[side].body);
    }
    if (!a.geometry_driven[g] ||
        std::find(geometry_.begin(), geometry_.end(), g) != geometry_.end())
      return;
    geometry_.push_back(g);
    GeometryLanes& lanes = a.geometry_lanes[g];
    w.seed.geometry[g] = &lanes;
    for (int side = 0; side < 2; ++side) {
      for (int i = 0; i < 3; ++i) {
        probe(lanes.rho[side][i], a.geometry[g].rho[side][i]);
        for (int k = 0; k < 3; ++k) probe(lanes.axis[side][i][k], a.geometry[g].axis[side][i][k]);
      }
    }
  }

  void add_slot(int slot) {
    if (std::find(slots_.begin(), slots_.end(), slot) != slots_.end()) return;
    slots_.push_back(slot);
    probe(w.formula.lanes[slot], a.slots[slot]);
  }

  void add_force(int index) {
    const ForceSpec& force = m.force.elements[index];
    for (const EndSpec& spec : force.ends) {
      add_body(spec.body);
      add_geometry(spec.geometry);
    }
    for (int i = 0; i < force.constants.count; ++i) {
      const int driven = m.constants.driven_index(force.constants.first + i);
      if (driven >= 0) probe(a.constant_lanes[driven], a.constants[force.constants.first + i]);
    }
    for (int i = 0; i < force.num_states; ++i)
      add_slot(m.slots.first_state + force.first_state + i);
    add_slot(m.slots.t);
    if (force.law < 0) return;
    for (const int slot : m.force.laws[force.law].used_slots()) {
      if (slot != m.slots.s && slot != m.slots.rate) add_slot(slot);
    }
  }

  void add_multipliers(int joint) {
    for (int i = 0; i < m.kernel.structure.joints[joint].nrows; ++i) {
      probe(w.d.multipliers[6 * joint + i], a.row[8 * static_cast<std::size_t>(joint) + i]);
    }
  }

  void add_everything() {
    for (int b = 0; b < m.kernel.num_bodies(); ++b) add_body(b);
    for (int f = 0; f < static_cast<int>(m.force.elements.size()); ++f) add_force(f);
    for (int k = 0; k < 3; ++k) probe(w.seed.gravity[k], a.gravity[k]);
  }

  void collect() {
    switch (q_.kind) {
      case Kind::kMarkerPosition:
      case Kind::kMarkerVelocity:
      case Kind::kMarkerAcceleration:
        return q_.index >= 0 ? add_geometry(q_.index) : add_body(q_.body);
      case Kind::kAxis:
      case Kind::kAxisRate:
      case Kind::kAngularVelocity:
        return add_body(q_.body);
      case Kind::kJointAngle:
      case Kind::kJointRate:
      case Kind::kJointDisplacement:
      case Kind::kJointDisplacementRate:
        return add_geometry(q_.index);
      case Kind::kReactionForce:
      case Kind::kReactionTorque:
        add_geometry(q_.index);
        return add_multipliers(q_.index);
      case Kind::kForce:
        return add_force(q_.index);
      case Kind::kMomentArm:
        add_force(q_.index);
        return add_geometry(q_.component);
      case Kind::kKineticEnergy:
      case Kind::kPotentialEnergy:
      case Kind::kTotalEnergy:
      case Kind::kDissipatedPower:
        return add_everything();
      case Kind::kSuppliedPower: {
        add_everything();
        for (const auto& offset : m.offset.specs) {
          if (offset.formula >= 0) {  // slots t, parameters
            for (const int slot : m.offset.formulas[offset.formula].used_slots()) {
              add_slot(m.slots.t + slot);
            }
          } else if (const int driven = m.constants.driven_index(offset.constant); driven >= 0) {
            probe(a.constant_lanes[driven], a.constants[offset.constant]);
          }
        }
        for (int j = 0; j < m.kernel.num_joints(); ++j) add_multipliers(j);
        return;
      }
      case Kind::kState:
        return add_slot(m.slots.first_state + q_.index);
      case Kind::kParameter:
        return add_slot(m.slots.first_parameter + q_.index);
      case Kind::kTime:
        return add_slot(m.slots.t);
      case Kind::kCoordinate:  // of joints that only joint coordinates understand
      case Kind::kCoordinateRate:
        return;
    }
  }

  const ModelData& m;
  ModelWorkspace& w;
  AdjointWork& a;
  const Quantity& q_;
  std::vector<int> bodies_, geometry_, slots_;
};

}  // namespace

void begin_quantities(const ModelData& m, ModelWorkspace& w) {
  auto& a = w.adjoint;
  const auto nb = static_cast<std::size_t>(m.kernel.num_bodies());
  if (a.body_lanes.size() < 27 * nb || a.constant_lanes.empty()) {
    a.body_lanes.assign(27 * nb, Lane{});
    a.constant_lanes.assign(static_cast<std::size_t>(std::max(m.constants.num_driven(), 1)),
                            Lane{});
    a.inertia_lanes.assign(nb, InertiaLanes{});
    a.geometry_lanes.assign(m.kernel.geometry.size(), GeometryLanes{});
  }
  prepare_laws(m, w);
  for (std::size_t b = 0; b < nb; ++b) {
    BodyLanes& lanes = w.d.lanes[b];
    lanes.D = a.body_lanes.data() + 27 * b;
    lanes.V = lanes.D + 9;
    lanes.Xdd = a.body_lanes.data() + 27 * b + 18;
    for (int k = 0; k < 3; ++k) lanes.rc[k] = lanes.vc[k] = lanes.ac[k] = Lane{};
  }
  std::fill(w.seed.inertia.begin(), w.seed.inertia.end(), nullptr);
  std::fill(w.seed.geometry.begin(), w.seed.geometry.end(), nullptr);
  std::fill(w.formula.lanes.begin(), w.formula.lanes.end(), Lane{});
  std::fill(w.d.multipliers.begin(), w.d.multipliers.end(), Lane{});
  std::fill(w.seed.gravity, w.seed.gravity + 3, Lane{});
  w.seed.constants = a.constant_lanes.data();
  w.directions.ready = false;
}

void pull_back_quantity(const ModelData& m, ModelWorkspace& w, const Quantity& quantity,
                        double seed) {
  QuantityAdjoint(m, w, quantity).pull(seed);
}

}  // namespace parfait::mbs
