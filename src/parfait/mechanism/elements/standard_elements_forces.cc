#include "parfait/mechanism/elements/measures.h"
#include "parfait/mechanism/elements/registry.h"
#include "parfait/mechanism/elements/standard_elements.h"

// The force elements of Kraus 2006, appendix C.3: four measures, five laws. Dampers use the rate of
// the measure, not the norm of the relative velocity (docs/theory/corrections.md).
namespace parfait::mechanism {
namespace {

using measures::Direction;
using measures::Linear;
using measures::Rotational;
using measures::Z;

/// stiffness (s - rest)^2 / 2
template <class S>
S spring_energy(const LawInput<S>& in) {
  const S stretch = in.s - in.constants[0];
  return S(0.5) * in.constants[1] * stretch * stretch;
}

struct Spring {
  template <class S>
  static S potential(const LawInput<S>& in) {
    return spring_energy(in);
  }
  template <class S>
  S operator()(const LawInput<S>& in) const {
    return in.constants[1] * (in.s - in.constants[0]);
  }
};
struct Damper {
  template <class S>
  static S dissipation(const LawInput<S>& in) {
    return in.constants[0] * in.rate * in.rate;
  }
  template <class S>
  S operator()(const LawInput<S>& in) const {
    return in.constants[0] * in.rate;
  }
};
struct SpringDamper {
  template <class S>
  static S potential(const LawInput<S>& in) {
    return spring_energy(in);
  }
  template <class S>
  static S dissipation(const LawInput<S>& in) {
    return in.constants[2] * in.rate * in.rate;
  }
  template <class S>
  S operator()(const LawInput<S>& in) const {
    return in.constants[1] * (in.s - in.constants[0]) + in.constants[2] * in.rate;
  }
};
struct Actuator {
  template <class S>
  S operator()(const LawInput<S>& in) const {
    return in.constants[0];
  }
};
/// The law is a formula, evaluated by the model.
struct General {
  template <class S>
  S operator()(const LawInput<S>&) const {
    return S(0.0);
  }
};

/// Adds a type of this measure and law; where it may be one-sided, its elements learn their side.
template <class Measure, class Law>
void add(Registry& r, ForceType type) {
  const bool angular = type.measure == "angle";
  type.quantities = {{type.measure, angular ? "rad" : "m", "its measure s"},
                     {"rate", angular ? "rad/s" : "m/s", "rate of s"},
                     {"force", angular ? "N m" : "N", "F; a positive one pulls s down"}};
  const int touch =
      type.rest_constant >= 0 ? type.rest_constant : static_cast<int>(type.constants.size());
  type.make = [touch, elastic = type.elastic](const Force& force) {
    OneSided side;
    side.side = force.side;
    side.constant = touch;
    side.is_clamped = !elastic && !force.adhesion;
    return std::make_unique<MeasuredForce<Measure, Law>>(side);
  };
  r.add(std::move(type));
}

template <class Measure>
void add_family(Registry& r, const std::string& prefix, const std::string& general,
                const std::string& what, bool angular) {
  const std::string force = angular ? "N m" : "N", length = angular ? "rad" : "m";
  const ConstantInfo rest{angular ? "rest_angle" : "rest_length", length,
                          "value of s at which the spring is free of force",
                          std::is_same_v<Measure, Linear> ? std::nullopt : std::optional(0.0)};
  ConstantInfo touch = rest;
  touch.meaning = "one-sided: value of s at which the ends touch";
  const ConstantInfo stiffness{"stiffness", force + "/" + length, "force per unit of s", {}};
  const ConstantInfo damping{
      "damping", force + " s/" + length, "force per unit of the rate of s", {}};
  const ConstantInfo constant{angular ? "torque" : "force",
                              force,
                              "constant, or a formula of t, parameters, states and inputs",
                              {}};
  add<Measure, Spring>(r, {.key = prefix + "Spring",
                           .summary = what + ": F = stiffness (s - rest)",
                           .constants = {rest, stiffness},
                           .accounts_for_power = true,
                           .measure = Measure::kName,
                           .rest_constant = 0,
                           .elastic = true});
  add<Measure, Damper>(r, {.key = prefix + "Damper",
                           .summary = what + ": F = damping s'",
                           .constants = {damping},
                           .accounts_for_power = true,
                           .measure = Measure::kName,
                           .touch = touch});
  add<Measure, SpringDamper>(r, {.key = prefix + "Spring_Damper",
                                 .summary = what + ": F = stiffness (s - rest) + damping s'",
                                 .constants = {rest, stiffness, damping},
                                 .accounts_for_power = true,
                                 .measure = Measure::kName,
                                 .rest_constant = 0});
  add<Measure, Actuator>(r, {.key = prefix + "Actuator",
                             .summary = what + ": F given",
                             .constants = {constant},
                             .measure = Measure::kName,
                             .law_constant = 0});
  add<Measure, General>(
      r, {.key = general,
          .summary = what + ": F is a formula of " + Measure::kName + ", rate, t, ...",
          .constants = {},
          .measure = Measure::kName,
          .has_law = true,
          .touch = touch});
}

}  // namespace

void add_standard_forces(Registry& r) {
  const auto acceleration = [](const char* name, const char* meaning) {
    return ConstantInfo{name, "m/s^2", meaning, {}};
  };
  r.add(ForceType{
      .key = "Gravitation",
      .summary = "weight of all bodies; one constant acts along z, three instead are a vector",
      .constants = {acceleration("g", "acceleration of free fall along z")},
      .kind = ForceType::Kind::kWeight,
      .min_ends = 0,
      .max_ends = 0,
      .alternative = {acceleration("gx", "acceleration of free fall along x"),
                      acceleration("gy", "acceleration of free fall along y"),
                      acceleration("gz", "acceleration of free fall along z")}});
  add_family<Linear>(r, "", "General_Linear", "along the line of the marker origins, s = distance",
                     false);
  add_family<Z>(r, "Z_", "General_Z", "along z of the world, s = z of begin minus z of end", false);
  add_family<Direction>(r, "Direction_", "General_Direction",
                        "along z of the begin marker, s = difference of the origins along it",
                        false);
  add_family<Rotational>(r, "Rotational_", "General_Rotational",
                         "about z of the begin marker, s = angle from x of begin to x of end",
                         true);
}

}  // namespace parfait::mechanism
