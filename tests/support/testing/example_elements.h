#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "parfait/plugin.h"

/// Force elements as a plug-in would write them, with nothing but the public headers: a bushing
/// that breaks, and an elastic cord through an eyelet.
namespace parfait::example_elements {

using math::Vec3;
using mechanism::Dual;
using mechanism::ElementForces;
using mechanism::ElementPoint;
using mechanism::EndForce;
using mechanism::EndFrame;

/// Six measures x of the end against the begin: the displacement in begin axes, and the axial
/// vector of the relative rotation,
///
///   x_i = a_i . (r_1 - r_0),    x_{3+k} = (a_j . b_i - a_i . b_j) / 2,  (i, j, k) cyclic,
///
/// with the axes a of begin and b of end. With F = intact (C x + damping C x') its forces are -F
/// times the gradients of x, so V = intact x^T C x / 2 and P = -V' - intact damping x'^T C x'.
/// It breaks where the displacement reaches its limit: `intact` becomes 0.
class Bushing {
 public:
  static constexpr int kSize = 6, kDamping = 21, kLimit = 22, kIntact = 23;

  unsigned use(int) const { return mechanism::kWholeEnd; }

  template <class S>
  void act(const ElementPoint<S>& at, const ElementForces<S>& out) const {
    const EndFrame<S>&a = at.ends[0], &b = at.ends[1];
    S x[kSize], rate[kSize], Cx[kSize], Cr[kSize], F[kSize];
    measure(at, x, rate);
    multiply(at.constants, x, Cx);
    multiply(at.constants, rate, Cr);
    for (int i = 0; i < kSize; ++i) {
      F[i] = at.states[0] * (Cx[i] + at.constants[kDamping] * Cr[i]);
    }
    out.ends[0] = out.ends[1] = {};
    const Vec3<S> delta = b.point - a.point;
    for (int k = 0; k < 3; ++k) {
      out.ends[1].force -= F[k] * a.axis[k];
      out.ends[0].axis[k] -= F[k] * delta;
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      const S half = S(0.5) * F[3 + k];
      out.ends[0].axis[j] -= half * b.axis[i];
      out.ends[0].axis[i] += half * b.axis[j];
      out.ends[1].axis[i] -= half * a.axis[j];
      out.ends[1].axis[j] += half * a.axis[i];
    }
    out.ends[0].force = -out.ends[1].force;
    out.rates[0] = S(0.0);
  }
  template <class S>
  S potential(const ElementPoint<S>& at) const {
    S x[kSize], rate[kSize], Cx[kSize];
    measure(at, x, rate);
    multiply(at.constants, x, Cx);
    return S(0.5) * at.states[0] * product(x, Cx);
  }
  template <class S>
  S dissipation(const ElementPoint<S>& at) const {
    S x[kSize], rate[kSize], Cr[kSize];
    measure(at, x, rate);
    multiply(at.constants, rate, Cr);
    return at.states[0] * at.constants[kDamping] * product(rate, Cr);
  }
  template <class S>
  S quantity(const ElementPoint<S>& at, int i) const {
    return i == 0 ? potential(at) : i == 1 ? dissipation(at) : squared_stretch(at);
  }
  std::vector<dynamics::SwitchInfo> switch_infos() const {
    return {{.name = "break", .jump = dynamics::SwitchInfo::Jump::kFalling}};
  }
  template <class S>
  void switches(const ElementPoint<S>& at, std::span<S> out) const {
    out[0] = at.constants[kLimit] * at.constants[kLimit] - squared_stretch(at);
  }
  template <class S>
  void jump(const ElementPoint<S>&, int, std::span<S> states) const {
    states[0] = S(0.0);
  }

 private:
  template <class S>
  static void measure(const ElementPoint<S>& at, S* x, S* rate) {
    const EndFrame<S>&a = at.ends[0], &b = at.ends[1];
    const Vec3<S> delta = b.point - a.point, delta_d = b.velocity - a.velocity;
    for (int k = 0; k < 3; ++k) {
      x[k] = dot(a.axis[k], delta);
      rate[k] = dot(a.axis_rate[k], delta) + dot(a.axis[k], delta_d);
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      x[3 + k] = S(0.5) * (dot(a.axis[j], b.axis[i]) - dot(a.axis[i], b.axis[j]));
      rate[3 + k] = S(0.5) * (dot(a.axis_rate[j], b.axis[i]) + dot(a.axis[j], b.axis_rate[i]) -
                              dot(a.axis_rate[i], b.axis[j]) - dot(a.axis[i], b.axis_rate[j]));
    }
  }
  /// C x, C symmetric, its upper triangle row by row.
  template <class S>
  static void multiply(std::span<const S> constants, const S* x, S* out) {
    for (int i = 0; i < kSize; ++i) out[i] = S(0.0);
    int entry = 0;
    for (int i = 0; i < kSize; ++i) {
      for (int j = i; j < kSize; ++j) {
        const S& c = constants[static_cast<std::size_t>(entry++)];
        out[i] = out[i] + c * x[j];
        if (i != j) out[j] = out[j] + c * x[i];
      }
    }
  }
  template <class S>
  static S product(const S* a, const S* b) {
    S sum(0.0);
    for (int i = 0; i < kSize; ++i) sum = sum + a[i] * b[i];
    return sum;
  }
  template <class S>
  static S squared_stretch(const ElementPoint<S>& at) {
    const Vec3<S> delta = at.ends[1].point - at.ends[0].point;
    return dot(delta, delta);
  }
};

/// A cord from begin through the origins of all `via` to end: length L, a spring F = stiffness
/// (L - x) in series with a damper, whose length x creeps, x' = F / damping.
class Cord {
 public:
  unsigned use(int) const { return mechanism::kPoint | mechanism::kVelocity | mechanism::kForce; }

