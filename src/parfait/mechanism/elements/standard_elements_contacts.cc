#include "parfait/mechanism/elements/measures.h"
#include "parfait/mechanism/elements/registry.h"
#include "parfait/mechanism/elements/relative_pose.h"
#include "parfait/mechanism/elements/standard_elements.h"

// Contact of a point (end) with a surface of a body (begin), after Hertz: Kraus 2006, section 6.3,
// in a form that is continuously differentiable (docs/theory/contact.md, H1-H4).
namespace parfait::mechanism {
namespace {

using math::sqrt;
using std::sqrt;

/// The surfaces, in the axes of begin; x is where the point is.
///   S gap(constants, x, S* n): p, the height above the surface, and n = grad p
///   num_edges, edges(constants, x, out): >= 0 while the foot of the perpendicular is inside
struct Plane {
  static constexpr int kEdges = 0;
  template <class S>
  static S gap(const S*, const S* x, S* n) {
    n[0] = n[1] = S(0.0);
    n[2] = S(1.0);
    return x[2];
  }
  template <class S>
  static void edges(const S*, const S*, S*) {}
};

/// A rectangle in the plane x-y: its width along x, its height along y.
struct Face {
  static constexpr int kEdges = 2;
  template <class S>
  static S gap(const S* c, const S* x, S* n) {
    return Plane::gap(c, x, n);
  }
  template <class S>
  static void edges(const S* c, const S* x, S* out) {
    for (int i = 0; i < 2; ++i) out[i] = S(0.25) * c[i] * c[i] - x[i] * x[i];
  }
};

/// Around the origin of begin.
struct Ball {
  static constexpr int kEdges = 0;
  template <class S>
  static S gap(const S* c, const S* x, S* n) {
    const S distance = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    const S inverse = S(1.0) / distance;
    for (int i = 0; i < 3; ++i) n[i] = inverse * x[i];
    return distance - c[0];
  }
  template <class S>
  static void edges(const S*, const S*, S*) {}
};

/// Where a point is, how it moves, and what the surface does to it.
template <class S>
struct Touch {
  RelativePoint<S> point;
  S gap, gap_rate;
  S normal[3], slip[3];
  S edges[2];
};

/// Constants: stiffness a, radius r_0, friction c, damping h, then those of the surface.
///
///   f_H = 0 (p >= 0),  a (p^2/r_0 + p^3/(3 r_0^2)) (-r_0 <= p < 0),  -a (p + r_0/3) (p < -r_0)
///   f = f_H max(0, 1 - h p'),   friction -f c u  with the tangential velocity u
template <class Surface>
class Hertz {
 public:
  enum Constant { kStiffness, kRadius, kFriction, kDamping, kSurface };
  enum Switch { kTouch, kDeep, kFirstEdge, kLetGo = kFirstEdge + Surface::kEdges };

  unsigned use(int end) const {
    constexpr unsigned kBoth = kPoint | kVelocity | kForce;
    return end == 0 ? kBoth | kTurnUse : kBoth;
  }
  template <class S>
  void act(const ElementPoint<S>& at, const ElementForces<S>& out) const {
    const Touch<S> t = look(at);
    S F[3] = {S(0.0), S(0.0), S(0.0)};
    if (touches(at, t)) {
      const S f = normal_force(at, t);
      const S rub = f * at.constants[kFriction];
      for (int i = 0; i < 3; ++i) F[i] = rub * t.slip[i] - f * t.normal[i];
    }
    displace(t.point, F, at.ends[0], out.ends.data());
  }
  /// -int f_H dp
  template <class S>
  S potential(const ElementPoint<S>& at) const {
    const Touch<S> t = look(at);
    if (!touches(at, t)) return S(0.0);
    const S &a = at.constants[kStiffness], &r = at.constants[kRadius], &p = t.gap;
    if (is_on(at, kDeep, -p - r)) {
      return a * (S(0.5) * p * p + r * p * S(1.0 / 3) + r * r * S(1.0 / 12));
    }
    return -a * p * p * p / r * (S(1.0 / 3) + p / r * S(1.0 / 12));
  }
  /// What damping and friction take.
  template <class S>
  S dissipation(const ElementPoint<S>& at) const {
    const Touch<S> t = look(at);
    if (!touches(at, t)) return S(0.0);
    const S f = normal_force(at, t);
    return (elastic_force(at, t) - f) * t.gap_rate + f * at.constants[kFriction] * slip2(t);
  }
  /// gap, its rate, normal force, friction, slip.
  template <class S>
  S quantity(const ElementPoint<S>& at, int i) const {
    const Touch<S> t = look(at);
    if (i == 0) return t.gap;
    if (i == 1) return t.gap_rate;
    if (i == 4) return slip(t);
    if (!touches(at, t)) return S(0.0);
    const S f = normal_force(at, t);
    return i == 2 ? f : f * at.constants[kFriction] * slip(t);
  }
  std::vector<dynamics::SwitchInfo> switch_infos() const {
    std::vector<dynamics::SwitchInfo> infos{{.name = "contact"}, {.name = "full disc"}};
    if (Surface::kEdges > 0) {
      infos.push_back({.name = "edge across x"});
      infos.push_back({.name = "edge across y"});
    }
    infos.push_back({.name = "adhesion"});
    return infos;
  }
  template <class S>
  void switches(const ElementPoint<S>& at, std::span<S> out) const {
    const Touch<S> t = look(at);
    out[kTouch] = -t.gap;
    out[kDeep] = -t.gap - at.constants[kRadius];
    for (int i = 0; i < Surface::kEdges; ++i) {
      out[kFirstEdge + i] = t.edges[i];
    }
    out[kLetGo] = S(1.0) - at.constants[kDamping] * t.gap_rate;
  }
  bool rests(const std::int8_t* mode) const {
    bool pushes = mode[kTouch] > 0 && mode[kLetGo] > 0;
    for (int i = 0; i < Surface::kEdges; ++i) pushes &= mode[kFirstEdge + i] > 0;
    return !pushes;
  }

