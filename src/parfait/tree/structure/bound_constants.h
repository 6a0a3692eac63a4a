#pragma once

#include <vector>

#include "parfait/tree/structure/tree.h"

namespace parfait::tree {

/// The numbers of a node, in its own frame N: z lies along the axis of its step.
template <class S>
struct NodeConstants {
  Transform<S> X_PN;  ///< its frame at theta = 0 in the parent node's frame
  Inertia<S> I;       ///< of the body that ends here, about the node's origin; zero without one
};

/// What the algorithms use, derived from the described constants: frames of joints, axes and
/// offsets of bodies meet in one transform per node.
template <class S>
struct BoundConstants {
  std::vector<NodeConstants<S>> nodes;
  std::vector<Transform<S>> X_NB;  ///< frame of each body in the frame of its node
  std::vector<Coefficients<S>> functions;
  Vec3<S> gravity{};
};

template <class S>
void derive(const Tree& tree, const Constants<S>& constants, BoundConstants<S>& out);

/// The described constants with directions zero, to which a caller adds those it wants.
Constants<math::Dual> without_directions(const Constants<double>& constants);

}  // namespace parfait::tree
