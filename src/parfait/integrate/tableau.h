#pragma once

#include <vector>

namespace parfait::integrate {

/// An explicit Runge-Kutta pair with a continuous extension:
///
///   k_i = f(t + c_i h, y + h sum_{j<i} a_ij k_j)
///   y(t + h)       ~ y + h sum b_i k_i            order `order`
///   error estimate ~     h sum e_i k_i            e = b - b^, b^ of order `error_order`
///   y(t + theta h) ~ y + h sum b_i(theta) k_i     order `dense_order`, b_i(theta) = sum_j d_ij
///   theta^(j+1)
///
/// Laws  c_i = sum_j a_ij; the order conditions for every rooted tree up to the order; b_i(0) = 0,
///       b_i(1) = b_i. Checked in tableau_test.cc.
struct Tableau {
  int stages = 0;
  int order = 0;
  int error_order = 0;
  int dense_order = 0;
  /// The last stage is the right-hand side at the new point, so it can serve as the first of the
  /// next step ("first same as last").
  bool fsal = false;
  std::vector<double> c;
  std::vector<std::vector<double>> a;  ///< row i has i entries
  std::vector<double> b;
  std::vector<double> e;
  std::vector<std::vector<double>> dense;  ///< d_ij: one row per stage, powers theta, theta^2, ...

  /// b_i(theta) for all stages.
  std::vector<double> dense_weights(double theta) const;
};

/// Dormand and Prince, 5(4) with seven stages: J. Comput. Appl. Math. 6 (1980) 19-26; continuous
/// extension of order 4 by Shampine, as given by Hairer, Norsett, Wanner, Solving ODEs I, II.6.
const Tableau& dormand_prince_5();

}  // namespace parfait::integrate
