#pragma once

#include "parfait/expr/formula.h"
#include "parfait/mbs/site.h"

/// Forces between two bodies: a scalar measure s of the motion and a law F(s, s', t, ...).
///
/// The force is the gradient of the measure, f_q = -F ds/dq, so a positive F pulls s down, its
/// power is exactly -F s', and action equals reaction; a measure that does not change when both
/// bodies move together as one gives no net torque either (docs/theory/forces.md).
namespace parfait::mbs {

/// A measure and its gradient: d(s) = n . d(r_0 - r_1) + sum over ends and axes e[end][i] .
/// d(axis).
template <class S>
struct Measured {
  S s{}, rate{};
  Vec3<S> n{};
  Vec3<S> e[2][3] = {};
  bool uses_axis[2][3] = {};
};

/// What a law may use besides its constants.
template <class S>
struct LawInput {
  const S* constants;
  S s, rate;
};

class ForceElement {
 public:
  virtual ~ForceElement() = default;

  virtual Measured<double> measure(const Site<double>& site) const = 0;
  virtual Measured<Dual> measure(const Site<Dual>& site) const = 0;

  /// F; elements with a formula (ForceType::has_law, or an Actuator) get it from the model instead.
  virtual double law(const LawInput<double>& in) const = 0;
  virtual Dual law(const LawInput<Dual>& in) const = 0;

  /// Potential energy of F, for the energy balance; 0 for what is not a spring.
  virtual double potential(const LawInput<double>& in) const = 0;
  virtual Dual potential(const LawInput<Dual>& in) const = 0;

  /// Names of s in formulas and quantities: "length" or "angle".
  virtual const char* measure_name() const = 0;
};

/// Writes the virtual functions of a ForceElement from two function objects that are templates over
/// the scalar: Measure::operator()(Site<S>) -> Measured<S> and Law::operator()(LawInput<S>) -> S; a
/// law with potential energy has a static function potential(LawInput<S>) too.
template <class Measure, class Law>
class MeasuredForce final : public ForceElement {
 public:
  Measured<double> measure(const Site<double>& site) const override { return Measure{}(site); }
  Measured<Dual> measure(const Site<Dual>& site) const override { return Measure{}(site); }
  double law(const LawInput<double>& in) const override { return Law{}(in); }
  Dual law(const LawInput<Dual>& in) const override { return Law{}(in); }
  double potential(const LawInput<double>& in) const override { return stored<double>(in); }
  Dual potential(const LawInput<Dual>& in) const override { return stored<Dual>(in); }
  const char* measure_name() const override { return Measure::kName; }

 private:
  template <class S>
  static S stored(const LawInput<S>& in) {
    if constexpr (requires { Law::potential(in); }) {
      return Law::potential(in);
    } else {
      return S(0.0);
    }
  }
};

}  // namespace parfait::mbs
