#pragma once

#include <cmath>
#include <cstdint>

#include "parfait/math/dual.h"

/// The forces in a muscle (Kraus 2006, section 6.4; van Soest and Bobbert 1993;
/// docs/theory/muscles.md, Q6-Q12). Lengths of fibres l in m, forces in N; inside, forces are
/// shares of max_force.
namespace parfait::mechanism {

/// F = max_force ((x - slack) / (strain))^2 beyond slack, the law of tendons and of what lies
/// parallel to the fibres.
template <class S>
S quadratic_spring(const S& stretch, const S& at_max) {
  const S part = stretch / at_max;
  return part * part;
}

template <class S>
struct Fiber {
  S max_force, optimal_length, slack_length, width, tendon_strain, pennation;
  S a, b;  ///< Hill's constants: relative force, and rate [1/s]
  S parallel_slack, parallel_force;

  /// Least activation: a muscle is never quite off, and velocities stay finite.
  static constexpr double kLeastActivation = 0.005;
  /// Least isometric force where a velocity is asked for.
  static constexpr double kLeastForce = 1e-3;
  /// The eccentric hyperbola has its asymptote at 1.5 of the isometric force and meets the
  /// concentric one with half its slope dv/dF; from 1.45 on it continues as its tangent.
  static constexpr double kAsymptote = 1.5, kSlopeRatio = 2, kLastForce = 1.45;

  /// Which pieces of its laws hold; -1: values decide.
  struct Pieces {
    int tendon = -1, parallel = -1, reach = -1, eccentric = -1;
  };
  static bool holds(int piece, const S& value) {
    return piece < 0 ? math::value_of(value) >= 0 : piece > 0;
  }

  /// 1 - (x - 1)^2 / width^2, x = l / optimal_length, where it is positive. (Q6)
  S reach(const S& l) const {
    const S x = (l / optimal_length - S(1.0)) / width;
    return S(1.0) - x * x;
  }
  S isometric(const S& l, const Pieces& pieces) const {
    const S force = reach(l);
    return holds(pieces.reach, force) ? force : S(0.0);
  }
  /// Of the parallel element, a share of max_force. (Q7)
  S parallel_stretch(const S& l) const { return l - parallel_slack * optimal_length; }
  S parallel(const S& l, const Pieces& pieces) const {
    const S stretch = parallel_stretch(l);
    if (!holds(pieces.parallel, stretch)) return S(0.0);
    const S at_max = optimal_length * (S(1.0) + width - parallel_slack);
    return parallel_force * quadratic_spring(stretch, at_max);
  }
  /// Fibres keep their distance: l sin(angle) = optimal_length sin(pennation).
  S cosine(const S& l) const {
    using math::sqrt;
    using std::sqrt;
    const S part = sine_of(pennation) * optimal_length / l;
    return sqrt(S(1.0) - part * part);
  }
  /// Of the tendon, which has what the fibres leave of the path. (Q8)
  S tendon_stretch(const S& path, const S& l) const { return path - l * cosine(l) - slack_length; }
  S tendon(const S& path, const S& l, const Pieces& pieces) const {
    const S stretch = tendon_stretch(path, l);
    if (!holds(pieces.tendon, stretch)) return S(0.0);
    return quadratic_spring(stretch, tendon_strain * slack_length);
  }
  /// What is left for the contractile element: F_SEE / cos - F_PEE, a share of max_force. (Q9)
  S contractile(const S& path, const S& l, const Pieces& pieces) const {
    return tendon(path, l, pieces) / cosine(l) - parallel(l, pieces);
  }
  /// Activation as the laws take it.
  static S active(const S& activation) {
    return math::value_of(activation) >= kLeastActivation ? activation : S(kLeastActivation);
  }
  S least(const S& force) const {
    return math::value_of(force) >= kLeastForce ? force : S(kLeastForce);
  }
  /// Rate of l [m/s] at the force f = F_CE / (max_force activation) and the isometric force g:
  /// concentric -b ((g + a)/(f + a) - 1), eccentric a hyperbola. (Q10, Q11)
  S velocity(const S& f, const S& g, const Pieces& pieces) const {
    if (!holds(pieces.eccentric, f - g)) {
      if (math::value_of(f) >= 0) return -optimal_length * b * ((g + a) / (f + a) - S(1.0));
      // Below no force at all, straight on.
      return -optimal_length * b * (g / a - (g + a) / (a * a) * f);
    }
    const S c1 = -b * g * g / (S(4 * kSlopeRatio) * (g + a)), top = S(kAsymptote) * g;
    const S c3 = S(2.0) * c1 / g;
    const S last = S(kLastForce) * g;
    if (math::value_of(f) <= math::value_of(last)) {
      return optimal_length * (c1 / (f - top) + c3);
    }
    const S gap = last - top;
    return optimal_length * (c1 / gap + c3 - c1 / (gap * gap) * (f - last));
  }
  S velocity(const S& path, const S& l, const S& activation, const Pieces& pieces) const {
    const S f = contractile(path, l, pieces) / active(activation);
    return velocity(f, least(isometric(l, pieces)), pieces);
  }

