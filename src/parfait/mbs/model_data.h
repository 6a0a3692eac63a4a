#pragma once

#include "parfait/dynamics/second_order.h"
#include "parfait/expr/formula.h"
#include "parfait/math/symmetric.h"
#include "parfait/mbs/coordinates.h"
#include "parfait/mbs/direction_step.h"
#include "parfait/mbs/element_ends.h"
#include "parfait/mbs/geometry.h"
#include "parfait/mbs/kernel.h"
#include "parfait/mbs/model.h"
#include "parfait/mbs/partitioning.h"
#include "parfait/mbs/quantities.h"
#include "parfait/mechanism/constant_table.h"
#include "parfait/mechanism/event.h"
#include "parfait/mechanism/force_jacobian.h"
#include "parfait/mechanism/inertia.h"

/// Inside of Model: its constant part and the workspace. Seen only by the files of this room.
namespace parfait::mbs {

using mechanism::ConstantTable;
using mechanism::Inertia;

/// Where the constants of a body are, and how they are to be read.
struct BodySpec {
  int first_constant = 0;  ///< mass, com (3), inertia (6), cholesky (10)
  bool from_cholesky = false;
  bool about_origin = false;  ///< the inertia constants are about the origin
  bool driven = false;        ///< a parameter changes mass, centre or inertia
};

/// A joint row whose offset is not zero.
struct OffsetSpec {
  int row = 0;  ///< joint row
  RowKind kind = RowKind::kB0x;
  int constant = -1;  ///< the constant that is r, or
  int formula = -1;   ///< index of its formula of (t, parameters)
};

/// The constants of an element among all.
struct ConstantRange {
  int first = 0, count = 0;
};

struct ForceSpec {
  std::string id;
  std::unique_ptr<mechanism::ForceElement> element;
  std::vector<EndSpec> ends;
  ConstantRange constants;
  int first_state = 0, num_states = 0;  ///< among the external states
  int law = -1;                         ///< index of its formula
  int first_switch = 0, num_switches = 0;
};

struct EventSpec {
  std::string id;
  std::unique_ptr<mechanism::EventElement> element;  ///< null: a formula says when
  std::vector<EndSpec> ends;
  ConstantRange constants;
  int formula = -1;  ///< `when` or `at`: index into event_formulas
  bool is_timed = false;
  int switch_index = 0;
  dynamics::SwitchInfo::Jump jump = dynamics::SwitchInfo::Jump::kFalling;
  bool terminal = false;
  struct Set {
    int state = 0, formula = 0;
  };
  std::vector<Set> sets;
};

/// Switching functions that are computed together.
struct SwitchGroup {
  enum class Kind {
    kLaw,         ///< branches in the formula of force `index`
    kElement,     ///< those of the element of force `index` itself
    kDerivative,  ///< branches in the derivative of external state `index`
    kOffset,      ///< branches in offset formula `index`
    kEvent,       ///< event `index` itself
    kWhen,        ///< branches in its formula
  };
  Kind kind = Kind::kEvent;
  int index = 0;
  int first = 0, count = 1;
  std::size_t first_gradient = 0;  ///< of the switches of a formula: count x num_used
};

struct GravitySpec {
  int first_constant = 0, count = 0;
};

/// Slots of the formulas of laws and states: s, rate, t, parameters, states, then quantities.
struct SlotLayout {
  int s = 0, rate = 1, t = 2, first_parameter = 3, first_state = 0, first_quantity = 0, size = 0;
  int first_event_quantity = 0;  ///< those that only events use stand behind the others
};

struct ModelData {
  Description description;
  std::vector<std::string> warnings;
  ConstantTable constants;
  std::vector<CoordinateMap> maps;
  bool canonical = true;  ///< all bodies in canonical coordinates
  Structure structure;
  std::vector<std::string> joint_ids;  ///< joints, then single constraints
  std::vector<GeometrySpec> geometry;  ///< joints, forces, markers
  std::vector<int> driven_geometry;    ///< those that a parameter moves
  std::vector<char> general_joint;     ///< takes the general path in the directions
  bool any_general_joint = false;
  std::vector<BodySpec> bodies;
  bool any_body_driven = false;
  std::vector<OffsetSpec> offsets;
  std::vector<char> row_has_offset;
  std::vector<expr::Formula> offset_formulas;
  std::vector<ForceSpec> forces;
  std::vector<int> force_bodies;  ///< bodies that some of them acts on, each once
  bool needs_centers = false;     ///< the right-hand side looks at centres of mass
  std::vector<GravitySpec> gravity;
  /// External ones, then parameters that events set (rate 0), then states of force elements.
  std::vector<State> states;
  int num_formula_states = 0;  ///< all but the last
  struct HeldParameter {
    int state, parameter;
  };
  std::vector<HeldParameter> held;  ///< the second: where their initial value comes from
  struct ElementStateSpec {
    int state, constant;
  };
  std::vector<ElementStateSpec> element_states;  ///< the last likewise
  std::vector<EventSpec> events;
  std::vector<expr::Formula> event_formulas;
  std::vector<std::size_t> event_gradient_first;
  std::vector<Quantity> event_quantities;
  int num_when_quantities = 0;  ///< the first of them decide when, the others what
  std::vector<SwitchGroup> switch_groups;
  /// First switching function of every law, derivative, offset formula and event formula.
  std::vector<int> law_switch, derivative_switch, offset_switch, event_switch;
  std::size_t switch_gradient_size = 0;
  bool switches_use_bodies = false;
  std::vector<expr::Formula> laws;
  int max_ends = 0, max_element_constants = 0, max_element_states = 0, max_element_switches = 0;
  std::vector<expr::Formula> derivatives;  ///< of the external states
  SlotLayout slots;
  Quantities quantities;  ///< by name, and those the derivatives use
  std::vector<Quantity> derivative_quantities;
  std::size_t scratch_size = 0, max_gradient = 0;
  dynamics::Sizes sizes;
  std::vector<dynamics::ParameterInfo> parameters;
  std::vector<double> described;  ///< the initial state as the description gives it
  std::vector<double> initial;    ///< assembled
  AssemblyReport assembly;
  RedundantRows redundant;  ///< at the assembled position
  std::unique_ptr<const dynamics::SecondOrder> second_order;

