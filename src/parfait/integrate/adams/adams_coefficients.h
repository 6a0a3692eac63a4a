#pragma once

#include <array>

namespace parfait::integrate {

inline constexpr int kMaxAdamsOrder = 12;

/// Arrays over i = 1 ... k + 2, numbered as in the equations; entry 0 is not used.
using AdamsArray = std::array<double, kMaxAdamsOrder + 3>;

/// The errors |gamma*_k| h^(k+1) y^(k+1) of the Adams-Moulton formulas of order k at constant step
/// size, k = 0 ... 13: 1, 1/2, 1/12, 1/24, 19/720, ... (A9).
const std::array<double, kMaxAdamsOrder + 2>& adams_moulton_errors();

/// The coefficients of variable-step Adams formulas, from the step sizes of the past.
///
///   The step from t_n to t_n + h of order k sees the right-hand side at t_n, ..., t_(n-k+1)
///   through the modified divided differences phi_i (A1); nothing here depends on the problem.
///
/// Cost    O(k^2) numbers per step, none per component.
/// See     docs/theory/adams.md (A1-A9).
class AdamsCoefficients {
 public:
  /// No past: one value of the right-hand side is known.
  void start();

  /// How many of phi_1(n), phi_2(n), ... are known; an order above it is impossible.
  int num_known() const { return num_known_; }

  /// The step tried next. Before: 1 <= order <= num_known(), h > 0.
  void plan(double h, int order);
  /// The planned step was taken: its end is the new t_n.
  void accept();

  double h() const { return h_; }
  int order() const { return order_; }
  /// (A3) phi_i(n) beta_i is the difference at the spacing of the new step; i up to
  /// min(k + 1, num_known()).
  double beta(int i) const { return beta_[i]; }
  /// (A5) Integrals over the whole step, i up to k + 1.
  double g(int i) const { return g_[i]; }
  /// (A8) sigma_i phi_i is the backward difference at constant step size h, i up to k + 1, and k +
  /// 2 if num_known() > k.
  double sigma(int i) const { return sigma_[i]; }
  /// (A8) The error of a formula of this order per unit of its difference phi_(order+1).
  double error_factor(int order) const {
    return h_ * adams_moulton_errors()[order] * sigma_[order + 1];
  }

  /// (A10) How often the rounding errors of f are contained in phi_i(n+1), i up to
  /// min(k + 2, num_known() + 1): 2^(i-1) at constant steps, far more where steps keep growing.
  double noise(int i) const { return noise_next_[i]; }

  /// Newton's basis (A4) at t_n + s h, and its integral from t_n divided by s h, i = 1 ... k + 1.
  void basis(double s, AdamsArray& c, AdamsArray& g) const;

 private:
  int num_known_ = 1;
  int order_ = 0;
  double h_ = 0;
  AdamsArray psi_{};       ///< psi_i(n) = t_n - t_(n-i)
  AdamsArray psi_next_{};  ///< psi_i(n+1)
  AdamsArray beta_{};
  AdamsArray g_{};
  AdamsArray sigma_{};
  AdamsArray noise_{};
  AdamsArray noise_next_{};
};

}  // namespace parfait::integrate
