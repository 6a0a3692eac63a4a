#pragma once

#include <optional>
#include <unordered_map>

#include "parfait/mechanism/quantities/quantity.h"
#include "parfait/tree/algorithms/derivatives.h"
#include "parfait/tree/build/mechanism_tree.h"
#include "parfait/tree/model.h"

/// What a tree::Model keeps, and what its workspace does. Internal to the room.
namespace parfait::tree {

using math::Dual;
using math::Lane;
using mechanism::Quantity;

/// Quantities by name. Markers are numbered: the named ones of all bodies, then begin and end of
/// every joint.
class Quantities {
 public:
  Quantities() = default;
  Quantities(const mechanism::Description& description, const MechanismTree& mechanism);

  std::optional<Quantity> find(const std::string& name) const;
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<MechanismTree::Marker>& markers() const { return markers_; }
  /// The marker on the begin side of a joint; the next one is on its end side.
  int begin_marker(int joint) const { return first_joint_marker_ + 2 * joint; }
  /// The body of the tree that a joint carries; -1: it carries none.
  int carried(int joint) const { return carried_[joint]; }

 private:
  void add(const std::string& name, const Quantity& quantity);

  std::unordered_map<std::string, Quantity> index_;
  std::vector<std::string> names_;
  std::vector<MechanismTree::Marker> markers_;
  std::vector<int> carried_;
  int first_joint_marker_ = 0;
};

struct ModelData {
  explicit ModelData(const mechanism::Description& given);

  mechanism::Description description;
  std::vector<std::string> warnings;
  MechanismTree mechanism;
  Quantities quantities;
  dynamics::Sizes sizes;
  std::vector<dynamics::ParameterInfo> parameters;

  const Tree& tree() const { return mechanism.tree(); }
};

/// Numbers that quantities are computed from, as numbers or with directions.
template <class S>
struct Observed {
  Constants<S> constants;
  std::vector<Transform<S>> markers;  ///< in the frames of their bodies
  std::vector<S> p;
  S t{};
};

struct ModelWorkspace final : dynamics::Workspace {
  ModelWorkspace(const ModelData& m, int max_directions);

  std::vector<double> p, constants, scratch, gradients;
  tree::Workspace point;           ///< at the bound constants
  std::vector<double> q, v, vdot;  ///< of the last evaluate()
  std::vector<double> no_torque, tau;
  std::vector<double> seen_q, seen_v, seen_vdot;  ///< of the last observe()
  std::vector<double> before;                     ///< q before the last project()
  std::vector<double> invariants;

  // Directions: constants bound for every chunk, and room for one.
  struct BoundChunk {
    BoundConstants<Dual> bound;
    Observed<Dual> observed;
  };
  std::vector<BoundChunk> chunks;
  DirectionWorkspace room;
  std::vector<Lane> lanes;
  std::vector<Dual> qdot, dual_constants;

  Observed<double> observed;
  std::vector<double> quantity_values, observer_scratch, observer_gradients, rates;
  std::vector<Lane> quantity_lanes;
};

inline ModelWorkspace& cast(dynamics::Workspace& ws) {
  return static_cast<ModelWorkspace&>(ws);
}

/// Loads the directions of y in one chunk into the room, and its constants; the caller gives the
/// constants back with the same call.
void swap_chunk(ModelWorkspace& w, int chunk);
void load_directions(const ModelData& m, ModelWorkspace& w, dynamics::ConstVec y,
                     const dynamics::PointDirections& d, int chunk);

/// The value of a quantity from nodes (and, for accelerations and reactions, forces of inverse
/// dynamics) that are current.
template <class S>
S quantity_value(const ModelData& m, const Observed<S>& observed, const BoundConstants<S>& bound,
                 const std::vector<NodeMotion<S>>& nodes, const std::vector<NodeForces<S>>& forces,
                 const Quantity& quantity);

}  // namespace parfait::tree
