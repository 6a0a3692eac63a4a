#pragma once

#include <span>
#include <vector>

namespace parfait::integrate {

/// An explicit Runge-Kutta pair with a continuous extension:
///
///   k_i = f(t + c_i h, y + h sum_{j<i} a_ij k_j)
///   y(t + h)       ~ y + h sum b_i k_i            order `order`
///   y(t + theta h) ~ y + h sum b_i(theta) k_i     order `dense_order`, see dense_weights()
///
/// The first `stages` stages make a trial step. The others, up to `total_stages`, serve only the
/// continuous extension and are worth computing when an accepted step is asked for values inside
/// it. One stage, `fsal_stage`, is the right-hand side at the new point, so it is the first stage
/// of the next step ("first same as last"); its row of a is b. If fsal_stage < stages it comes free
/// with the trial, otherwise it is computed once the step is accepted.
///
/// Error  With the vectors E = sum e_i k_i and E2 = sum e2_i k_i the step is judged by
///
///          err = h |E|                                      without a second estimator
///          err = h |E|^2 / sqrt(|E|^2 + 0.01 |E2|^2)        with one
///
///        and err = O(h^(error_order + 1)), so a controller scales the step with
///        err^(-1 / (error_order + 1)). Dormand-Prince 8: |E| = O(h^5), |E2| = O(h^3), hence
///        err = O(h^8) and the exponent is 1/8 (Hairer, Norsett, Wanner 1993, II.10).
///
/// Laws   c_i = sum_j a_ij; the order conditions for every rooted tree up to the order;
///        b_i(0) = 0, b_i(1) = b_i; b_i'(0) picks the first stage, b_i'(1) the stage fsal_stage, so
///        the extension of successive steps is continuously differentiable. Checked in
///        tableau_test.cc.
struct Tableau {
  int stages = 0;
  int total_stages = 0;
  int order = 0;
  int error_order = 0;
  int dense_order = 0;
  int fsal_stage = 0;
  std::vector<double> c;               ///< total_stages entries
  std::vector<std::vector<double>> a;  ///< total_stages rows, row i has i entries
  std::vector<double> b;               ///< `stages` entries; later stages have weight 0
  std::vector<double> e;               ///< `stages` entries
  std::vector<double> e2;              ///< `stages` entries, or none
  /// What the continuous extension adds to cubic Hermite interpolation: one row per stage (all
  /// total_stages), with the same number of entries (1 to 4) in each.
  std::vector<std::vector<double>> bubble;

  /// b_i(theta) for all total_stages stages: the cubic Hermite interpolant of (y, k_1) and (y_1,
  /// k_fsal), plus a bubble that leaves values and slopes at both ends alone and lifts the order,
  ///
  ///   b_i(theta) = theta^2 (3 - 2 theta) b_i + theta (1 - theta)^2 [i is first]
  ///                - theta^2 (1 - theta) [i is fsal_stage]
  ///                + theta^2 (1 - theta)^2 (d_i1 + theta (d_i2 + (1 - theta) (d_i3 + theta d_i4)))
  ///
  /// with d = `bubble`. This form is exact at both ends; written in powers of theta the weights
  /// of Dormand-Prince 8 have coefficients up to 545 that cancel near theta = 1 and cost two
  /// digits. `out` has total_stages entries. No allocation.
  void dense_weights(double theta, std::span<double> out) const;

  /// d b_i / d theta, so that sum_i out_i k_i approximates y' at t + theta h.
  void dense_rate_weights(double theta, std::span<double> out) const;
};

/// Dormand and Prince, 5(4) with seven stages: J. Comput. Appl. Math. 6 (1980) 19-26; continuous
/// extension of order 4 by Shampine, as given by Hairer, Norsett, Wanner 1993, II.6.
const Tableau& dormand_prince_5();

/// Dormand and Prince, order 8 with twelve stages, with the error estimators of orders 5 and 3 and
/// the continuous extension of order 7 (three further stages) of Hairer, Norsett, Wanner 1993,
/// II.5, II.6 and II.10.
const Tableau& dormand_prince_8();

}  // namespace parfait::integrate
