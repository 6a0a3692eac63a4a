#pragma once

#include <span>
#include <vector>

namespace parfait::motion {

/// The natural spline of degree five through given points: the smoothest function there is, with
/// the least integral of (f''')^2 of all that pass through them. f''' and f'''' vanish at both
/// ends; beyond them it continues as a parabola.
///
/// Found from its slopes and curvatures at the knots: on each interval the quintic Hermite
/// polynomial, with f''' and f'''' continuous from one to the next: a block tridiagonal system of
/// 2 x 2 blocks. O(n).
class QuinticSpline {
 public:
  /// InputError unless t ascends and has at least three points, as many as y.
  QuinticSpline(std::span<const double> t, std::span<const double> y);

  struct Value {
    double f = 0, d1 = 0, d2 = 0;
  };
  Value operator()(double t) const;

 private:
  std::vector<double> t_, y_, v_, a_;
};

}  // namespace parfait::motion