  int num_joints() const { return static_cast<int>(structure.joints.size()); }
  int first_marker_geometry = 0;
};

/// Room for one element at a time: what it sees and what it gives.
template <class S>
struct ForceWork {
  AlignedVector<EndFrame<S>> frames;
  AlignedVector<Vec3<S>> rho;
  AlignedVector<EndForce<S>> forces;
  AlignedVector<S> constants, states, rates, switches;  ///< numbers with directions only
  mechanism::Law<S> law{};

  void resize(const ModelData& m);
};

/// The point of the last evaluation in second-order form (second_order.cc); sized at the first.
struct SecondOrderPoint {
  std::vector<double> u;       ///< q, and behind it the vectors of the ground
  std::vector<double> lambda;  ///< of the rows of g_pos
  std::vector<double> canonical;
  AlignedVector<Lane> lanes, state_lanes, rate_lanes;
  mechanism::ForceJacobian jacobian;
  bool ready = false;  ///< gradients of the laws are those of this point

  void resize(const ModelData& m);
};

struct ModelWorkspace final : dynamics::Workspace {
  ModelWorkspace(const ModelData& m, int max_directions);

  // At the parameters.
  std::vector<double> p, constants, scratch;
  KernelConstants bound;
  std::array<double, 3> gravity{};
  std::vector<double> constant_gradients;
  double rank_tolerance;

  // At the state.
  double t = 0;
  std::vector<double> q, v,
      a;  ///< canonical; q, v only if some body is not in canonical coordinates
  const double* q_now = nullptr;
  const double* v_now = nullptr;
  std::vector<double> lambda;
  std::vector<double> offset_pos, offset_vel;  ///< per joint row: r, r'
  std::vector<double>
      offset_rates;  ///< rates of (t, parameters) in time: 1, 0 ...; and of those: 0
  std::vector<double> slots;
  std::vector<double> e, e_rate;
  const std::int8_t* mode = nullptr;    ///< of the last Point; null: values decide
  std::vector<std::int8_t> mode_store;  ///< where it is kept
  KernelState k;
  ForceWork<double> force;
  bool frames_final = false;  ///< frames hold the accelerations of the last solve
  bool directions_ready = false;

  // Directions.
  int max_directions = 0;
  math::Directions dp;
  DirectionState d;
  ForceWork<Dual> force_directions;
  AlignedVector<Lane> element_rate_lanes;         ///< of the states of elements
  AlignedVector<InertiaLanes> inertia_lanes;      ///< [chunk][body]
  std::vector<const InertiaLanes*> inertia_seed;  ///< per body, of the present chunk
  AlignedVector<GeometryLanes> geometry_lanes;    ///< [chunk][geometry]
  std::vector<const GeometryLanes*> geometry_seed;
  AlignedVector<Lane> constant_lanes;  ///< [chunk][driven constant]
  const Lane* constant_now = nullptr;  ///< those of the present chunk
  Lane gravity_lanes[3] = {};
  AlignedVector<Lane> offset_lanes;  ///< per joint row
  AlignedVector<Lane> metric_lanes;  ///< per body 6
  AlignedVector<Lane> slot_lanes;
  AlignedVector<Lane> canonical_lanes;     ///< dq, dv in canonical coordinates
  AlignedVector<Lane> acceleration_lanes;  ///< 12 per body
  AlignedVector<Lane> zero_lanes;          ///< directions that do not move the state
  std::vector<double> offset_gradient;
  std::vector<double> law_values;
  std::vector<double> law_gradients;  ///< of laws, then of the derivatives of external states
  std::vector<std::size_t> law_first;

