#pragma once

#include <memory>

#include "parfait/dynamics/second_order.h"

namespace parfait::integrate {

/// How q_1, v_1 and e_1 follow a_1 and d_1.
struct HhtWeights {
  double alpha = 0;
  double beta_h2 = 0;  ///< dq_1 / da_1
  double gamma_h = 0;  ///< dv_1 / da_1
};

/// The mass matrix, and the matrix of Newton's method for (a, lambda, d):
///
///   [ M / (1 + alpha) - beta h^2 r_q - gamma h r_v    G^T    -gamma h r_e                    ]
///   [ G                                               0      0                               ]
///   [ -beta h^2 f_q - gamma h f_v                     0      I / (1 + alpha) - gamma h f_e   ]
///
/// (the second row is dg / (beta h^2)). Where rows of G depend on each other it is singular in
/// lambda alone. The zero block is then -delta diag(s), s_i = sum_j G_ij^2 / M_jj, with a small
/// delta: harmless multiples of vanishing combinations of rows stay small, everything else is
/// right to a factor of about delta, which Newton's method, or refinement, takes away
/// (docs/theory/hht.md, H7).
class HhtMatrix {
 public:
  HhtMatrix(int nq, int ng, int ne);
  ~HhtMatrix();

  /// False if M is singular.
  bool set_mass(const dynamics::Triplets& M);
  void multiply_mass(dynamics::ConstVec x, dynamics::Vec Mx) const;
  void multiply_mass(const dynamics::Directions& x, dynamics::Directions& Mx) const;
  /// x = M^-1 x
  void divide_by_mass(dynamics::Vec x) const;
  void divide_by_mass(dynamics::Directions& x) const;

  /// False if it is singular in more than lambda.
  bool factor(const dynamics::Linearization& at, const HhtWeights& weights);
  /// x = J^-1 x, but for the small delta: a step of Newton's method.
  void solve(dynamics::Vec x) const;
  /// x = J^-1 x, refined until delta has no effect.
  void solve(dynamics::Directions& x) const;
  /// x = J^-T x, likewise.
  void solve_transposed(dynamics::Vec x) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace parfait::integrate
