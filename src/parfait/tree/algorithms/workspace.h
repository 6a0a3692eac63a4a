#pragma once

#include <vector>

#include "parfait/tree/algorithms/kinematics.h"

namespace parfait::tree {

/// The articulated inertia of a node about its origin, [A B; B^T C] (moments over angular
/// acceleration first), and what is needed to solve for its own accelerations.
struct Articulated {
  Sym3<double> A;
  Mat3<double> B;
  Sym3<double> C;
  // One degree of freedom: U = I^A s, 1/(s^T I^A s).
  Vec3<double> U_n, U_f;
  double D_inverse = 0;
  // Ball: D^-1 = A^-1, G = A^-1 B. Displacement: D^-1 = C^-1, G = C^-1 B^T.
  Sym3<double> D3_inverse;
  Mat3<double> G;
};

/// Scratch and results of one caller; everything is allocated here, nothing later.
///
/// It knows what is current: functions compare the q and v they are given with those of the last
/// call and do again only what depends on what has changed. Binding other constants makes all
/// stale.
class Workspace {
 public:
  explicit Workspace(const Tree& tree);

  /// Other numbers for the same structure.
  void bind(const Tree& tree, const Constants<double>& constants);

  /// Levels of what is computed, each for the present q (kVelocities: and v).
  enum Level : unsigned {
    kPositions = 1,
    kInertias = 2,
    kVelocities = 4,
    kArticulated = 8,
    kMassMatrix = 16,
    kFactors = 32,
  };
  bool has(Level level) const { return (current & level) != 0; }

  unsigned current = 0;
  BoundConstants<double> bound;
  std::vector<double> q, v;
  DrivenMotion<double> driven;
  std::vector<NodeMotion<double>> nodes;
  std::vector<NodeForces<double>> forces;
  std::vector<Articulated> articulated;
  std::vector<Inertia<double>> composite;  ///< of all that a node carries
  std::vector<double> H;                   ///< mass matrix, nv x nv, row by row
  /// Its factors H = L^T D L: the entries of L below its unit diagonal, as Tree::row_columns has
  /// them, and 1 / D.
  std::vector<double> L, D_inverse;
  std::vector<double> tau;  ///< of all elementary motions
  std::vector<double> scratch;

  const double* theta(const Tree& tree) const {
    return tree.plain ? q.data() : driven.theta.data();
  }
  const double* w(const Tree& tree) const { return tree.plain ? v.data() : driven.w.data(); }
};

}  // namespace parfait::tree
