#pragma once

#include "parfait/math/vec3.h"
#include "parfait/mechanism/elements/registry.h"

/// The rows of Kraus 2006, appendix C.1 as functions of the motion of their two markers.
namespace parfait::mechanism {

/// Difference of the marker origins, the vectors d on begin (a) and end (b), and their first and
/// second time derivatives; world axes.
template <class S>
struct RowMotion {
  math::Vec3<S> delta, delta_d, delta_dd;
  math::Vec3<S> a, a_d, a_dd;
  math::Vec3<S> b, b_d, b_dd;
};

/// Which of the vectors a row is a function of.
constexpr bool uses_delta(RowKind kind) {
  return kind != RowKind::kDDX;
}
constexpr bool uses_a(RowKind kind) {
  return kind == RowKind::kDDX || kind == RowKind::kBBDX || kind == RowKind::kVVDX;
}
constexpr bool uses_b(RowKind kind) {
  return kind == RowKind::kDDX;
}

/// The axis of the world along which a row measures, whatever moves: 0 to 2, or -1.
constexpr int world_axis(RowKind kind) {
  switch (kind) {
    case RowKind::kB0x:
    case RowKind::kV0x:
      return 0;
    case RowKind::kB0y:
    case RowKind::kV0y:
      return 1;
    case RowKind::kB0z:
    case RowKind::kV0z:
      return 2;
    default:
      return -1;
  }
}

/// The differential of a row,  n . d(r_a - r_b) + e_a . d(a) + e_b . d(b),  of the row itself or,
/// for velocity rows, of its dependence on velocities.
template <class S>
struct RowGradient {
  math::Vec3<S> n, e_a, e_b;
};

template <class S>
RowGradient<S> row_gradient(RowKind kind, const RowMotion<S>& m) {
  const S one(1.0), zero(0.0);
  switch (kind) {
    case RowKind::kB0x:
    case RowKind::kV0x:
      return {{one, zero, zero}, {}, {}};
    case RowKind::kB0y:
    case RowKind::kV0y:
      return {{zero, one, zero}, {}, {}};
    case RowKind::kB0z:
    case RowKind::kV0z:
      return {{zero, zero, one}, {}, {}};
    case RowKind::kDDX:
      return {{}, m.b, m.a};
    case RowKind::kBBDX:
      return {m.a, m.delta, {}};
    case RowKind::kBBX:
      return {m.delta, {}, {}};
    case RowKind::kVVDX:
      return {m.a, {}, {}};
    case RowKind::kVVX:
      return {m.delta_d, {}, {}};
  }
  return {};
}

/// The value of a position row, without its offset.
template <class S>
S row_position(RowKind kind, const RowMotion<S>& m) {
  switch (kind) {
    case RowKind::kB0x:
      return m.delta.x;
    case RowKind::kB0y:
      return m.delta.y;
    case RowKind::kB0z:
      return m.delta.z;
    case RowKind::kDDX:
      return dot(m.a, m.b);
    case RowKind::kBBDX:
      return dot(m.delta, m.a);
    case RowKind::kBBX:
      return S(0.5) * dot(m.delta, m.delta);
    default:
      return S(0.0);
  }
}

/// The rate of a position row, or the value of a velocity row; without offset.
template <class S>
S row_velocity(RowKind kind, const RowMotion<S>& m) {
  switch (kind) {
    case RowKind::kB0x:
    case RowKind::kV0x:
      return m.delta_d.x;
    case RowKind::kB0y:
    case RowKind::kV0y:
      return m.delta_d.y;
    case RowKind::kB0z:
    case RowKind::kV0z:
      return m.delta_d.z;
    case RowKind::kDDX:
      return dot(m.a_d, m.b) + dot(m.a, m.b_d);
    case RowKind::kBBDX:
      return dot(m.delta_d, m.a) + dot(m.delta, m.a_d);
    case RowKind::kBBX:
      return dot(m.delta, m.delta_d);
    case RowKind::kVVDX:
      return dot(m.a, m.delta_d);
    case RowKind::kVVX:
      return S(0.5) * dot(m.delta_d, m.delta_d);
  }
  return S(0.0);
}

/// The time derivative of row_velocity: G a - gamma, without offset.
template <class S>
S row_acceleration(RowKind kind, const RowMotion<S>& m) {
  switch (kind) {
    case RowKind::kB0x:
    case RowKind::kV0x:
      return m.delta_dd.x;
    case RowKind::kB0y:
    case RowKind::kV0y:
      return m.delta_dd.y;
    case RowKind::kB0z:
    case RowKind::kV0z:
      return m.delta_dd.z;
    case RowKind::kDDX:
      return dot(m.a_dd, m.b) + dot(m.a, m.b_dd) + S(2.0) * dot(m.a_d, m.b_d);
    case RowKind::kBBDX:
      return dot(m.delta_dd, m.a) + S(2.0) * dot(m.delta_d, m.a_d) + dot(m.delta, m.a_dd);
    case RowKind::kBBX:
      return dot(m.delta, m.delta_dd) + dot(m.delta_d, m.delta_d);
    case RowKind::kVVDX:
      return dot(m.a_d, m.delta_d) + dot(m.a, m.delta_dd);
    case RowKind::kVVX:
      return dot(m.delta_d, m.delta_dd);
  }
  return S(0.0);
}

/// The offset that enters g, g', g'' for the marker offset r(t): r itself, or r^2 / 2 for the rows
/// that are squares. (value, rate, second derivative); a velocity row uses only the first two.
template <class S>
struct RowOffset {
  S value{}, rate{}, acceleration{};
};

template <class S>
RowOffset<S> row_offset(RowKind kind, const S& r, const S& r_d, const S& r_dd) {
  if (kind == RowKind::kBBX || kind == RowKind::kVVX) {
    return {S(0.5) * r * r, r * r_d, r_d * r_d + r * r_dd};
  }
  return {r, r_d, r_dd};
}

}  // namespace parfait::mechanism
