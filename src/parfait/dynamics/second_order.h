#pragma once

#include <vector>

#include "parfait/dynamics/system.h"

namespace parfait::dynamics {

/// A sparse matrix as a list of entries; entries at the same place add up.
struct Triplets {
  std::vector<int> row, column;
  std::vector<double> value;

  void clear() {
    row.clear();
    column.clear();
    value.clear();
  }
  void add(int i, int j, double x) {
    row.push_back(i);
    column.push_back(j);
    value.push_back(x);
  }
  int size() const { return static_cast<int>(value.size()); }
};

/// Derivatives of r = f - G^T lambda, of g and of e' at a point, lambda held.
struct Linearization {
  Triplets dr_dq, dr_dv, dr_de;
  Triplets G;  ///< dg/dq
  Triplets dedot_dq, dedot_dv, dedot_de;
};

/// Mechanics before the constraints are differentiated (index 3):
///
///   M(p) a + G^T(t, q, p) lambda = f(t, q, v, e, p),    g(t, q, p) = 0,    e' = f_e(t, q, v, e, p)
///
/// with q' = v, G = dg/dq, and M constant, symmetric and positive definite. The rows of G may
/// depend on each other. g are the num_pos position invariants of the system.
///
/// Laws (mbs/second_order/second_order_test.cc)
///   with a from System::evaluate() there is a lambda with M a = f - G^T lambda; linearize() and
///   directions() are the derivatives of evaluate(); the pattern of a matrix, in the order of its
///   entries, never changes.
class SecondOrder {
 public:
  virtual ~SecondOrder() = default;

  /// M at the parameters bound.
  virtual void mass(Workspace& ws, Triplets& M) const = 0;
  /// (dM/dp dp) a along the directions of the parameters bound: nq x k.
  virtual void mass_directions(Workspace& ws, ConstVec a, Directions& dMa) const = 0;

  /// r = f - G^T lambda (nq), g (num_pos) and e' (ne) at a point. Offsets are not used.
  virtual Status evaluate(Workspace& ws, const Point& at, ConstVec lambda, Vec r, Vec g,
                          Vec edot) const = 0;
  /// At the point of the last evaluate().
  virtual void linearize(Workspace& ws, Linearization& out) const = 0;
  /// Directions of r, g and e' along those of the point and of the parameters bound, lambda held,
  /// at the point of the last evaluate().
  virtual void directions(Workspace& ws, const PointDirections& d, Directions& dr, Directions& dg,
                          Directions& dedot) const = 0;

  /// The transposes of mass_directions() and directions() in the parameters: <seed, M(p) a> and
  /// <r, r(p)> + <g, g(p)> + <edot, e'(p)>, at the point of the last evaluate(), added to the
  /// adjoints of parameters in the workspace. `r` moves bodies as their constraints allow, G r = 0.
  /// False: there are none, and nothing was added (System::has_pull_backs() is false).
  /// Those of the state are products with the matrices of linearize().
  virtual bool pull_back_mass(Workspace&, ConstVec /*a*/, ConstVec /*seed*/) const { return false; }
  virtual bool pull_back_parameters(Workspace&, ConstVec /*r*/, ConstVec /*g*/,
                                    ConstVec /*edot*/) const {
    return false;
  }
};

}  // namespace parfait::dynamics