 private:
  template <class S>
  static bool is_on(const ElementPoint<S>& at, int which, const S& value) {
    return at.mode ? at.mode[which] > 0 : math::value_of(value) >= 0;
  }
  template <class S>
  [[gnu::always_inline]] static Touch<S> look(const ElementPoint<S>& at) {
    Touch<S> t;
    t.point = relative_point(at.ends[0], at.ends[1]);
    const S *x = t.point.x, *u = t.point.rate;
    t.gap = Surface::gap(at.constants.data() + kSurface, x, t.normal);
    t.gap_rate = t.normal[0] * u[0] + t.normal[1] * u[1] + t.normal[2] * u[2];
    for (int i = 0; i < 3; ++i) t.slip[i] = u[i] - t.gap_rate * t.normal[i];
    Surface::edges(at.constants.data() + kSurface, x, t.edges);
    return t;
  }
  template <class S>
  static bool touches(const ElementPoint<S>& at, const Touch<S>& t) {
    bool inside = is_on(at, kTouch, -t.gap);
    for (int i = 0; i < Surface::kEdges; ++i) inside &= is_on(at, kFirstEdge + i, t.edges[i]);
    return inside;
  }
  template <class S>
  static S elastic_force(const ElementPoint<S>& at, const Touch<S>& t) {
    const S &a = at.constants[kStiffness], &r = at.constants[kRadius], &p = t.gap;
    if (is_on(at, kDeep, -p - r)) return -a * (p + r * S(1.0 / 3));
    const S part = p / r;
    return a * p * part * (S(1.0) + part * S(1.0 / 3));
  }
  template <class S>
  static S normal_force(const ElementPoint<S>& at, const Touch<S>& t) {
    const S f = elastic_force(at, t);
    const S factor = S(1.0) - at.constants[kDamping] * t.gap_rate;
    return is_on(at, kLetGo, factor) ? f * factor : S(0.0);
  }
  template <class S>
  static S slip2(const Touch<S>& t) {
    return t.slip[0] * t.slip[0] + t.slip[1] * t.slip[1] + t.slip[2] * t.slip[2];
  }
  /// |u|; a derivative of 0 where it is 0.
  template <class S>
  static S slip(const Touch<S>& t) {
    const S u2 = slip2(t);
    return math::value_of(u2) > 0 ? sqrt(u2) : S(0.0);
  }
};

template <class Surface>
void add_contact(Registry& r, const char* key, const char* surface,
                 std::vector<ConstantInfo> further) {
  ForceType type{
      .key = key,
      .summary = std::string("contact after Hertz: the origin of end against ") + surface,
      .constants = {
          {"stiffness", "N/m", "a: force per depth once the contact disc is full", {}},
          {"radius", "m", "r: depth at which the contact disc is full", {}},
          {"friction", "s/m", "c: tangential force is c times normal force times slip", 0.0},
          {"damping", "s/m",
           "h: the normal force times 1 + h times the speed of approach, never below 0", 0.0}}};
  for (auto& constant : further) type.constants.push_back(std::move(constant));
  type.make = [](const Force&) { return std::make_unique<WrittenForce<Hertz<Surface>>>(); };
  type.quantities = {{"gap", "m", "height of the point above the surface"},
                     {"rate", "m/s", "its rate"},
                     {"force", "N", "normal force, which pushes them apart"},
                     {"friction", "N", "tangential force, against the slip"},
                     {"slip", "m/s", "tangential speed of the point on the surface"}};
  type.accounts_for_power = true;
  r.add(std::move(type));
}

/// A stop at each end of the range of an angle s: beyond it by d, F = stiffness d (1 + damping d'),
/// never of the other sign. Constants: lower, upper, stiffness, damping. The force is continuous
/// where the stop is met with speed, which that of a spring with a damper is not.
class AngleStops {
 public:
  enum Constant { kLower, kUpper, kStiffness, kDamping };
  enum Switch { kAtLower, kAtUpper, kLowerHolds, kUpperHolds };

