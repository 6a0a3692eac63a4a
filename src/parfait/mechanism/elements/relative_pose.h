#pragma once

#include "parfait/mechanism/elements/force.h"

/// Six measures of how the end of an element lies to its begin, and forces conjugate to them:
///
///   x_k = a_k . (r_1 - r_0)                                   displacement in the axes a of begin
///   D_ij = a_i . b_j = [R_x(alpha) R_y(beta) R_z(gamma)]_ij   the axes b of end, by Cardan angles
///   alpha = atan2(-D_23, D_33),  beta = atan2(D_13, |(D_11, D_12)|),  gamma = atan2(-D_12, D_11)
///
/// With F_k conjugate to x_k the forces are -F_k grad x_k, so the power is exactly -sum F_k x_k',
/// whatever the axes are: V = x^T C x / 2 for F = C x and the loss x'^T D x' for F = D x'. All
/// measures are made of inner products of vectors of the two ends, so a common motion of both
/// changes none, and forces and torques balance. Where the axes of begin and end agree, D = 1.
/// See docs/theory/forces.md (W8-W10); Kraus 2006, section 6.2; the angles are singular at
/// |beta| = pi/2.
namespace parfait::mechanism {

/// x_1 to x_3, with what their gradients need.
template <class S>
struct RelativePoint {
  S x[3], rate[3];
  Vec3<S> delta;
};

template <class S>
[[gnu::always_inline]] inline RelativePoint<S> relative_point(const EndFrame<S>& begin,
                                                              const EndFrame<S>& end) {
  RelativePoint<S> p;
  p.delta = end.point - begin.point;
  const Vec3<S> delta_d = end.velocity - begin.velocity;
  for (int k = 0; k < 3; ++k) {
    p.x[k] = dot(begin.axis[k], p.delta);
    p.rate[k] = dot(begin.axis_rate[k], p.delta) + dot(begin.axis[k], delta_d);
  }
  return p;
}

/// The forces -F_k grad x_k: sets the forces of both ends and the vectors on the axes of begin.
template <class S>
[[gnu::always_inline]] inline void displace(const RelativePoint<S>& p, const S* F,
                                            const EndFrame<S>& begin, EndForce<S>* out) {
  const Vec3<S> f = F[0] * begin.axis[0] + F[1] * begin.axis[1] + F[2] * begin.axis[2];
  out[0].force = f;
  out[1].force = -f;
  for (int k = 0; k < 3; ++k) out[0].axis[k] = (-F[k]) * p.delta;
}

/// Cardan angles, their rates, and their derivatives by the five entries of D they depend on.
template <class S>
struct RelativeRotation {
  S angle[3], rate[3];
  S alpha_23, alpha_33;
  S beta_11, beta_12, beta_13;
  S gamma_11, gamma_12;
};

template <class S>
[[gnu::always_inline]] inline RelativeRotation<S> relative_rotation(const EndFrame<S>& begin,
                                                                    const EndFrame<S>& end) {
  using math::atan2;
  using math::sqrt;
  using std::atan2;
  using std::sqrt;
  const auto D = [&](int i, int j) { return dot(begin.axis[i], end.axis[j]); };
  const auto D_rate = [&](int i, int j) {
    return dot(begin.axis_rate[i], end.axis[j]) + dot(begin.axis[i], end.axis_rate[j]);
  };
  const S D11 = D(0, 0), D12 = D(0, 1), D13 = D(0, 2), D23 = D(1, 2), D33 = D(2, 2);
  const S cc = D11 * D11 + D12 * D12, c = sqrt(cc);
  const S by_cc = S(1.0) / cc;
  const S by_alpha = S(1.0) / (D23 * D23 + D33 * D33);
  const S by_beta = S(1.0) / (D13 * D13 + cc);
  RelativeRotation<S> r;
  r.angle[0] = atan2(-D23, D33);
  r.angle[1] = atan2(D13, c);
  r.angle[2] = atan2(-D12, D11);
  r.alpha_23 = -D33 * by_alpha;
  r.alpha_33 = D23 * by_alpha;
  r.beta_13 = c * by_beta;
  const S down = -D13 * r.beta_13 * by_cc;  // -D13 / (c (D13^2 + c^2))
  r.beta_11 = down * D11;
  r.beta_12 = down * D12;
  r.gamma_11 = D12 * by_cc;
  r.gamma_12 = -D11 * by_cc;
  const S d11 = D_rate(0, 0), d12 = D_rate(0, 1);
  r.rate[0] = r.alpha_23 * D_rate(1, 2) + r.alpha_33 * D_rate(2, 2);
  r.rate[1] = r.beta_11 * d11 + r.beta_12 * d12 + r.beta_13 * D_rate(0, 2);
  r.rate[2] = r.gamma_11 * d11 + r.gamma_12 * d12;
  return r;
}

/// Adds the vectors -F_k grad(angle k) on the axes of begin, and sets those of end.
template <class S>
[[gnu::always_inline]] inline void turn(const RelativeRotation<S>& r, const S* F,
                                        const EndFrame<S>& begin, const EndFrame<S>& end,
                                        EndForce<S>* out) {
  const S W11 = F[1] * r.beta_11 + F[2] * r.gamma_11;
  const S W12 = F[1] * r.beta_12 + F[2] * r.gamma_12;
  const S W13 = F[1] * r.beta_13;
  const S W23 = F[0] * r.alpha_23, W33 = F[0] * r.alpha_33;
  const Vec3<S>*a = begin.axis, *b = end.axis;
  out[0].axis[0] -= W11 * b[0] + W12 * b[1] + W13 * b[2];
  out[0].axis[1] -= W23 * b[2];
  out[0].axis[2] -= W33 * b[2];
  out[1].axis[0] = (-W11) * a[0];
  out[1].axis[1] = (-W12) * a[0];
  out[1].axis[2] = -(W13 * a[0] + W23 * a[1] + W33 * a[2]);
}

inline constexpr unsigned kPoseUse = kWholeEnd;
inline constexpr unsigned kTurnUse = kAxes | kAxisRates | kAxisForces;

}  // namespace parfait::mechanism
