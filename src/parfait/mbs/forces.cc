#include "parfait/mbs/force.h"
#include "parfait/mbs/mechanism_names.h"
#include "parfait/mechanism/standard_elements.h"

// The force elements of K appendix C.3: four measures, five laws. Dampers use the rate of the
// measure, not the norm of the relative velocity (docs/theory/corrections.md).
namespace parfait::mbs {
namespace {

using math::atan2;
using math::sqrt;
using std::atan2;
using std::sqrt;

/// s = |r_0 - r_1|
struct Linear {
  static constexpr const char* kName = "length";
  template <class S>
  Measured<S> operator()(const Site<S>& site) const {
    const Vec3<S> delta = site.end[0].point() - site.end[1].point();
    const Vec3<S> delta_d = site.end[0].velocity() - site.end[1].velocity();
    Measured<S> m;
    m.s = sqrt(dot(delta, delta));
    m.n = (S(1.0) / m.s) * delta;
    m.rate = dot(m.n, delta_d);
    return m;
  }
};

/// s = (r_0 - r_1) . z, z of the world
struct Z {
  static constexpr const char* kName = "length";
  template <class S>
  Measured<S> operator()(const Site<S>& site) const {
    Measured<S> m;
    m.s = (site.end[0].point() - site.end[1].point()).z;
    m.rate = (site.end[0].velocity() - site.end[1].velocity()).z;
    m.n = {S(0.0), S(0.0), S(1.0)};
    return m;
  }
};

/// s = (r_0 - r_1) . d, d the z axis of the begin marker
struct Direction {
  static constexpr const char* kName = "length";
  template <class S>
  Measured<S> operator()(const Site<S>& site) const {
    const Vec3<S> delta = site.end[0].point() - site.end[1].point();
    const Vec3<S> delta_d = site.end[0].velocity() - site.end[1].velocity();
    Measured<S> m;
    m.n = site.end[0].axis(2);
    m.s = dot(delta, m.n);
    m.rate = dot(delta_d, m.n) + dot(delta, site.end[0].axis_rate(2));
    m.e[0][2] = delta;
    m.uses_axis[0][2] = true;
    return m;
  }
};

/// s = angle from x_0 to x_1 about z_0 = atan2(y_0 . x_1, x_0 . x_1)
struct Rotational {
  static constexpr const char* kName = "angle";
  template <class S>
  Measured<S> operator()(const Site<S>& site) const {
    const Vec3<S> x0 = site.end[0].axis(0), y0 = site.end[0].axis(1), x1 = site.end[1].axis(0);
    const S a = dot(y0, x1), b = dot(x0, x1);
    const S inverse = S(1.0) / (a * a + b * b);
    const S pa = b * inverse, pb = -a * inverse;  // ds/da, ds/db
    Measured<S> m;
    m.s = atan2(a, b);
    m.e[0][0] = pb * x1;
    m.e[0][1] = pa * x1;
    m.e[1][0] = pa * y0 + pb * x0;
    m.uses_axis[0][0] = m.uses_axis[0][1] = m.uses_axis[1][0] = true;
    m.rate = dot(m.e[0][0], site.end[0].axis_rate(0)) + dot(m.e[0][1], site.end[0].axis_rate(1)) +
             dot(m.e[1][0], site.end[1].axis_rate(0));
    return m;
  }
};

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

template <class Measure, class Law>
std::function<std::unique_ptr<ForceElement>()> maker() {
  return [] { return std::make_unique<MeasuredForce<Measure, Law>>(); };
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
  r.add(ForceType{prefix + "Spring",
                  what + ": F = stiffness (s - rest)",
                  {rest, stiffness},
                  true,
                  false,
                  maker<Measure, Spring>(),
                  0,
                  {},
                  true});
  r.add(ForceType{prefix + "Damper",
                  what + ": F = damping s'",
                  {damping},
                  true,
                  false,
                  maker<Measure, Damper>(),
                  -1,
                  touch});
  r.add(ForceType{prefix + "Spring_Damper",
                  what + ": F = stiffness (s - rest) + damping s'",
                  {rest, stiffness, damping},
                  true,
                  false,
                  maker<Measure, SpringDamper>(),
                  0});
  r.add(ForceType{prefix + "Actuator",
                  what + ": F given",
                  {constant},
                  true,
                  false,
                  maker<Measure, Actuator>()});
  r.add(ForceType{general,
                  what + ": F is a formula of " + Measure::kName + ", rate, t, ...",
                  {},
                  true,
                  true,
                  maker<Measure, General>(),
                  -1,
                  touch});
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
      .between_bodies = false,
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

std::string measure_name(const ForceType& type) {
  return type.make ? type.make()->measure_name() : "length";
}

}  // namespace parfait::mbs
