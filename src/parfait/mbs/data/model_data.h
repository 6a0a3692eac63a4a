#pragma once

#include "parfait/dynamics/second_order.h"
#include "parfait/mbs/data/adjoint_data.h"
#include "parfait/mbs/data/event_data.h"
#include "parfait/mbs/data/force_data.h"
#include "parfait/mbs/data/formula_data.h"
#include "parfait/mbs/data/kernel_data.h"
#include "parfait/mbs/data/projection_data.h"
#include "parfait/mbs/data/quantities.h"
#include "parfait/mbs/model.h"
#include "parfait/mbs/solver/partitioning.h"
#include "parfait/mechanism/constants/constant_table.h"
#include "parfait/mechanism/description/inertia.h"
#include "parfait/mechanism/elements/force_jacobian.h"
#include "parfait/mechanism/quantities/quantity_observer.h"

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
  std::vector<double> r;       ///< f - G^T lambda
  std::vector<double> canonical;
  AlignedVector<Lane> lanes, state_lanes, rate_lanes;
  mechanism::ForceJacobian jacobian;
  bool ready = false;  ///< gradients of the laws are those of this point

  void resize(const KernelData& kernel, int num_pos);
};

/// Quantities of the last observation.
struct ObservationWork {
  std::vector<double> rates;
  mechanism::QuantityObserver::Work observer;
};

struct ModelWorkspace final : dynamics::Workspace {
  ModelWorkspace(const ModelData& m, int max_directions);
  /// Sizes what directions need, if the workspace was made for none.
  void make_direction_room(const ModelData& m);

  BoundWork bound;
  StateWork state;
  FormulaWork formula;
  OffsetWork offset;
  KernelState k;  ///< the kernel: frames, rows, factors
  ForceWork<double> force;
  ExternalWork external;
  SolutionWork solution;
  SeedWork seed;
  DirectionState d;  ///< directions of what k holds
  DirectionWork directions;
  ForceWork<Dual> force_directions;
  SwitchWork switching;
  JumpWork jump;
  ProjectionWork projection;
  DenseProjectionWork dense;
  SecondOrderPoint second;
  ObservationWork observation;
  AdjointWork adjoint;
};

ModelWorkspace& cast(dynamics::Workspace& ws);

}  // namespace parfait::mbs
