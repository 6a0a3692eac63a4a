#pragma once

#include "parfait/tree/algorithms/generalized_force.h"
#include "parfait/tree/algorithms/row_solver.h"

namespace parfait::tree {

/// Rows of wrenches on nodes, as generalized forces into a RowSolver: neighbouring rows that act on
/// one node (those of a point on a foot) go down the tree together, side by side in a lane.
class RowBatch {
 public:
  RowBatch(const Tree& tree, const Workspace& ws, RowSolver& solver)
      : tree_(tree), ws_(ws), solver_(solver) {}
  RowBatch(const RowBatch&) = delete;
  RowBatch& operator=(const RowBatch&) = delete;
  ~RowBatch() { flush(); }

  /// Adds the wrench F about the origin of a node to a row.
  void add(int row, int node, const Force<double>& F) {
    if (node != node_ || row != first_ + count_ || count_ == math::kLanes) {
      flush();
      node_ = node;
      first_ = row;
    }
    const SizedForce<double> one = sized(F);
    all_.F.n.x[count_] = F.n.x;
    all_.F.n.y[count_] = F.n.y;
    all_.F.n.z[count_] = F.n.z;
    all_.F.f.x[count_] = F.f.x;
    all_.F.f.y[count_] = F.f.y;
    all_.F.f.z[count_] = F.f.z;
    all_.moment[count_] = one.moment;
    all_.force[count_] = one.force;
    ++count_;
  }

 private:
  void flush() {
    if (count_ == 0) return;
    add_generalized_force(tree_, ws_, node_, all_,
                          [&](int k, const math::Lane& value, const math::Lane& most) {
                            solver_.add(first_, count_, k, value, most);
                          });
    all_ = {};
    count_ = 0;
  }

  const Tree& tree_;
  const Workspace& ws_;
  RowSolver& solver_;
  SizedForce<math::Lane> all_;
  int node_ = -1, first_ = 0, count_ = 0;
};

}  // namespace parfait::tree
