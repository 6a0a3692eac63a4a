#include "parfait/motion/signals/quintic_spline.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "parfait/base/error.h"

namespace parfait::motion {
namespace {

/// Row-major 2 x 2.
using Block = std::array<double, 4>;
using Pair = std::array<double, 2>;

Block product(const Block& A, const Block& B) {
  return {A[0] * B[0] + A[1] * B[2], A[0] * B[1] + A[1] * B[3], A[2] * B[0] + A[3] * B[2],
          A[2] * B[1] + A[3] * B[3]};
}
Pair product(const Block& A, const Pair& x) {
  return {A[0] * x[0] + A[1] * x[1], A[2] * x[0] + A[3] * x[1]};
}
Block inverse(const Block& A) {
  const double d = A[0] * A[3] - A[1] * A[2];
  return {A[3] / d, -A[1] / d, -A[2] / d, A[0] / d};
}

/// f''' h^3 and f'''' h^4 at the ends of an interval are linear in (y, h v, h^2 a) of both ends:
///   (0): f''' = 60 D - 36 V0 - 24 V1 - 9 A0 + 3 A1,    f'''' = -360 D + 192 V0 + 168 V1 + 36 A0 - 24 A1
///   (1): f''' = 60 D - 24 V0 - 36 V1 - 3 A0 + 9 A1,    f'''' =  360 D - 168 V0 - 192 V1 - 24 A0 + 36 A1
/// with D = y1 - y0. Rows: f''', f''''; columns: v, a of the left end, of the right end.
struct EndRows {
  Block left, right;
  Pair rest;  ///< the part of D
};
EndRows at_begin(double h, double D) {
  const double h2 = h * h, h3 = h2 * h, h4 = h3 * h;
  return {{-36 / h2, -9 / h, 192 / h3, 36 / h2},
          {-24 / h2, 3 / h, 168 / h3, -24 / h2},
          {60 * D / h3, -360 * D / h4}};
}
EndRows at_end(double h, double D) {
  const double h2 = h * h, h3 = h2 * h, h4 = h3 * h;
  return {{-24 / h2, -3 / h, -168 / h3, -24 / h2},
          {-36 / h2, 9 / h, -192 / h3, 36 / h2},
          {60 * D / h3, 360 * D / h4}};
}

}  // namespace

QuinticSpline::QuinticSpline(std::span<const double> t, std::span<const double> y)
    : t_(t.begin(), t.end()), y_(y.begin(), y.end()), v_(t.size()), a_(t.size()) {
  const std::size_t n = t.size();
  if (n < 3 || y.size() != n) throw base::InputError("a spline needs at least three points.");
  for (std::size_t i = 1; i < n; ++i) {
    if (!(t[i] > t[i - 1])) throw base::InputError("the times of a spline must ascend.");
  }
  // lower[i] x[i-1] + diagonal[i] x[i] + upper[i] x[i+1] = right[i],  x = (v, a).
  std::vector<Block> diagonal(n), upper(n);
  std::vector<Pair> x(n);
  Block before{};  // diagonal[i-1]^-1 upper[i-1]
  for (std::size_t i = 0; i < n; ++i) {
    Block lower{}, middle{}, next{};
    Pair right{};
    if (i > 0) {
      const EndRows rows = at_end(t[i] - t[i - 1], y[i] - y[i - 1]);
      for (std::size_t k = 0; k < 4; ++k) lower[k] = rows.left[k], middle[k] = rows.right[k];
      for (std::size_t k = 0; k < 2; ++k) right[k] = -rows.rest[k];
    }
    if (i + 1 < n) {
      const EndRows rows = at_begin(t[i + 1] - t[i], y[i + 1] - y[i]);
      for (std::size_t k = 0; k < 4; ++k) middle[k] -= rows.left[k], next[k] = -rows.right[k];
      for (std::size_t k = 0; k < 2; ++k) right[k] += rows.rest[k];
    }
    if (i > 0) {
      const Block fill = product(lower, before);
      const Pair carried = product(lower, x[i - 1]);
      for (std::size_t k = 0; k < 4; ++k) middle[k] -= fill[k];
      for (std::size_t k = 0; k < 2; ++k) right[k] -= carried[k];
    }
    const Block solved = inverse(middle);
    before = product(solved, next);
    upper[i] = before;
    x[i] = product(solved, right);
  }
  for (std::size_t i = n - 1; i-- > 0;) {
    const Pair step = product(upper[i], x[i + 1]);
    x[i] = {x[i][0] - step[0], x[i][1] - step[1]};
  }
  for (std::size_t i = 0; i < n; ++i) {
    v_[i] = x[i][0];
    a_[i] = x[i][1];
  }
}

QuinticSpline::Value QuinticSpline::operator()(double t) const {
  const std::size_t n = t_.size();
  if (t <= t_.front() || t >= t_.back()) {
    const std::size_t i = t <= t_.front() ? 0 : n - 1;
    const double s = t - t_[i];
    return {y_[i] + s * (v_[i] + 0.5 * s * a_[i]), v_[i] + s * a_[i], a_[i]};
  }
  const auto after = std::upper_bound(t_.begin(), t_.end(), t);
  const auto i = static_cast<std::size_t>(after - t_.begin()) - 1;
  const double h = t_[i + 1] - t_[i], u = (t - t_[i]) / h;
  const double D = y_[i + 1] - y_[i], V0 = h * v_[i], V1 = h * v_[i + 1], A0 = h * h * a_[i],
               A1 = h * h * a_[i + 1];
  const double c2 = 0.5 * A0, c3 = 10 * D - 6 * V0 - 4 * V1 - 1.5 * A0 + 0.5 * A1,
               c4 = -15 * D + 8 * V0 + 7 * V1 + 1.5 * A0 - A1,
               c5 = 6 * D - 3 * V0 - 3 * V1 - 0.5 * A0 + 0.5 * A1;
  return {y_[i] + u * (V0 + u * (c2 + u * (c3 + u * (c4 + u * c5)))),
          (V0 + u * (2 * c2 + u * (3 * c3 + u * (4 * c4 + u * 5 * c5)))) / h,
          (2 * c2 + u * (6 * c3 + u * (12 * c4 + u * 20 * c5))) / (h * h)};
}

}  // namespace parfait::motion
