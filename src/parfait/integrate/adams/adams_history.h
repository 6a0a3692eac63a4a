#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "parfait/integrate/adams/adams_coefficients.h"
#include "parfait/math/directions.h"

namespace parfait::integrate {

/// The past of many numbers y' = f that are integrated with the same Adams formulas: the components
/// of a state, or of all its directions. It is because the formulas are linear in f that one class
/// serves both, and that the second is the exact derivative of the first.
///
///   One step: predict, [f at the predicted point], correct, [f at the corrected point], finish;
///   then interpolate at will, and advance before the next step. A step that is not accepted
///   is simply predicted again: nothing of the past changes before advance.
///
/// Layout  Every array has size() numbers, a multiple of kLanes; the differences of kLanes numbers
///         lie together.
/// Cost    Each call passes once over the differences of the order used; nothing is allocated after
///         the first resize.
/// See     docs/theory/adams.md (A1-A7).
class AdamsHistory {
 public:
  /// Room for n numbers, rounded up to a multiple of kLanes.
  void resize(std::size_t n);
  std::size_t size() const { return delta_.size(); }

  /// phi_1 = f, the rest unknown.
  void start(const double* f);

  /// p = y0 + h sum_(i<=k) g_i beta_i phi_i (A6).
  void predict(const AdamsCoefficients& c, const double* y0, double* p);
  /// y1 = p + h g_(k+1) delta, delta = f_p - sum_(i<=k) beta_i phi_i (A6).
  void correct(const AdamsCoefficients& c, const double* p, const double* fp, double* y1);
  /// f1: at the point where the next step starts.
  void finish(const double* fp, const double* f1);

  /// The continuous extension (A7) at t_n + s h, and its time derivative.
  void interpolate(const AdamsCoefficients& c, double s, const double* y0,
                   std::span<double> y) const;
  void interpolate_rate(const AdamsCoefficients& c, double s, std::span<double> dydt) const;

  /// phi(n) becomes phi(n+1) (A1). Before: c is still that of the step, not yet accepted.
  void advance(const AdamsCoefficients& c, const double* f1);

  /// phi_(k+1-below)(n+1) as the predicted point sees it, 0 <= below < k (A8).
  void predicted_difference(const AdamsCoefficients& c, int below, double* out) const;
  /// phi_(k+2)(n+1), after finish; needs c.num_known() > k.
  void higher_difference(const AdamsCoefficients& c, double* out) const;

 private:
  static constexpr std::size_t kDepth = kMaxAdamsOrder + 2;
  const double* difference(std::size_t b, int i) const {
    return phi_.data() + (b * kDepth + i - 1) * math::kLanes;
  }
  double* difference(std::size_t b, int i) {
    return phi_.data() + (b * kDepth + i - 1) * math::kLanes;
  }
  /// out = (y0 + scale * sum w_i beta_i phi_i) + scale * (w_(k+1) delta + bubble change)
  void combine(const AdamsCoefficients& c, const AdamsArray& w, double bubble, double scale,
               const double* y0, std::span<double> out) const;

  std::vector<double> phi_;  ///< [block][i][lane]
  std::vector<double> delta_, change_;
};

}  // namespace parfait::integrate
