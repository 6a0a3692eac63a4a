#pragma once

#include <vector>

#include "parfait/math/lanes.h"
#include "parfait/mbs/solver/elimination.h"

/// Block LDL^T of the joint matrix K with constraint partitioning, and solves with its factors
/// (docs/theory/solver.md, S8; docs/theory/partitioning.md, T1-T3).
namespace parfait::mbs {

/// Storage for K and its factors; sized once.
struct BlockFactors {
  std::vector<double> K;          ///< blocks of the plan; K(p, j) becomes W_p = K(p, j) L^-T
  std::vector<double> S;          ///< S_p = W_p d^-1, same offsets as K
  std::vector<double> L;          ///< per joint 6 x 6: L[c * 6 + k] = L(k, c), k > c
  std::vector<double> inverse;    ///< per joint 8: 1 / d, or 0 for a dropped row
  std::vector<double> diagonal0;  ///< per joint 8: the assembled diagonal
  int num_dropped = 0;

  BlockFactors() = default;
  BlockFactors(const EliminationPlan& plan, int num_joints);
};

/// K = L d L^T block by block. A pivot d <= tolerance * d0 (d0 the assembled diagonal) marks a row
/// that the rows before it imply: its 1/d is set to 0, which drops it (Kraus 2006, section 5.2).
void factor(const EliminationPlan& plan, double tolerance, BlockFactors& f);

/// Solves K lambda = r in place, r with 8 doubles per joint: first forward, then backward step by
/// step from the last to the first, after each of which the multipliers of its joint are known.
void forward(const EliminationPlan& plan, const BlockFactors& f, double* r);
void backward(const EliminationPlan& plan, const EliminationPlan::Step& step, const BlockFactors& f,
              double* r);

/// All of this for kLanes right-hand sides at once; r holds 6 lanes per joint.
void solve_lanes(const EliminationPlan& plan, const BlockFactors& f, math::Lane* r);

}  // namespace parfait::mbs
