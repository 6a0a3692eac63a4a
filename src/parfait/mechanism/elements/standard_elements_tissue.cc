#include <array>
#include <string>

#include "parfait/mechanism/elements/registry.h"
#include "parfait/mechanism/elements/relative_pose.h"
#include "parfait/mechanism/elements/standard_elements.h"

// Elastic connections in several directions at once: forces of joints (Kraus 2006, section 6.2.1),
// of intervertebral discs (6.2.2) and of soft tissue (6.2.3). Everywhere the forces are conjugate
// to the measures (relative_pose.h), which Kraus' torques are not (docs/theory/corrections.md).
namespace parfait::mechanism {
namespace {

/// y = A x for a symmetric A given by its upper triangle, row by row.
template <int n, class S>
[[gnu::always_inline]] inline void multiply(const S* A, const S* x, S* y) {
  for (int i = 0; i < n; ++i) y[i] = S(0.0);
  int entry = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = i; j < n; ++j) {
      const S& a = A[entry++];
      y[i] = y[i] + a * x[j];
      if (i != j) y[j] = y[j] + a * x[i];
    }
  }
}

template <int n, class S>
S product(const S* a, const S* b) {
  S sum(0.0);
  for (int i = 0; i < n; ++i) sum = sum + a[i] * b[i];
  return sum;
}

/// Three Cardan angles as measures.
struct Turned {
  static constexpr int kSize = 3;
  static constexpr unsigned kUse = kTurnUse;
  template <class S>
  struct Measures {
    RelativeRotation<S> rotation;
    const S* x() const { return rotation.angle; }
    const S* rate() const { return rotation.rate; }
  };
  template <class S>
  static Measures<S> measure(const ElementPoint<S>& at) {
    return {relative_rotation(at.ends[0], at.ends[1])};
  }
  template <class S>
  static void push(const Measures<S>& m, const S* F, const ElementPoint<S>& at,
                   const ElementForces<S>& out) {
    for (auto& axis : out.ends[0].axis) axis = {};
    turn(m.rotation, F, at.ends[0], at.ends[1], out.ends.data());
  }
};

/// Three displacements and three Cardan angles.
struct Posed {
  static constexpr int kSize = 6;
  static constexpr unsigned kUse = kPoseUse;
  template <class S>
  struct Measures {
    RelativePoint<S> point;
    RelativeRotation<S> rotation;
    S x_[6], rate_[6];
    const S* x() const { return x_; }
    const S* rate() const { return rate_; }
  };
  template <class S>
  [[gnu::always_inline]] static Measures<S> measure(const ElementPoint<S>& at) {
    Measures<S> m;
    m.point = relative_point(at.ends[0], at.ends[1]);
    m.rotation = relative_rotation(at.ends[0], at.ends[1]);
    for (int k = 0; k < 3; ++k) {
      m.x_[k] = m.point.x[k];
      m.x_[3 + k] = m.rotation.angle[k];
      m.rate_[k] = m.point.rate[k];
      m.rate_[3 + k] = m.rotation.rate[k];
    }
    return m;
  }
  template <class S>
  [[gnu::always_inline]] static void push(const Measures<S>& m, const S* F,
                                          const ElementPoint<S>& at, const ElementForces<S>& out) {
    displace(m.point, F, at.ends[0], out.ends.data());
    turn(m.rotation, F + 3, at.ends[0], at.ends[1], out.ends.data());
  }
};

/// An element from measures and a law that says F, V and the power lost:
///   void Law::force(at, x, rate, S* F), S stored(at, x), S lost(at, x, rate)
template <class Measure, class Law>
struct PoseForce : Law {
  static constexpr int kSize = Measure::kSize;

  unsigned use(int) const { return Measure::kUse; }
  template <class S>
  void act(const ElementPoint<S>& at, const ElementForces<S>& out) const {
    const auto m = Measure::template measure<S>(at);
    S F[kSize];
    Law::force(at, m.x(), m.rate(), F);
    Measure::template push<S>(m, F, at, out);
  }
  template <class S>
  S potential(const ElementPoint<S>& at) const {
    return Law::stored(at, Measure::template measure<S>(at).x());
  }
  template <class S>
  S dissipation(const ElementPoint<S>& at) const {
    const auto m = Measure::template measure<S>(at);
    return Law::lost(at, m.x(), m.rate());
  }
  /// x, x', F in this order.
  template <class S>
  S quantity(const ElementPoint<S>& at, int i) const {
    const auto m = Measure::template measure<S>(at);
    if (i < kSize) return m.x()[i];
    if (i < 2 * kSize) return m.rate()[i - kSize];
    S F[kSize];
    Law::force(at, m.x(), m.rate(), F);
    return F[i - 2 * kSize];
  }
};

