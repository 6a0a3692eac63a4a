#pragma once

#include "parfait/dynamics/second_order.h"
#include "parfait/mbs/event_data.h"
#include "parfait/mbs/force_data.h"
#include "parfait/mbs/formula_data.h"
#include "parfait/mbs/kernel_data.h"
#include "parfait/mbs/model.h"
#include "parfait/mbs/partitioning.h"
#include "parfait/mbs/projection_data.h"
#include "parfait/mbs/quantities.h"
#include "parfait/mechanism/constant_table.h"
#include "parfait/mechanism/force_jacobian.h"
#include "parfait/mechanism/inertia.h"

/// Inside of Model: its constant part and the workspace, a struct for every stage of the work. Seen
/// only by the files of this room.
namespace parfait::mbs {

using mechanism::ConstantTable;
using mechanism::Inertia;

/// The initial state.
struct StartData {
  std::vector<double> described;  ///< as the description gives it
  std::vector<double> assembled;
  AssemblyReport report;
  RedundantRows redundant;  ///< at the assembled position
};

struct ModelData {
  Description description;
  std::vector<std::string> warnings;
  ConstantTable constants;
  dynamics::Sizes sizes;
  std::vector<dynamics::ParameterInfo> parameters;
  KernelData kernel;
  OffsetData offset;
  ForceData force;
  ExternalData external;
  EventData event;
  SwitchData switching;
  SlotLayout slots;
  std::size_t scratch_size = 0, max_gradient = 0;  ///< of all formulas
  Quantities quantities;                           ///< by name
  StartData start;
  std::unique_ptr<const dynamics::SecondOrder> second_order;
};

/// The point of the last evaluation in second-order form (second_order.cc); sized at the first.
struct SecondOrderPoint {
  std::vector<double> u;       ///< q, and behind it the vectors of the ground
  std::vector<double> lambda;  ///< of the rows of g_pos
  std::vector<double> canonical;
  AlignedVector<Lane> lanes, state_lanes, rate_lanes;
  mechanism::ForceJacobian jacobian;
  bool ready = false;  ///< gradients of the laws are those of this point

  void resize(const KernelData& kernel, int num_pos);
};

/// Quantities of the last observation.
struct ObservationWork {
  std::vector<double> rates, values, scratch, gradients;
  AlignedVector<Lane> lanes;
};

struct ModelWorkspace final : dynamics::Workspace {
  ModelWorkspace(const ModelData& m, int max_directions);
  /// Sizes what directions need, if the workspace was made for none.
  void make_direction_room(const ModelData& m);

  BoundWork bound;
  StateWork state;
  FormulaWork formula;
  OffsetWork offset;
  KernelState k;
  ForceWork<double> force;
  ExternalWork external;
  SolutionWork solution;
  SeedWork seed;
  DirectionState d;
  DirectionWork directions;
  ForceWork<Dual> force_directions;
  SwitchWork switching;
  JumpWork jump;
  ProjectionWork projection;
  DenseProjectionWork dense;
  SecondOrderPoint second;
  ObservationWork observation;
};

ModelWorkspace& cast(dynamics::Workspace& ws);

// The pieces of an evaluation, in the order of use.
void bind_constants(const ModelData& m, ModelWorkspace& w);
/// r, r', r'' of every row with an offset, into `out` and k.offset_acc.
void evaluate_offsets(const OffsetData& data, const BoundWork& bound, const StateWork& state,
                      FormulaWork& formula, OffsetWork& out, KernelState& k);
void load_state(const ModelData& m, ModelWorkspace& w, const double* y);
void store_coordinates(const KernelData& kernel, const double* canonical, double* user);
/// Accelerations of the last solve into the frames, once.
void finalize_frames(const Structure& s, KernelState& k, SolutionWork& solution);
/// Time, parameters and external states where formulas look for them.
void fill_slots(const SlotLayout& layout, const BoundWork& bound, const StateWork& state,
                FormulaWork& formula);
/// g_pos and g_vel of the placed bodies.
void evaluate_invariants(const ModelData& m, const ModelWorkspace& w, double* pos, double* vel);
/// Keeps the mode of a Point until the next load_state(): the caller's may be gone by then.
void set_mode(dynamics::Mode mode, StateWork& state);
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

}  // namespace parfait::mbs