  /// The fibre at rest: l with velocity 0, that is F_SEE = (q F_isom + F_PEE) cos. The left side
  /// falls with l where the tendon is taut; bisection, then the derivative by one Newton step.
  /// (Q12)
  S equilibrium(const S& path, const S& activation) const;

 private:
  static S sine_of(const S& angle);
};

template <>
inline double Fiber<double>::sine_of(const double& angle) {
  return std::sin(angle);
}
template <>
inline math::Dual Fiber<math::Dual>::sine_of(const math::Dual& angle) {
  return {std::sin(angle.v), std::cos(angle.v) * angle.d};
}

/// F_SEE / cos - F_PEE - q F_isom
template <class S>
S rest_residual(const Fiber<S>& fiber, const S& path, const S& l, const S& activation) {
  const S isometric = fiber.least(fiber.isometric(l, {}));
  return fiber.contractile(path, l, {}) - Fiber<S>::active(activation) * isometric;
}

template <>
inline double Fiber<double>::equilibrium(const double& path, const double& activation) const {
  // From fibres so short that the tendon is taut to fibres that leave it slack.
  double low = 1.001 * optimal_length * std::sin(pennation) + 1e-6 * optimal_length;
  double high = std::fmax(path - slack_length, low) + optimal_length;
  while (tendon_stretch(path, high) > 0) high += optimal_length;
  for (int i = 0; i < 200 && high - low > 1e-16 * high; ++i) {
    const double l = 0.5 * (low + high);
    (rest_residual(*this, path, l, activation) > 0 ? low : high) = l;
  }
  return 0.5 * (low + high);
}
template <>
inline math::Dual Fiber<math::Dual>::equilibrium(const math::Dual& path,
                                                 const math::Dual& activation) const {
  const auto number = [](const math::Dual& x) { return x.v; };
  const Fiber<double> plain{number(max_force),
                            number(optimal_length),
                            number(slack_length),
                            number(width),
                            number(tendon_strain),
                            number(pennation),
                            number(a),
                            number(b),
                            number(parallel_slack),
                            number(parallel_force)};
  const double l = plain.equilibrium(path.v, activation.v);
  const Fiber<math::Dual> fixed{plain.max_force,
                                plain.optimal_length,
                                plain.slack_length,
                                plain.width,
                                plain.tendon_strain,
                                plain.pennation,
                                plain.a,
                                plain.b,
                                plain.parallel_slack,
                                plain.parallel_force};
  math::Dual along(l);
  along.d[0] = 1;
  const double slope =
      rest_residual(fixed, math::Dual(path.v), along, math::Dual(activation.v)).d[0];
  const math::Dual r = rest_residual(*this, path, math::Dual(l), activation);
  return {l, r.d * (-1 / slope)};
}

}  // namespace parfait::mechanism
