#pragma once

#include <cmath>

#include "parfait/math/dual.h"
#include "parfait/math/vec3.h"

/// Spatial vectors in structured form: angular and linear parts, never 6 x 6 matrices.
///
///   motion   (omega, v)   angular velocity, velocity of the point the vector refers to
///   force    (n, f)       moment about that point, force;   power = n . omega + f . v
///   X_AB     (R, p)       frame B seen from A: R takes components in B to A, p is B's origin in A
///
/// Names   Adjacent letters meet: X_AC = X_AB * X_BC. A function `in_child(X_AB, a_A)` gives what
///         is known in A in coordinates of B, `in_parent(X_AB, a_B)` the reverse.
/// Cost    (multiplications/additions) change of frame of a vector 24/18, product of two transforms
///         33/24, of an inertia 52/52, sum of two inertias 0/10: tested by counting.
/// Scalars double and math::Dual (and a counter in the tests).
/// See     docs/theory/tree.md (T1-T6); Featherstone 2008, appendix A.
namespace parfait::tree {

using math::Vec3;

/// A 3 x 3 matrix by its columns; of a rotation R_AB these are the axes of B in A.
template <class S>
struct Mat3 {
  Vec3<S> x{}, y{}, z{};

  static Mat3 identity() {
    return {{S(1.0), S(0.0), S(0.0)}, {S(0.0), S(1.0), S(0.0)}, {S(0.0), S(0.0), S(1.0)}};
  }
};

template <class S>
Vec3<S> operator*(const Mat3<S>& R, const Vec3<S>& a) {
  return {R.x.x * a.x + R.y.x * a.y + R.z.x * a.z, R.x.y * a.x + R.y.y * a.y + R.z.y * a.z,
          R.x.z * a.x + R.y.z * a.y + R.z.z * a.z};
}
template <class S>
Mat3<S> operator*(const Mat3<S>& A, const Mat3<S>& B) {
  return {A * B.x, A * B.y, A * B.z};
}
/// R^T a
template <class S>
Vec3<S> transposed_times(const Mat3<S>& R, const Vec3<S>& a) {
  return {dot(R.x, a), dot(R.y, a), dot(R.z, a)};
}
template <class S>
Mat3<S> transposed(const Mat3<S>& R) {
  return {{R.x.x, R.y.x, R.z.x}, {R.x.y, R.y.y, R.z.y}, {R.x.z, R.y.z, R.z.z}};
}
template <class S>
Mat3<S> operator+(const Mat3<S>& A, const Mat3<S>& B) {
  return {A.x + B.x, A.y + B.y, A.z + B.z};
}

/// A symmetric 3 x 3 matrix.
template <class S>
struct Sym3 {
  S xx{}, yy{}, zz{}, xy{}, xz{}, yz{};
};

template <class S>
Sym3<S> operator+(const Sym3<S>& A, const Sym3<S>& B) {
  return {A.xx + B.xx, A.yy + B.yy, A.zz + B.zz, A.xy + B.xy, A.xz + B.xz, A.yz + B.yz};
}
template <class S>
Sym3<S> operator-(const Sym3<S>& A, const Sym3<S>& B) {
  return {A.xx - B.xx, A.yy - B.yy, A.zz - B.zz, A.xy - B.xy, A.xz - B.xz, A.yz - B.yz};
}
template <class S>
Vec3<S> operator*(const Sym3<S>& A, const Vec3<S>& a) {
  return {A.xx * a.x + A.xy * a.y + A.xz * a.z, A.xy * a.x + A.yy * a.y + A.yz * a.z,
          A.xz * a.x + A.yz * a.y + A.zz * a.z};
}

/// R A R^T, R orthonormal. A - A_zz 1 has a zero entry, and the trace does not change: 31/28
/// instead of 45/30.
template <class S>
Sym3<S> rotated(const Mat3<S>& R, const Sym3<S>& A) {
  const S a = A.xx - A.zz, b = A.yy - A.zz;
  // The first two rows of Y = R (A - A_zz 1).
  const Vec3<S> r0{R.x.x, R.y.x, R.z.x}, r1{R.x.y, R.y.y, R.z.y}, r2{R.x.z, R.y.z, R.z.z};
  const auto row = [&](const Vec3<S>& r) {
    return Vec3<S>{r.x * a + r.y * A.xy + r.z * A.xz, r.x * A.xy + r.y * b + r.z * A.yz,
                   r.x * A.xz + r.y * A.yz};
  };
  const Vec3<S> y0 = row(r0), y1 = row(r1);
  const S xx = dot(y0, r0), yy = dot(y1, r1);
  return {xx + A.zz, yy + A.zz, (a + b) - (xx + yy) + A.zz, dot(y0, r1), dot(y0, r2), dot(y1, r2)};
}

template <class S>
struct Motion {
  Vec3<S> omega{}, v{};
};
template <class S>
struct Force {
  Vec3<S> n{}, f{};
};

template <class S>
Motion<S> operator+(const Motion<S>& a, const Motion<S>& b) {
  return {a.omega + b.omega, a.v + b.v};
}
template <class S>
Force<S> operator+(const Force<S>& a, const Force<S>& b) {
  return {a.n + b.n, a.f + b.f};
}
template <class S>
Motion<S> operator*(const S& s, const Motion<S>& a) {
  return {s * a.omega, s * a.v};
}
/// Power.
template <class S>
S dot(const Force<S>& f, const Motion<S>& v) {
  return dot(f.n, v.omega) + dot(f.f, v.v);
}
/// v x m, of motions, and v x* f, of a motion and a force.
template <class S>
Motion<S> cross(const Motion<S>& v, const Motion<S>& m) {
  return {cross(v.omega, m.omega), cross(v.omega, m.v) + cross(v.v, m.omega)};
}
template <class S>
Force<S> cross(const Motion<S>& v, const Force<S>& f) {
  return {cross(v.omega, f.n) + cross(v.v, f.f), cross(v.omega, f.f)};
}

/// Where a frame B lies in a frame A: its axes are the columns of R, its origin is p.
template <class S>
struct Transform {
  Mat3<S> R = Mat3<S>::identity();
  Vec3<S> p{};
};

/// X_AC = X_AB * X_BC. The third axis follows from the other two.
template <class S>
Transform<S> operator*(const Transform<S>& X_AB, const Transform<S>& X_BC) {
  const Vec3<S> x = X_AB.R * X_BC.R.x, y = X_AB.R * X_BC.R.y;
  return {{x, y, cross(x, y)}, X_AB.p + X_AB.R * X_BC.p};
}
template <class S>
Transform<S> inverse(const Transform<S>& X_AB) {
  return {transposed(X_AB.R), -transposed_times(X_AB.R, X_AB.p)};
}
template <class S>
Vec3<S> point_in_parent(const Transform<S>& X_AB, const Vec3<S>& r_B) {
  return X_AB.p + X_AB.R * r_B;
}
template <class S>
Motion<S> in_child(const Transform<S>& X_AB, const Motion<S>& v_A) {
  return {transposed_times(X_AB.R, v_A.omega),
          transposed_times(X_AB.R, v_A.v + cross(v_A.omega, X_AB.p))};
}
template <class S>
Motion<S> in_parent(const Transform<S>& X_AB, const Motion<S>& v_B) {
  const Vec3<S> omega = X_AB.R * v_B.omega;
  return {omega, X_AB.R * v_B.v + cross(X_AB.p, omega)};
}
template <class S>
Force<S> in_child(const Transform<S>& X_AB, const Force<S>& f_A) {
  return {transposed_times(X_AB.R, f_A.n + cross(f_A.f, X_AB.p)), transposed_times(X_AB.R, f_A.f)};
}
template <class S>
Force<S> in_parent(const Transform<S>& X_AB, const Force<S>& f_B) {
  const Vec3<S> f = X_AB.R * f_B.f;
  return {X_AB.R * f_B.n + cross(X_AB.p, f), f};
}

/// A rigid body in ten numbers, about the origin of its frame:
///   m,   h = m c,   I = Theta + m (|c|^2 1 - c c^T).
template <class S>
struct Inertia {
  S m{};
  Vec3<S> h{};
  Sym3<S> I{};
};

/// From mass, centre and moments of inertia about the centre.
template <class S>
Inertia<S> inertia_about_origin(const S& m, const Vec3<S>& c, const Sym3<S>& Theta) {
  const Vec3<S> h = m * c;
  return {m,
          h,
          {Theta.xx + h.y * c.y + h.z * c.z, Theta.yy + h.x * c.x + h.z * c.z,
           Theta.zz + h.x * c.x + h.y * c.y, Theta.xy - h.x * c.y, Theta.xz - h.x * c.z,
           Theta.yz - h.y * c.z}};
}
template <class S>
Inertia<S> operator+(const Inertia<S>& a, const Inertia<S>& b) {
  return {a.m + b.m, a.h + b.h, a.I + b.I};
}
/// I v: momentum.
template <class S>
Force<S> operator*(const Inertia<S>& I, const Motion<S>& v) {
  return {I.I * v.omega + cross(I.h, v.v), I.m * v.v - cross(I.h, v.omega)};
}

/// The same body with h and I about the point -r of its frame: every point gets r added.
///   h' = h + m r,   I' = I - r^x h^x - h'^x r^x  (r^x: the matrix of r x).
template <class S>
Inertia<S> moved(const Inertia<S>& A, const Vec3<S>& r) {
  const Vec3<S> h = A.h + A.m * r;
  const Vec3<S> s = A.h + h;
  const S xx = r.x * s.x, yy = r.y * s.y, zz = r.z * s.z;
  return {A.m,
          h,
          {A.I.xx + (yy + zz), A.I.yy + (xx + zz), A.I.zz + (xx + yy),
           A.I.xy - (A.h.x * r.y + r.x * h.y), A.I.xz - (A.h.x * r.z + r.x * h.z),
           A.I.yz - (A.h.y * r.z + r.y * h.z)}};
}
template <class S>
Inertia<S> in_child(const Transform<S>& X_AB, const Inertia<S>& I_A) {
  const Inertia<S> about_B = moved(I_A, -X_AB.p);
  const Mat3<S> E = transposed(X_AB.R);
  return {about_B.m, E * about_B.h, rotated(E, about_B.I)};
}
template <class S>
Inertia<S> in_parent(const Transform<S>& X_AB, const Inertia<S>& I_B) {
  return moved(Inertia<S>{I_B.m, X_AB.R * I_B.h, rotated(X_AB.R, I_B.I)}, X_AB.p);
}

inline void sine_cosine(double x, double& s, double& c) {
  s = std::sin(x);
  c = std::cos(x);
}
inline void sine_cosine(const math::Dual& x, math::Dual& s, math::Dual& c) {
  const double sine = std::sin(x.v), cosine = std::cos(x.v);
  s = {sine, cosine * x.d};
  c = {cosine, -sine * x.d};
}

}  // namespace parfait::tree
