#include "parfait/tree/algorithms/workspace.h"

#include <limits>

namespace parfait::tree {

Workspace::Workspace(const Tree& tree)
    : q(tree.nq, std::numeric_limits<double>::quiet_NaN()),
      v(tree.nv, std::numeric_limits<double>::quiet_NaN()),
      nodes(tree.nodes.size()),
      forces(tree.nodes.size()),
      articulated(tree.nodes.size()),
      composite(tree.nodes.size()),
      H(tree.nv * tree.nv),
      L(tree.row_columns.size()),
      D_inverse(tree.nv),
      tau(tree.nw),
      scratch(driven_scratch_size(tree)) {
  resize(tree, driven);
  bind(tree, tree.constants);
}

void Workspace::bind(const Tree& tree, const Constants<double>& constants) {
  derive(tree, constants, bound);
  current = 0;
}

}  // namespace parfait::tree
