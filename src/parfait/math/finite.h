#pragma once

#include <Eigen/Core>
#include <span>

namespace parfait::math {

/// Whether no number is infinite or NaN.
bool all_finite(std::span<const double> x);

template <typename Derived>
bool all_finite(const Eigen::PlainObjectBase<Derived>& x) {
  return all_finite(std::span<const double>(x.data(), x.size()));
}

}  // namespace parfait::math