  template <class S>
  void act(const ElementPoint<S>& at, const ElementForces<S>& out) const {
    const S F = force(at);
    for (auto& end : out.ends) end.force = {};
    for (std::size_t i = 0; i + 1 < at.ends.size(); ++i) {
      const Vec3<S> pull = F * direction(at, i);
      out.ends[i].force += pull;
      out.ends[i + 1].force -= pull;
    }
    out.rates[0] = F / at.constants[1];
  }
  template <class S>
  S potential(const ElementPoint<S>& at) const {
    return S(0.5) * force(at) * (length(at) - at.states[0]);
  }
  template <class S>
  S dissipation(const ElementPoint<S>& at) const {
    return force(at) * force(at) / at.constants[1];
  }
  template <class S>
  S quantity(const ElementPoint<S>& at, int i) const {
    return i == 0 ? length(at) : force(at);
  }

 private:
  template <class S>
  static S distance(const ElementPoint<S>& at, std::size_t i) {
    using math::sqrt;
    using std::sqrt;
    const Vec3<S> delta = at.ends[i + 1].point - at.ends[i].point;
    return sqrt(dot(delta, delta));
  }
  template <class S>
  static Vec3<S> direction(const ElementPoint<S>& at, std::size_t i) {
    return (S(1.0) / distance(at, i)) * (at.ends[i + 1].point - at.ends[i].point);
  }
  template <class S>
  static S length(const ElementPoint<S>& at) {
    S sum(0.0);
    for (std::size_t i = 0; i + 1 < at.ends.size(); ++i) sum = sum + distance(at, i);
    return sum;
  }
  template <class S>
  static S force(const ElementPoint<S>& at) {
    return at.constants[0] * (length(at) - at.states[0]);
  }
};

inline mechanism::ForceType bushing_type() {
  mechanism::ForceType type{
      .key = "BreakingBushing",
      .summary = "a 6 x 6 stiffness in displacements and rotations that breaks at a given stretch",
      .constants = {}};
  for (int i = 1; i <= Bushing::kSize; ++i) {
    for (int j = i; j <= Bushing::kSize; ++j) {
      type.constants.push_back({"c" + std::to_string(i) + std::to_string(j),
                                i <= 3 ? (j <= 3 ? "N/m" : "N/rad") : "N m/rad",
                                "entry of the stiffness", 0.0});
    }
  }
  type.constants.push_back({"damping", "s", "damping over stiffness", 0.0});
  type.constants.push_back({"limit", "m", "stretch at which it breaks", {}});
  type.constants.push_back({"intact", "1", "1, and 0 after it broke", 1.0});
  type.make = [](const mechanism::Force&) {
    return std::make_unique<mechanism::WrittenForce<Bushing>>();
  };
  type.quantities = {{"energy", "J", "stored"},
                     {"dissipation", "W", "power turned into heat"},
                     {"squared_stretch", "m^2", "of the displacement"}};
  type.states = {{.constant = Bushing::kIntact, .is_held = true}};
  type.accounts_for_power = true;
  return type;
}

inline mechanism::ForceType cord_type() {
  return {
      .key = "CreepingCord",
      .summary = "an elastic cord from begin through every via to end, in series with a damper",
      .constants = {{"stiffness", "N/m", "of the spring", {}},
                    {"damping", "N s/m", "of the damper", {}},
                    {"rest_length", "m", "free of force at the start; creeps", {}}},
      .min_ends = 3,
      .max_ends = 9,
      .make =
          [](const mechanism::Force&) { return std::make_unique<mechanism::WrittenForce<Cord>>(); },
      .quantities = {{"length", "m", "of the cord"}, {"force", "N", "that it pulls with"}},
      .states = {{.constant = 2}},
      .accounts_for_power = true};
}

}  // namespace parfait::example_elements
