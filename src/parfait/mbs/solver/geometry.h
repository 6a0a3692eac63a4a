#pragma once

#include <cmath>

#include "parfait/math/dual.h"
#include "parfait/math/vec3.h"
#include "parfait/mbs/solver/coordinates.h"

/// From the constants of a marker to points and axes in the canonical frame of its body.
namespace parfait::mbs {

/// A marker as an element uses it.
struct FrameSpec {
  int body = 0;            ///< num_bodies: the ground
  int first_constant = 0;  ///< of 12: o.x … z.z
  bool has_x = false, has_y = false;
};

/// Both ends of a joint or force; which axes it uses (letters, 0: none) in its own order.
struct GeometrySpec {
  FrameSpec end[2];
  bool used[2] = {true, true};
  char axis[2][3] = {};
  /// Forces and observers measure angles and lengths with the markers: their axes are made
  /// orthonormal (z keeps its direction, x its half plane). Joint rows take the axes as given.
  bool orthonormal = false;
};

/// Origin and axes of a marker. S is double, or Dual for directions along.
template <class S>
struct MarkerFrame {
  math::Vec3<S> o, x, y, z;
};

template <class S>
math::Vec3<S> normalized(const math::Vec3<S>& a) {
  using std::sqrt;
  return (S(1.0) / sqrt(dot(a, a))) * a;
}

/// Given axes as they are; missing ones complete a right-handed frame around z (z: (0, 0, 1)).
/// `constants` are the 12 numbers of the marker, `map` the local-to-canonical matrix of its body
/// (null: the ground).
template <class S>
MarkerFrame<S> marker_frame(const FrameSpec& spec, const S* constants, const CoordinateMap* map) {
  using math::Vec3;
  const auto vector = [&](int i) {
    const S* r = constants + 3 * i;
    if (!map || map->is_identity) return Vec3<S>{r[0], r[1], r[2]};
    const auto& M = map->S;  // upper triangular
    return Vec3<S>{S(M[0][0]) * r[0] + S(M[0][1]) * r[1] + S(M[0][2]) * r[2],
                   S(M[1][1]) * r[1] + S(M[1][2]) * r[2], S(M[2][2]) * r[2]};
  };
  MarkerFrame<S> f;
  f.o = vector(0);
  f.z = vector(3);
  if (spec.has_x) {
    f.x = vector(1);
    f.y = spec.has_y ? vector(2) : normalized(cross(f.z, f.x));
  } else if (spec.has_y) {
    f.y = vector(2);
    f.x = normalized(cross(f.y, f.z));
  } else {
    const double a[3] = {std::abs(math::value_of(f.z.x)), std::abs(math::value_of(f.z.y)),
                         std::abs(math::value_of(f.z.z))};
    const int least = a[0] <= a[1] && a[0] <= a[2] ? 0 : a[1] <= a[2] ? 1 : 2;
    const Vec3<S> unit{S(least == 0 ? 1.0 : 0.0), S(least == 1 ? 1.0 : 0.0),
                       S(least == 2 ? 1.0 : 0.0)};
    const S along = dot(unit, f.z) / dot(f.z, f.z);
    f.x = normalized(unit - along * f.z);
    f.y = normalized(cross(f.z, f.x));
  }
  return f;
}

template <class S>
void orthonormalize(MarkerFrame<S>& f) {
  f.z = normalized(f.z);
  f.x = normalized(f.x - dot(f.x, f.z) * f.z);
  f.y = cross(f.z, f.x);
}

}  // namespace parfait::mbs