/// F = C (x - x_0) + D x', C and D symmetric; constants: C, D, x_0.
template <int n>
struct Matrices {
  static constexpr int kEntries = n * (n + 1) / 2;

  template <class S>
  static void stretch(const ElementPoint<S>& at, const S* x, S* out) {
    const S* rest = at.constants.data() + 2 * kEntries;
    for (int i = 0; i < n; ++i) out[i] = x[i] - rest[i];
  }
  template <class S>
  static void force(const ElementPoint<S>& at, const S* x, const S* rate, S* F) {
    S stretched[n], lost[n];
    stretch(at, x, stretched);
    multiply<n>(at.constants.data(), stretched, F);
    multiply<n>(at.constants.data() + kEntries, rate, lost);
    for (int i = 0; i < n; ++i) F[i] = F[i] + lost[i];
  }
  template <class S>
  static S stored(const ElementPoint<S>& at, const S* x) {
    S stretched[n], F[n];
    stretch(at, x, stretched);
    multiply<n>(at.constants.data(), stretched, F);
    return S(0.5) * product<n>(stretched, F);
  }
  template <class S>
  static S lost(const ElementPoint<S>& at, const S*, const S* rate) {
    S F[n];
    multiply<n>(at.constants.data() + kEntries, rate, F);
    return product<n>(rate, F);
  }
};

/// The intervertebral disc of Kraus 2006, (6.6): a symmetric matrix whose diagonal depends on the
/// signs of x_1, x_3 and the second angle, times `scale`; damping is diagonal and not scaled.
struct Disc {
  enum Constant {
    kScale,
    kC11,
    kC11Negative,
    kC22,
    kC33,
    kC33Negative,
    kC44,
    kC55,
    kC55Negative,
    kC66,
    kC13,
    kC15,
    kC24,
    kC26,
    kC35,
    kC46,
    kDamping,
    kRotationalDamping,
  };
  static constexpr int kSwitched[3] = {0, 2, 4};  ///< the measures whose signs count

  /// Whether switching function i is on its side >= 0.
  template <class S>
  static bool is_positive(const ElementPoint<S>& at, const S* x, int i) {
    return at.mode ? at.mode[i] > 0 : math::value_of(x[kSwitched[i]]) >= 0;
  }
  /// C x
  template <class S>
  [[gnu::always_inline]] static void elastic(const ElementPoint<S>& at, const S* x, S* F) {
    const S* c = at.constants.data();
    const S& c11 = c[is_positive(at, x, 0) ? kC11 : kC11Negative];
    const S& c33 = c[is_positive(at, x, 1) ? kC33 : kC33Negative];
    const S& c55 = c[is_positive(at, x, 2) ? kC55 : kC55Negative];
    F[0] = c[kScale] * (c11 * x[0] + c[kC13] * x[2] + c[kC15] * x[4]);
    F[1] = c[kScale] * (c[kC22] * x[1] + c[kC24] * x[3] + c[kC26] * x[5]);
    F[2] = c[kScale] * (c[kC13] * x[0] + c33 * x[2] + c[kC35] * x[4]);
    F[3] = c[kScale] * (c[kC24] * x[1] + c[kC44] * x[3] + c[kC46] * x[5]);
    F[4] = c[kScale] * (c[kC15] * x[0] + c[kC35] * x[2] + c55 * x[4]);
    F[5] = c[kScale] * (c[kC26] * x[1] + c[kC46] * x[3] + c[kC66] * x[5]);
  }
  template <class S>
  [[gnu::always_inline]] static void force(const ElementPoint<S>& at, const S* x, const S* rate,
                                           S* F) {
    elastic(at, x, F);
    for (int i = 0; i < 3; ++i) {
      F[i] = F[i] + at.constants[kDamping] * rate[i];
      F[3 + i] = F[3 + i] + at.constants[kRotationalDamping] * rate[3 + i];
    }
  }
  template <class S>
  static S stored(const ElementPoint<S>& at, const S* x) {
    S F[6];
    elastic(at, x, F);
    return S(0.5) * product<6>(x, F);
  }
  template <class S>
  static S lost(const ElementPoint<S>& at, const S*, const S* rate) {
    return at.constants[kDamping] * product<3>(rate, rate) +
           at.constants[kRotationalDamping] * product<3>(rate + 3, rate + 3);
  }
};