  unsigned use(int end) const { return measures::Rotational::kUse[end]; }
  template <class S>
  void act(const ElementPoint<S>& at, const ElementForces<S>& out) const {
    const Measured<S> m = measures::Rotational{}(at.ends.data());
    push_apart(force(at, m), m, measures::Rotational::kUse, out.ends.data());
  }
  template <class S>
  S potential(const ElementPoint<S>& at) const {
    const S d = beyond(at, measures::Rotational{}(at.ends.data()));
    return S(0.5) * at.constants[kStiffness] * d * d;
  }
  template <class S>
  S dissipation(const ElementPoint<S>& at) const {
    const Measured<S> m = measures::Rotational{}(at.ends.data());
    return (force(at, m) - at.constants[kStiffness] * beyond(at, m)) * m.rate;
  }
  template <class S>
  S quantity(const ElementPoint<S>& at, int i) const {
    const Measured<S> m = measures::Rotational{}(at.ends.data());
    return i == 0 ? m.s : i == 1 ? m.rate : force(at, m);
  }
  std::vector<dynamics::SwitchInfo> switch_infos() const {
    return {{.name = "lower stop"},
            {.name = "upper stop"},
            {.name = "adhesion to the lower stop"},
            {.name = "adhesion to the upper stop"}};
  }
  template <class S>
  void switches(const ElementPoint<S>& at, std::span<S> out) const {
    const Measured<S> m = measures::Rotational{}(at.ends.data());
    out[kAtLower] = at.constants[kLower] - m.s;
    out[kAtUpper] = m.s - at.constants[kUpper];
    out[kLowerHolds] = grip(at, -m.rate);
    out[kUpperHolds] = grip(at, m.rate);
  }
  bool rests(const std::int8_t* mode) const {
    const int side = mode[kAtUpper] > 0 ? kAtUpper : kAtLower;
    return mode[side] <= 0 || mode[side + kLowerHolds] <= 0;
  }

 private:
  template <class S>
  static bool is_on(const ElementPoint<S>& at, int which, const S& value) {
    return at.mode ? at.mode[which] > 0 : math::value_of(value) >= 0;
  }
  /// s - upper or s - lower beyond a stop, otherwise 0.
  template <class S>
  static S beyond(const ElementPoint<S>& at, const Measured<S>& m) {
    S over = m.s - at.constants[kUpper];
    const S under = at.constants[kLower] - m.s;
    if (is_on(at, kAtUpper, over)) return over;
    return is_on(at, kAtLower, under) ? -under : S(0.0);
  }
  /// 1 + damping d'
  template <class S>
  static S grip(const ElementPoint<S>& at, const S& rate) {
    return S(1.0) + at.constants[kDamping] * rate;
  }
  template <class S>
  static S force(const ElementPoint<S>& at, const Measured<S>& m) {
    const bool is_upper = is_on(at, kAtUpper, m.s - at.constants[kUpper]);
    const S factor = grip(at, is_upper ? m.rate : -m.rate);
    if (!is_on(at, is_upper ? kUpperHolds : kLowerHolds, factor)) return S(0.0);
    return at.constants[kStiffness] * beyond(at, m) * factor;
  }
};

}  // namespace

void add_contact_forces(Registry& r) {
  add_contact<Plane>(r, "Hertz_Plane", "the plane x-y of begin, whose z points outwards", {});
  add_contact<Face>(r, "Hertz_Face",
                    "a rectangle around the origin of begin in its plane x-y, z outwards",
                    {{"width", "m", "along x of begin", {}}, {"height", "m", "along y", {}}});
  add_contact<Ball>(r, "Hertz_Sphere", "a sphere around the origin of begin",
                    {{"sphere_radius", "m", "of the sphere", {}}});
  r.add(ForceType{
      .key = "Joint_Limit",
      .summary = "stops of the angle from x of begin to x of end about z of begin: nothing between "
                 "lower and upper, a spring with a damper beyond",
      .constants = {{"lower", "rad", "angle of the lower stop", {}},
                    {"upper", "rad", "angle of the upper stop", {}},
                    {"stiffness", "N m/rad", "torque per angle beyond a stop", {}},
                    {"damping", "s/rad",
                     "h: the torque times 1 + h times the rate of going beyond, never below 0",
                     0.0}},
      .make = [](const Force&) { return std::make_unique<WrittenForce<AngleStops>>(); },
      .quantities = {{"angle", "rad", "its measure s"},
                     {"rate", "rad/s", "rate of s"},
                     {"force", "N m", "F; a positive one pulls s down"}},
      .accounts_for_power = true});
}

}  // namespace parfait::mechanism
