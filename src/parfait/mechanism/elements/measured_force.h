#pragma once

#include "parfait/mechanism/description/description.h"
#include "parfait/mechanism/elements/force.h"
#include "parfait/mechanism/elements/force_jacobian.h"

/// Forces between two ends that are a scalar measure s of the motion and a law F(s, s', t, ...).
///
/// The force is the gradient of the measure, f = -F grad s, so a positive F pulls s down, its
/// power is exactly -F s', and action equals reaction; a measure that does not change when both
/// bodies move together as one gives no net torque either (docs/theory/forces.md, W1-W4).
namespace parfait::mechanism {

/// A measure and its gradient:
///   d(s) = n . d(r_0 - r_1) + sum over ends and axes e[end][i] . d(axis).
template <class S>
struct Measured {
  S s{}, rate{};
  Vec3<S> n{};
  Vec3<S> e[2][3] = {};
};

/// What a law may use.
template <class S>
struct LawInput {
  const S* constants;
  S s, rate;
};

/// The forces -F grad s on both ends.
template <class S>
[[gnu::always_inline]] inline void push_apart(const S& F, const Measured<S>& m,
                                              const unsigned (&use)[2], EndForce<S>* out) {
  for (int end = 0; end < 2; ++end) {
    if (use[end] & kForce) out[end].force = (end == 0 ? -F : F) * m.n;
    for (int i = 0; i < 3; ++i) {
      if (gives_axis_force(use[end], i)) out[end].axis[i] = -F * m.e[end][i];
    }
  }
}

/// Acts on one side of a touching value only (docs/theory/contact.md).
struct OneSided {
  Side side = Side::kBoth;
  int constant = -1;        ///< the value of s at which the ends touch
  bool is_clamped = false;  ///< and only while F has the sign of its side: no adhesion

  int num_switches() const { return side == Side::kBoth ? 0 : is_clamped ? 2 : 1; }

  /// >= 0 while the ends touch: s - s_0 if it pulls, s_0 - s if it pushes.
  template <class S>
  S touch(const LawInput<S>& in) const {
    const S& rest = in.constants[constant];
    return side == Side::kPull ? in.s - rest : rest - in.s;
  }
  template <class S>
  bool touches(const LawInput<S>& in, const std::int8_t* mode) const {
    return mode ? mode[0] > 0 : math::value_of(touch(in)) >= 0;
  }
  /// Whether it acts: its ends touch, and it need not pull where it should push.
  template <class S>
  bool acts(const LawInput<S>& in, const S& F, const std::int8_t* mode) const {
    if (!touches(in, mode)) return false;
    if (!is_clamped) return true;
    if (mode) return mode[1] > 0;
    return math::value_of(side == Side::kPull ? F : -F) >= 0;
  }
};

/// A measure and a law as an element. Both are function objects that are templates over the scalar:
///
///   Measured<S> Measure::operator()(const EndFrame<S>* ends), with Measure::kUse[2]
///   S Law::operator()(const LawInput<S>&); where it has them static S potential(in) and
///   dissipation(in)
///
/// The gradient of a measure must not depend on velocities. Quantities: s, s', F.
template <class Measure, class Law>
struct MeasureAndLaw {
  OneSided side{};

  unsigned use(int end) const { return Measure::kUse[end]; }

  template <class S>
  static LawInput<S> input(const ElementPoint<S>& at, const Measured<S>& m) {
    return {at.constants.data(), m.s, m.rate};
  }
  /// F, the side not looked at.
  template <class S>
  static S law(const ElementPoint<S>& at, const Measured<S>& m) {
    return at.law ? (*at.law)(m.s, m.rate) : Law{}(input(at, m));
  }
  template <class S>
  S force(const ElementPoint<S>& at, const Measured<S>& m) const {
    S F = law(at, m);
    if (side.side == Side::kBoth || side.acts(input(at, m), F, at.mode)) return F;
    return S(0.0);
  }