struct DiscForce : PoseForce<Posed, Disc> {
  std::vector<dynamics::SwitchInfo> switch_infos() const {
    return {{.name = "sign of x"}, {.name = "sign of z"}, {.name = "sign of angle 2"}};
  }
  template <class S>
  void switches(const ElementPoint<S>& at, std::span<S> out) const {
    // A disc that hangs straight, or moves in a plane, has x = 0 but for rounding and for what
    // projections leave: that is one sign, not many events. The force is continuous here, so that
    // the motion does not see the difference.
    constexpr double kRounding = 1e-9;
    const auto m = Posed::measure<S>(at);
    for (int i = 0; i < 3; ++i) {
      out[static_cast<std::size_t>(i)] = m.x()[kSwitched[i]] + S(kRounding);
    }
  }
};

/// Soft tissue on a bone (Kraus 2006, (6.7)): cubic in displacements, linear in angles; constants
/// c_t, d_t, c_r, d_r.
struct Tissue {
  template <class S>
  [[gnu::always_inline]] static void force(const ElementPoint<S>& at, const S* x, const S* rate,
                                           S* F) {
    const S* c = at.constants.data();
    for (int i = 0; i < 3; ++i) {
      F[i] = c[0] * x[i] * x[i] * x[i] + c[1] * rate[i];
      F[3 + i] = c[2] * x[3 + i] + c[3] * rate[3 + i];
    }
  }
  template <class S>
  static S stored(const ElementPoint<S>& at, const S* x) {
    S fourth(0.0);
    for (int i = 0; i < 3; ++i) fourth = fourth + x[i] * x[i] * x[i] * x[i];
    return S(0.25) * at.constants[0] * fourth + S(0.5) * at.constants[2] * product<3>(x + 3, x + 3);
  }
  template <class S>
  static S lost(const ElementPoint<S>& at, const S*, const S* rate) {
    return at.constants[1] * product<3>(rate, rate) +
           at.constants[3] * product<3>(rate + 3, rate + 3);
  }
};

template <class Element>
auto maker() {
  return [](const Force&) { return std::make_unique<WrittenForce<Element>>(); };
}

/// Names and units of the measures: displacements first, then angles.
struct MeasureNames {
  int num_displacements, num_angles;

  int size() const { return num_displacements + num_angles; }
  bool is_angle(int i) const { return i >= num_displacements; }
  std::string length(int i) const { return is_angle(i) ? "rad" : "m"; }
  std::string load(int i) const { return is_angle(i) ? "N m" : "N"; }
  std::string suffix(int i) const {
    return is_angle(i) ? std::to_string(i - num_displacements + 1) : std::string(1, "xyz"[i]);
  }
  /// Conjugate to measure i, by measure j; energies do not mind which is which.
  std::string stiffness_unit(int i, int j) const { return load(i) + "/" + length(j); }
  std::string damping_unit(int i, int j) const { return load(i) + " s/" + length(j); }
};

std::vector<QuantityInfo> pose_quantities(const MeasureNames& names) {
  std::vector<QuantityInfo> out;
  for (int i = 0; i < names.size(); ++i) {
    const bool angle = names.is_angle(i);
    out.push_back(
        {(angle ? "angle." : "displacement.") + names.suffix(i), names.length(i),
         angle ? "Cardan angle from begin to end" : "of end from begin, in the axes of begin"});
  }
  for (int i = 0; i < names.size(); ++i) {
    const bool angle = names.is_angle(i);
    out.push_back({(angle ? "rate." : "displacement_rate.") + names.suffix(i),
                   names.length(i) + "/s", "its rate"});
  }
  for (int i = 0; i < names.size(); ++i) {
    const bool angle = names.is_angle(i);
    out.push_back({(angle ? "torque." : "force.") + names.suffix(i), names.load(i),
                   "conjugate to it; a positive one pulls it down"});
  }
  return out;
}