  // Switching functions and jumps.
  std::vector<double> switch_values, switch_gradients, event_gradients;
  struct Jump {
    int event = -1;
    int force = -1, force_switch = 0;  ///< or the jump of a force element
    double t = 0;
    std::vector<double> y, still, response;  ///< before; zero; canonical, per unit of impulse
    std::vector<double> change;              ///< of the velocities
    AlignedVector<Lane> dy, dset;
  } jump;

  // Projection: where it started, where it ended (canonical), and its multipliers on both levels.
  struct Projection {
    std::vector<double> q0, v0, q, v, metric, g;
    AlignedVector<double> multiplier[2];  ///< position, velocity: 8 per joint
    dynamics::Norm norm = dynamics::Norm::kMass;
    dynamics::Status status = dynamics::Status::kOk;
    double t = 0;
  } projection;
  // The dense projections.
  std::vector<double> dense_x, dense_y, dense_lambda;
  std::vector<int> dense_dependent;
  math::Directions dense_dy;
  AlignedVector<Lane> dense_lanes;
  /// Sizes what directions need, if the workspace was made for none.
  void make_direction_room(const ModelData& m);

  SecondOrderPoint second;

  // Observation.
  std::vector<double> rates, quantity_values, observer_scratch, observer_gradients;
  AlignedVector<Lane> quantity_lanes;

  std::vector<double> shift;  ///< projected minus given, per body: centre of mass, axes
  AlignedVector<Lane> start_lanes, result_lanes, last_lanes, position_lanes;  ///< 12 per body
};

ModelWorkspace& cast(dynamics::Workspace& ws);

// The pieces of an evaluation, in the order of use.
void bind_constants(const ModelData& m, ModelWorkspace& w);
void evaluate_offsets(const ModelData& m, ModelWorkspace& w, double t);
void load_state(const ModelData& m, ModelWorkspace& w, const double* y);
void store_coordinates(const ModelData& m, const double* canonical, double* user);
void finalize_frames(const ModelData& m, ModelWorkspace& w);
void fill_slots(const ModelData& m, ModelWorkspace& w);
/// g_pos and g_vel of the placed bodies.
void evaluate_invariants(const ModelData& m, const ModelWorkspace& w, double* pos, double* vel);
/// Keeps the mode of a Point until the next load_state(): the caller's may be gone by then.
void set_mode(const ModelData& m, ModelWorkspace& w, dynamics::Mode mode);
/// The part of the mode that begins with switching function `first`.
inline const std::int8_t* mode_from(const ModelWorkspace& w, int first) {
  return w.mode ? w.mode + first : nullptr;
}
/// Values of what the formulas of events use, into w.slots; `count` of the quantities.
void fill_event_slots(const ModelData& m, ModelWorkspace& w, int count);

// The pieces of the directions.
/// Directions of parameters, time and external states in a chunk, where the elements look for them.
void seed_chunk(const ModelData& m, ModelWorkspace& w, const dynamics::PointDirections& d,
                int chunk);
/// Points w.d.lanes at the directions dy of the bodies; `centers`: those of the centres of mass
/// too. `da` (12 lanes per body) is where accelerations go if all bodies are canonical; null: the
/// workspace.
void place_lanes(const ModelData& m, ModelWorkspace& w, const Lane* dy, bool centers,
                 Lane* da = nullptr);
/// 12 lanes of a body from canonical coordinates to the user's.
void lanes_from_canonical(const CoordinateMap& map, const Lane* q, Lane* u);
/// Once per state, before the first chunk.
void prepare_model_directions(const ModelData& m, ModelWorkspace& w);
/// Directions of accelerations and multipliers of the present chunk, into w.d.
void solve_chunk(const ModelData& m, ModelWorkspace& w, const dynamics::PointDirections& d,
                 int chunk);
/// Directions of a row's offset at position (0), velocity (1) or acceleration (2) level.
Lane row_offset_directions(const ModelData& m, ModelWorkspace& w, const OffsetSpec& offset,
                           int level);

/// M^T A M, A symmetric as xx yy zz xy xz yz.
template <class T>
std::array<T, 6> congruent(const std::array<std::array<double, 3>, 3>& M,
                           const std::array<T, 6>& A) {
  std::array<T, 6> out{};
  for (int e = 0; e < 6; ++e) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        out[e] = out[e] + A[kEntry[i][j]] * (M[i][kPair[e][0]] * M[j][kPair[e][1]]);
      }
    }
  }
  return out;
}

}  // namespace parfait::mbs
