#pragma once

#include <array>
#include <cstddef>

namespace parfait::integrate {

/// A linear combination of vectors, evaluated in one pass over memory: with many directions the
/// passes, not the products, are what a step costs.
class Combination {
 public:
  static constexpr int kMaxTerms = 24;

  void clear() { count_ = 0; }
  /// Adds weight * x; nothing for a zero weight.
  void add(double weight, const double* x) {
    if (weight == 0) return;
    weights_[count_] = weight;
    terms_[count_++] = x;
  }
  /// out = base + sum (base null: the sum alone). `out` may be `base`.
  void evaluate(const double* base, double* out, std::size_t size) const;

 private:
  std::array<double, kMaxTerms> weights_{};
  std::array<const double*, kMaxTerms> terms_{};
  int count_ = 0;
};

}  // namespace parfait::integrate