  template <class S>
  void act(const ElementPoint<S>& at, const ElementForces<S>& out) const {
    const Measured<S> m = Measure{}(at.ends.data());
    push_apart(force(at, m), m, Measure::kUse, out.ends.data());
  }
  template <class S>
  S potential(const ElementPoint<S>& at) const {
    if constexpr (requires(const LawInput<S>& in) { Law::potential(in); }) {
      const Measured<S> m = Measure{}(at.ends.data());
      const LawInput<S> in = input(at, m);
      if (side.side == Side::kBoth || side.touches(in, at.mode)) return Law::potential(in);
    }
    return S(0.0);
  }
  template <class S>
  S dissipation(const ElementPoint<S>& at) const {
    if constexpr (requires(const LawInput<S>& in) { Law::dissipation(in); }) {
      const Measured<S> m = Measure{}(at.ends.data());
      const LawInput<S> in = input(at, m);
      if (side.side == Side::kBoth || side.acts(in, law(at, m), at.mode)) {
        return Law::dissipation(in);
      }
    }
    return S(0.0);
  }
  template <class S>
  S quantity(const ElementPoint<S>& at, int i) const {
    const Measured<S> m = Measure{}(at.ends.data());
    return i == 0 ? m.s : i == 1 ? m.rate : force(at, m);
  }
  std::vector<dynamics::SwitchInfo> switch_infos() const {
    std::vector<dynamics::SwitchInfo> infos(static_cast<std::size_t>(side.num_switches()));
    for (std::size_t i = 0; i < infos.size(); ++i) infos[i].name = i == 0 ? "touch" : "adhesion";
    return infos;
  }
  template <class S>
  void switches(const ElementPoint<S>& at, std::span<S> out) const {
    if (out.empty()) return;
    const Measured<S> m = Measure{}(at.ends.data());
    out[0] = side.touch(input(at, m));
    if (out.size() < 2) return;
    const S F = law(at, m);
    out[1] = side.side == Side::kPull ? F : -F;
  }
};

/// The parts of a measured force that its Jacobian is put together from.
struct MeasuredParts {
  const unsigned (&use)[2];
  Measured<double> (*measure)(const EndFrame<double>*);
  Measured<Dual> (*measure_directions)(const EndFrame<Dual>*);
  double (*law)(const LawInput<double>&);
  Dual (*law_directions)(const LawInput<Dual>&);
  OneSided side;
};

/// -(grad s) (dF)^T - F d(grad s): the law is differentiated once, the measure along the columns of
/// points and axes alone; those of their rates are the gradient itself. (W7)
void measured_jacobian(const MeasuredParts& parts, const ElementPoint<double>& at,
                       ForceJacobian& out);

/// Its transpose along seeds w of points and axes (docs/theory/adjoint.md): with sigma = grad s . w
/// and zeta = F w + F_rate sigma v,  x-bar = -F_s sigma grad s - (grad s)' zeta,  v-bar = -F_rate
/// sigma grad s,  c-bar = -F_c sigma. One direction of the measure, whatever the number of columns.
void measured_pull_back(const MeasuredParts& parts, const ElementPoint<double>& at,
                        std::span<const double> rows, ForceJacobian& scratch,
                        std::span<double> columns);

template <class Measure, class Law>
class MeasuredForce final : public WrittenForce<MeasureAndLaw<Measure, Law>> {
 public:
  explicit MeasuredForce(OneSided side = {})
      : WrittenForce<MeasureAndLaw<Measure, Law>>(MeasureAndLaw<Measure, Law>{side}) {}

  void jacobian(const ElementPoint<double>& at, ForceJacobian& out) const override {
    measured_jacobian(parts(), at, out);
  }
  void pull_back(const ElementPoint<double>& at, std::span<const double> rows,
                 ForceJacobian& scratch, std::span<double> columns) const override {
    measured_pull_back(parts(), at, rows, scratch, columns);
  }

 private:
  MeasuredParts parts() const {
    return {Measure::kUse,
            [](const EndFrame<double>* ends) { return Measure{}(ends); },
            [](const EndFrame<Dual>* ends) { return Measure{}(ends); },
            [](const LawInput<double>& in) { return Law{}(in); },
            [](const LawInput<Dual>& in) { return Law{}(in); },
            this->written().side};
  }
};

}  // namespace parfait::mechanism