/// Upper triangles "c11", "c12", ..., "d11", ..., and rest values.
std::vector<ConstantInfo> matrix_constants(const MeasureNames& names) {
  std::vector<ConstantInfo> out;
  for (const bool is_damping : {false, true}) {
    for (int i = 0; i < names.size(); ++i) {
      for (int j = i; j < names.size(); ++j) {
        const std::string name =
            (is_damping ? "d" : "c") + std::to_string(i + 1) + std::to_string(j + 1);
        out.push_back({name, is_damping ? names.damping_unit(i, j) : names.stiffness_unit(i, j),
                       is_damping ? "entry of the symmetric damping matrix"
                                  : "entry of the symmetric stiffness matrix",
                       i == j && !is_damping ? std::nullopt : std::optional(0.0)});
      }
    }
  }
  for (int i = 0; i < names.size(); ++i) {
    out.push_back({"rest" + std::to_string(i + 1), names.length(i),
                   "value of measure " + std::to_string(i + 1) + " that is free of force", 0.0});
  }
  return out;
}

std::vector<ConstantInfo> disc_constants() {
  const auto stiffness = [](const char* name, const char* unit, double value, const char* meaning) {
    return ConstantInfo{name, unit, meaning, value};
  };
  return {
      stiffness("scale", "1", 1, "factor of the stiffness matrix"),
      stiffness("c11", "N/m", 140000, "along x of begin, x >= 0"),
      stiffness("c11_negative", "N/m", 50000, "along x, x < 0"),
      stiffness("c22", "N/m", 122000, "along y"),
      stiffness("c33", "N/m", 390000, "along z, z >= 0: tension"),
      stiffness("c33_negative", "N/m", 1083000, "along z, z < 0: compression"),
      stiffness("c44", "N m/rad", 179.9, "of angle 1, about x"),
      stiffness("c55", "N m/rad", 151.8, "of angle 2, about y, angle >= 0"),
      stiffness("c55_negative", "N m/rad", 185.6, "of angle 2, angle < 0"),
      stiffness("c66", "N m/rad", 149, "of angle 3, about z"),
      stiffness("c13", "N/m", 8000, "coupling of x and z"),
      stiffness("c15", "N/rad", -800, "coupling of x and angle 2"),
      stiffness("c24", "N/rad", 450, "coupling of y and angle 1"),
      stiffness("c26", "N/rad", 300, "coupling of y and angle 3"),
      stiffness("c35", "N/rad", -380, "coupling of z and angle 2"),
      stiffness("c46", "N m/rad", -1.5, "coupling of angles 1 and 3"),
      stiffness("damping", "N s/m", 300, "of every displacement"),
      stiffness("rotational_damping", "N m s/rad", 1, "of every angle"),
  };
}

}  // namespace

void add_tissue_forces(Registry& r) {
  constexpr MeasureNames kTurned{0, 3}, kPosed{3, 3};
  r.add(ForceType{.key = "Spherical",
                  .summary = "a torque of the three Cardan angles x from begin to end: conjugate "
                             "to C (x - rest) + D x', C and D symmetric 3 x 3",
                  .constants = matrix_constants(kTurned),
                  .make = maker<PoseForce<Turned, Matrices<3>>>(),
                  .quantities = pose_quantities(kTurned),
                  .accounts_for_power = true});
  r.add(ForceType{.key = "Tensorial",
                  .summary = "of three displacements in the axes of begin and three Cardan angles: "
                             "conjugate to C (x - rest) + D x', C and D symmetric 6 x 6",
                  .constants = matrix_constants(kPosed),
                  .make = maker<PoseForce<Posed, Matrices<6>>>(),
                  .quantities = pose_quantities(kPosed),
                  .accounts_for_power = true});
  r.add(ForceType{.key = "Bushing",
                  .summary =
                      "an intervertebral disc: like Tensorial, with a stiffness that depends "
                      "on the signs of x, z and angle 2, and a factor of all of it",
                  .constants = disc_constants(),
                  .make = maker<DiscForce>(),
                  .quantities = pose_quantities(kPosed),
                  .accounts_for_power = true});
  r.add(ForceType{
      .key = "Wobbling",
      .summary = "soft tissue (end) on a bone (begin): cubic springs of the displacements, linear "
                 "ones of the Cardan angles",
      .constants = {{"stiffness", "N/m^3", "force per cube of a displacement", {}},
                    {"damping", "N s/m", "force per rate of a displacement", 0.0},
                    {"rotational_stiffness", "N m/rad", "torque per angle", 0.0},
                    {"rotational_damping", "N m s/rad", "torque per rate of an angle", 0.0}},
      .make = maker<PoseForce<Posed, Tissue>>(),
      .quantities = pose_quantities(kPosed),
      .accounts_for_power = true});
}

}  // namespace parfait::mechanism
