#pragma once

#include "parfait/math/dual.h"
#include "parfait/math/vec3.h"
#include "parfait/mbs/solver/kernel.h"

/// Where a joint, force or observer touches its bodies, as numbers and as numbers with directions.
namespace parfait::mbs {

using math::Dual;
using math::Lane;
using math::Vec3;

/// Directions of a body's motion in one chunk: D = dX, V = dX' (component k of axis i at 3 i + k),
/// of the centre of mass and its velocity, and of the accelerations.
struct BodyLanes {
  const Lane* D;
  const Lane* V;
  Lane* Xdd;  ///< 9, where the caller wants them
  Lane rc[3], vc[3], ac[3];
};

/// Directions of the local geometry; present only where a parameter moves it.
struct GeometryLanes {
  Lane rho[2][3], axis[2][3][3];
};

/// One of the two ends of an element: motion of its point and of its axes in the world.
template <class S>
struct End;

template <>
struct End<double> {
  const BodyFrame* frame;
  const double* rho_local;  ///< relative to the centre of mass
  const double (*axes)[4];

  static Vec3<double> map(const V4* X, const double* r) {
    const V4 w = X[0] * r[0] + X[1] * r[1] + X[2] * r[2];
    return {w[0], w[1], w[2]};
  }
  static Vec3<double> vec(V4 a) { return {a[0], a[1], a[2]}; }

  Vec3<double> rho() const { return map(frame->X, rho_local); }
  Vec3<double> center() const { return vec(frame->rc); }
  Vec3<double> point() const { return center() + rho(); }
  Vec3<double> velocity() const { return vec(frame->vc) + map(frame->Xd, rho_local); }
  Vec3<double> acceleration() const { return vec(frame->ac) + map(frame->Xdd, rho_local); }
  Vec3<double> axis(int i) const { return map(frame->X, axes[i]); }
  Vec3<double> axis_rate(int i) const { return map(frame->Xd, axes[i]); }
  Vec3<double> axis_acceleration(int i) const { return map(frame->Xdd, axes[i]); }
};

template <>
struct End<Dual> {
  End<double> base;
  const BodyLanes* lanes;            ///< null: the ground, which has no directions
  const Lane* drho = nullptr;        ///< 3 lanes or null
  const Lane (*daxes)[3] = nullptr;  ///< 3 x 3 lanes or null

  /// X r with directions D r + X dr.
  Vec3<Dual> map(const V4* X, const Lane* D, const double* r, const Lane* dr) const {
    const Vec3<double> w = End<double>::map(X, r);
    Lane d[3] = {};
    for (int k = 0; k < 3; ++k) {
      if (D) d[k] = D[k] * r[0] + D[3 + k] * r[1] + D[6 + k] * r[2];
      if (dr) d[k] += X[0][k] * dr[0] + X[1][k] * dr[1] + X[2][k] * dr[2];
    }
    return {{w.x, d[0]}, {w.y, d[1]}, {w.z, d[2]}};
  }
  static Vec3<Dual> vec(V4 a, const Lane* d) {
    if (!d) return {{a[0]}, {a[1]}, {a[2]}};
    return {{a[0], d[0]}, {a[1], d[1]}, {a[2], d[2]}};
  }
  const Lane* da(int i) const { return daxes ? daxes[i] : nullptr; }

  Vec3<Dual> rho() const {
    return map(base.frame->X, lanes ? lanes->D : nullptr, base.rho_local, drho);
  }
  Vec3<Dual> center() const { return vec(base.frame->rc, lanes ? lanes->rc : nullptr); }
  Vec3<Dual> point() const { return center() + rho(); }
  Vec3<Dual> velocity() const {
    return vec(base.frame->vc, lanes ? lanes->vc : nullptr) +
           map(base.frame->Xd, lanes ? lanes->V : nullptr, base.rho_local, drho);
  }
  Vec3<Dual> acceleration() const {
    return vec(base.frame->ac, lanes ? lanes->ac : nullptr) +
           map(base.frame->Xdd, lanes ? lanes->Xdd : nullptr, base.rho_local, drho);
  }
  Vec3<Dual> axis(int i) const {
    return map(base.frame->X, lanes ? lanes->D : nullptr, base.axes[i], da(i));
  }
  Vec3<Dual> axis_rate(int i) const {
    return map(base.frame->Xd, lanes ? lanes->V : nullptr, base.axes[i], da(i));
  }
  Vec3<Dual> axis_acceleration(int i) const {
    return map(base.frame->Xdd, lanes ? lanes->Xdd : nullptr, base.axes[i], da(i));
  }
};

/// Both ends of an element: 0 begin, 1 end.
template <class S>
struct Site {
  End<S> end[2];
};

}  // namespace parfait::mbs
