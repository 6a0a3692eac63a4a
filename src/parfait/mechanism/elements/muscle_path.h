#pragma once

#include <cstdint>

#include "parfait/mechanism/elements/force.h"

/// How long a muscle's path is, and how its length changes with the points it goes through:
/// straight from end to end, and round a cylinder or a sphere (docs/theory/muscles.md, Q1-Q5).
namespace parfait::mechanism {

/// The length of a leg from a to b, both in axes of the obstacle, with its gradient.
template <class S>
struct Leg {
  S length;
  S by_a[3], by_b[3];  ///< unit vectors: from the neighbour of a on the path to a, and likewise b
  S wrap;              ///< the angle on the obstacle; negative: it goes past
};

namespace paths {

using math::atan2;
using math::sqrt;
using std::atan2;
using std::sqrt;

template <class S>
S inner(const S* a, const S* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

template <class S>
void set_straight(const S* a, const S* b, Leg<S>& leg) {
  S d[3];
  for (int i = 0; i < 3; ++i) d[i] = a[i] - b[i];
  leg.length = sqrt(inner(d, d));
  const S inverse = S(1.0) / leg.length;
  for (int i = 0; i < 3; ++i) {
    leg.by_a[i] = inverse * d[i];
    leg.by_b[i] = -leg.by_a[i];
  }
}

/// No obstacle: `at` is passed.
struct Straight {
  static constexpr bool kWraps = false;
};

/// Round the z axis, in the sense of `side` (+1: counterclockwise, seen against z). In the plane
/// x-y: tangents t_a, t_b and the arc r psi; unrolled, the path is straight, so with the height
/// difference h the length is sqrt((t_a + r psi + t_b)^2 + h^2), and line and helix have one slope.
struct Cylinder {
  static constexpr bool kWraps = true;

  /// psi, and the leg that goes round.
  template <class S>
  static void wrap(const S* a, const S* b, const S& r, double side, Leg<S>& leg) {
    const S aa = a[0] * a[0] + a[1] * a[1], bb = b[0] * b[0] + b[1] * b[1];
    const S ta = sqrt(aa - r * r), tb = sqrt(bb - r * r);
    S turned = atan2(S(side) * (a[0] * b[1] - a[1] * b[0]), a[0] * b[0] + a[1] * b[1]);
    // From a little against the sense to three quarters of a turn with it.
    if (math::value_of(turned) < -1.5707963267948966) turned = turned + S(6.283185307179586);
    leg.wrap = turned - atan2(ta, r) - atan2(tb, r);
    const S flat = ta + tb + r * leg.wrap, h = b[2] - a[2];
    leg.length = sqrt(flat * flat + h * h);
    const S level = flat / leg.length, steep = h / leg.length;
    // The points of contact are (r/aa) (r a + side t_a a') with a' = (-a_y, a_x), b mirrored.
    const S ka = r / aa, kb = r / bb, sa = S(side) * ta, sb = S(side) * tb;
    const S ca[2] = {ka * (r * a[0] - sa * a[1]), ka * (r * a[1] + sa * a[0])};
    const S cb[2] = {kb * (r * b[0] + sb * b[1]), kb * (r * b[1] - sb * b[0])};
    for (int i = 0; i < 2; ++i) {
      leg.by_a[i] = level * (a[i] - ca[i]) / ta;
      leg.by_b[i] = level * (b[i] - cb[i]) / tb;
    }
    leg.by_a[2] = -steep;
    leg.by_b[2] = steep;
  }
};

/// Round the origin in the plane of o, a and b, the short way: the long one slips off.
struct Sphere {
  static constexpr bool kWraps = true;

  template <class S>
  static void wrap(const S* a, const S* b, const S& r, double, Leg<S>& leg) {
    const S aa = inner(a, a), bb = inner(b, b), ab = inner(a, b);
    const S ta = sqrt(aa - r * r), tb = sqrt(bb - r * r);
    const S c[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                    a[0] * b[1] - a[1] * b[0]};
    const S sine = sqrt(inner(c, c));
    leg.wrap = atan2(sine, ab) - atan2(ta, r) - atan2(tb, r);
    leg.length = ta + tb + r * leg.wrap;
    // In the plane: a' is perpendicular to a, towards b, and as long as a; contact as above.
    const S ka = r / aa, kb = r / bb, over = S(1.0) / sine;
    for (int i = 0; i < 3; ++i) {
      const S pa = (aa * b[i] - ab * a[i]) * over, pb = (bb * a[i] - ab * b[i]) * over;
      leg.by_a[i] = (a[i] - ka * (r * a[i] + ta * pa)) / ta;
      leg.by_b[i] = (b[i] - kb * (r * b[i] + tb * pb)) / tb;
    }
  }
};

}  // namespace paths

/// Length, rate, and the forces of a unit tension on every end.
template <class S>
struct Path {
  S length{}, rate{};
  S wrap{};  ///< angle on the obstacle, the switching function of a wrapping path
};

/// The path through all ends; where `Obstacle` wraps, the last end but one is the obstacle, and the
/// leg before the last end goes round it while `wraps` says so (or, if it is null, while it must).
/// `pull` gets the forces of a unit tension, minus the gradient of the length.
template <class Obstacle, class S>
Path<S> follow(const ElementPoint<S>& at, const S& radius, double side, const bool* wraps,
               std::span<EndForce<S>> pull) {
  Path<S> path;
  const std::size_t n = at.ends.size();
  for (std::size_t i = 0; i < n; ++i) pull[i] = {};
  const std::size_t legs = Obstacle::kWraps ? n - 3 : n - 1;
  for (std::size_t i = 0; i < legs; ++i) {
    const Vec3<S> delta = at.ends[i + 1].point - at.ends[i].point;
    const S length = paths::sqrt(dot(delta, delta));
    const Vec3<S> u = (S(1.0) / length) * delta;
    path.length = path.length + length;
    path.rate = path.rate + dot(u, at.ends[i + 1].velocity - at.ends[i].velocity);
    pull[i].force += u;
    pull[i + 1].force -= u;
  }
  if constexpr (Obstacle::kWraps) {
    const EndFrame<S>&from = at.ends[n - 3], &o = at.ends[n - 2], &to = at.ends[n - 1];
    const Vec3<S> da = from.point - o.point, db = to.point - o.point;
    const Vec3<S> va = from.velocity - o.velocity, vb = to.velocity - o.velocity;
    S a[3], b[3];
    for (int k = 0; k < 3; ++k) {
      a[k] = dot(o.axis[k], da);
      b[k] = dot(o.axis[k], db);
    }
    Leg<S> leg;
    Obstacle::wrap(a, b, radius, side, leg);
    path.wrap = leg.wrap;
    const bool is_round = wraps ? *wraps : math::value_of(leg.wrap) >= 0;
    if (!is_round) paths::set_straight(a, b, leg);
    path.length = path.length + leg.length;
    Vec3<S> fa{}, fb{};
    for (int k = 0; k < 3; ++k) {
      path.rate = path.rate + leg.by_a[k] * (dot(o.axis_rate[k], da) + dot(o.axis[k], va)) +
                  leg.by_b[k] * (dot(o.axis_rate[k], db) + dot(o.axis[k], vb));
      fa += leg.by_a[k] * o.axis[k];
      fb += leg.by_b[k] * o.axis[k];
      pull[n - 2].axis[k] = -(leg.by_a[k] * da + leg.by_b[k] * db);
    }
    pull[n - 3].force -= fa;
    pull[n - 1].force -= fb;
    pull[n - 2].force = fa + fb;
  }
  return path;
}

}  // namespace parfait::mechanism
