#pragma once

#include <vector>

#include "parfait/mechanism/quantities/quantity_observer.h"
#include "parfait/mechanism/stage/element_stage.h"
#include "parfait/tree/algorithms/derivatives.h"
#include "parfait/tree/build/mechanism_tree.h"
#include "parfait/tree/model.h"
#include "parfait/tree/system/closure_work.h"

/// What a tree::Model keeps, and what its workspace does. Internal to the room.
namespace parfait::tree {

using math::Dual;
using math::Lane;
using mechanism::Quantity;

/// A marker in the frame of the node that carries its body; of the ground: in the world.
template <class S>
struct SiteFrame {
  Vec3<S> o, axis[3];
  Vec3<S> arm;  ///< o seen from the origin of the body's frame
};

template <class S>
struct BoundSites {
  std::vector<SiteFrame<S>> elements;  ///< orthonormal, one per site of the ElementSet
  std::vector<SiteFrame<S>> rows;      ///< axes as given, one per ClosureData::sites
};

/// The initial state.
struct StartData {
  std::vector<double> described;  ///< as the description gives it, positions brought near
  std::vector<double> assembled;
  AssemblyReport report;
};

struct ModelData {
  explicit ModelData(const mechanism::Description& given);

  mechanism::Description description;
  std::vector<std::string> warnings;
  MechanismTree mechanism;
  mechanism::ElementSet elements;
  ClosureData closures;
  dynamics::Sizes sizes;
  std::vector<dynamics::ParameterInfo> parameters;
  std::vector<int> carried;  ///< body of the tree that a joint carries; -1: it closes a loop
  StartData start;

  const Tree& tree() const { return mechanism.tree(); }
  const mechanism::QuantityNames& quantities() const { return elements.quantities; }
  /// The node that carries a described body; -1: the ground.
  int node_of(int described) const {
    return described < 0 ? -1 : tree().bodies[mechanism.tree_body(described)].node;
  }
};

/// Where a system was looked at.
struct SeenPoint {
  double t = 0;
  std::vector<double> y;
  std::vector<double> u;  ///< meaningful if has_inputs, otherwise there are none
  std::vector<std::int8_t> mode;
  bool has_inputs = false, has_mode = false;
  std::vector<double> vdot, lambda;  ///< if it was evaluated there

  dynamics::Mode mode_span() const { return has_mode ? dynamics::Mode(mode) : dynamics::Mode(); }
  void set(const dynamics::Point& at);
};

/// Positions or velocities on their way to the manifold.
struct ProjectionWork {
  double t = 0;
  dynamics::Norm norm = dynamics::Norm::kMass;
  std::vector<std::vector<double>> q, v;  ///< iterates; q[0] is the start, not normalized
  std::vector<std::vector<double>> delta_q, lambda_q, delta_v, lambda_v;  ///< steps from them
  int num_q = 0, num_v = 0;                                               ///< of steps
  std::vector<double> rest;                                               ///< external states
};

/// The last jump.
struct JumpWork {
  int event = -1, force = -1, force_switch = 0;
  bool hits = false;
  double Lambda = 0;
  std::vector<double> response, lambda;  ///< of v per unit of impulse, and its multipliers
};

struct ModelWorkspace final : dynamics::Workspace {
  ModelWorkspace(const ModelData& m, int max_directions);

  // At the bound parameters.
  std::vector<double> table_scratch, table_gradients;
  Constants<double> constants;
  bool is_possible = true;  ///< no mass is negative
  BoundSites<double> sites;
  tree::Workspace point;
  mechanism::ElementWork elements;
  std::vector<Force<double>> wrenches;  ///< one per body of the tree

  SeenPoint evaluated, looked;
  ClosureWork closures;
  ProjectionWork projection;
  JumpWork jump;
  std::vector<double> tau, zero_v, residuals, rates, buffer_q, buffer_v;

  // Directions: constants of every chunk that is bound, one more without directions, room for one.
  struct Chunk {
    Constants<Dual> constants;
    BoundConstants<Dual> bound;
    BoundSites<Dual> sites;
    std::vector<Dual> all;  ///< constants of the mechanism
    std::vector<Lane> dp;
    bool is_current = false;
  };
  std::vector<Chunk> chunks;
  dynamics::Directions dp;
  Chunk* chunk = nullptr;
  const Lane* du = nullptr;  ///< directions of the inputs in the chunk; null: zero
  DirectionWorkspace room;
  std::vector<Force<Dual>> dual_wrenches;
  std::vector<Dual> qdot, dual_v;
  std::vector<Lane> lanes, row_lanes, dy_lanes, rate_lanes;

  mechanism::QuantityObserver::Work observer;
};

inline ModelWorkspace& cast(dynamics::Workspace& ws) {
  return static_cast<ModelWorkspace&>(ws);
}

}  // namespace parfait::tree
