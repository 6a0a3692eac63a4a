#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "parfait/dynamics/system.h"
#include "parfait/expr/formula.h"
#include "parfait/math/dual.h"
#include "parfait/math/vec3.h"

/// Force elements, free of coordinates: an element sees the frames of its ends and its constants,
/// and gives for every end a force and three vectors conjugate to the axes.
///
///   P = sum over ends of  f . v + e_1 . a_1' + e_2 . a_2' + e_3 . a_3'
///
/// is its power, with the velocity v of the end's point and the rates a_i' of its axes. An engine
/// of rigid bodies reduces (f, e_i) at the point r to the force f and the torque
/// (r - r_0) x f + sum a_i x e_i about r_0; bodies that deform take the e_i whole. Axes are
/// orthonormal on the manifold and nearly so beside it: an element is one smooth function of them
/// all. See docs/theory/forces.md.
namespace parfait::mechanism {

using math::Dual;
using math::Lane;
using math::Vec3;

/// A point and three axes that are fixed to a body, in the world.
template <class S>
struct EndFrame {
  Vec3<S> point, velocity;
  Vec3<S> axis[3], axis_rate[3];
};

/// What acts there.
template <class S>
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): clang's own loop
struct EndForce {
  Vec3<S> force;
  Vec3<S> axis[3];
};

/// What an element reads of an end and what it gives: a sum of these. Nothing else is computed, nor
/// has a meaning in EndFrame and EndForce.
enum EndUse : unsigned {
  kPoint = 1u << 0,
  kVelocity = 1u << 1,
  kAxisX = 1u << 2,
  kAxisY = 1u << 3,
  kAxisZ = 1u << 4,
  kAxisRateX = 1u << 5,
  kAxisRateY = 1u << 6,
  kAxisRateZ = 1u << 7,
  kForce = 1u << 8,
  kAxisForceX = 1u << 9,
  kAxisForceY = 1u << 10,
  kAxisForceZ = 1u << 11,
  kAxes = kAxisX | kAxisY | kAxisZ,
  kAxisRates = kAxisRateX | kAxisRateY | kAxisRateZ,
  kAxisForces = kAxisForceX | kAxisForceY | kAxisForceZ,
  kWholeEnd = (1u << 12) - 1,
};
constexpr bool reads_axis(unsigned use, int i) {
  return (use & (kAxisX << i)) != 0;
}
constexpr bool reads_axis_rate(unsigned use, int i) {
  return (use & (kAxisRateX << i)) != 0;
}
constexpr bool gives_axis_force(unsigned use, int i) {
  return (use & (kAxisForceX << i)) != 0;
}

/// A formula that the model gives an element as its law: F(s, s', t, parameters, states, inputs).
/// The engine fills every slot but the first two, which are those of s and s'.
template <class S>
struct Law;

template <>
struct Law<double> {
  const expr::Formula* formula;
  double* slots;
  double* scratch;
  const std::int8_t* mode;     ///< of the formula's branches; null: values decide
  double* gradient = nullptr;  ///< where the gradient is wanted, and ...
  double* value = nullptr;     ///< ... with it the value

  double operator()(double s, double rate) const {
    slots[0] = s;
    slots[1] = rate;
    if (!gradient) return formula->value(slots, scratch, mode);
    return *value = formula->gradient(slots, scratch, gradient, mode);
  }
};

template <>
struct Law<Dual> {
  double value = 0;
  const expr::Formula* formula = nullptr;
  const double* gradient = nullptr;
  Lane* slots = nullptr;  ///< their directions
  /// Without a formula: dF/ds, dF/ds', and the directions of everything else.
  double by_s = 0, by_rate = 0;
  Lane direction{};

  Dual operator()(const Dual& s, const Dual& rate) const {
    if (!formula) return {value, by_s * s.d + by_rate * rate.d + direction};
    slots[0] = s.d;
    slots[1] = rate.d;
    alignas(64) double out[math::kLanes];
    formula->apply(gradient, reinterpret_cast<const double*>(slots), out);
    return {value, math::load(out)};
  }
};

/// Where an element is looked at.
template <class S>
struct ElementPoint {
  std::span<const EndFrame<S>> ends;
  std::span<const S> constants;
  std::span<const S> states;  ///< its own
  S t;
  /// The signs of its switching functions, which decide instead of their values; null: values do.
  const std::int8_t* mode = nullptr;
  const Law<S>* law = nullptr;  ///< null: the element has none
};

/// What it does there: act() writes all that use() says it gives, whatever stood there before.
template <class S>
struct ElementForces {
  std::span<EndForce<S>> ends;
  std::span<S> rates;  ///< of its states
};

struct ForceJacobian;  // force_jacobian.h

/// Immutable, and shared between threads. Every function is one for numbers and one for numbers
/// with directions; WrittenForce writes both from one template.
///
/// States   An element may have states (ForceType::states). What an event changes in an element is
///          a state of rate 0, so that everybody who keeps a state keeps it too.
/// Laws     act() for numbers with directions is the derivative of act(), on and off the manifold;
///          forces add up to zero unless something holds the element from outside; the power is
///          minus the rate of potential() minus dissipation() where the type says so
///          (ForceType::accounts_for_power). All are tested for every registered type.
class ForceElement {
 public:
  virtual ~ForceElement() = default;

  virtual unsigned use(int end) const = 0;

  virtual void act(const ElementPoint<double>& at, const ElementForces<double>& out) const = 0;
  virtual void act(const ElementPoint<Dual>& at, const ElementForces<Dual>& out) const = 0;

  /// Energy it has stored, and the power it turns into heat [W].
  virtual double potential(const ElementPoint<double>& at) const = 0;
  virtual Dual potential(const ElementPoint<Dual>& at) const = 0;
  virtual double dissipation(const ElementPoint<double>& at) const = 0;
  virtual Dual dissipation(const ElementPoint<Dual>& at) const = 0;

  /// Quantity i of ForceType::quantities.
  virtual double quantity(const ElementPoint<double>& at, int i) const = 0;
  virtual Dual quantity(const ElementPoint<Dual>& at, int i) const = 0;

  /// Switching functions: where one passes zero the element changes its law or jumps.
  virtual std::vector<dynamics::SwitchInfo> switch_infos() const = 0;
  virtual void switches(const ElementPoint<double>& at, std::span<double> out) const = 0;
  virtual void switches(const ElementPoint<Dual>& at, std::span<Dual> out) const = 0;

  /// Whether there are modes in which it does nothing, wherever it is, and whether `mode` is one:
  /// a contact that is open. Nobody then looks at it.
  virtual bool may_rest() const { return false; }
  virtual bool rests(const std::int8_t* /*mode*/) const { return false; }

  /// Its states after the event `which`; on entry those before.
  virtual void jump(const ElementPoint<double>& at, int which, std::span<double> states) const = 0;
  virtual void jump(const ElementPoint<Dual>& at, int which, std::span<Dual> states) const = 0;

  /// Its states at the start; on entry the constants they begin with. Frames are those of the
  /// initial position as described.
  virtual bool sets_start() const { return false; }
  virtual void start(const ElementPoint<double>& at, std::span<double> states) const;
  virtual void start(const ElementPoint<Dual>& at, std::span<Dual> states) const;

  /// Elements that pull along a path: the forces of a unit tension, whose sum with the velocities
  /// is minus the rate of the length. Moment arms are made of them.
  virtual bool pulls_along_path() const { return false; }
  virtual void pull(const ElementPoint<double>& at, std::span<EndForce<double>> out) const;
  virtual void pull(const ElementPoint<Dual>& at, std::span<EndForce<Dual>> out) const;

  /// d(forces, rates of states) / d(frames, constants, states, t, law). Written here by
  /// differentiating act() column by column; an element that knows better may.
  virtual void jacobian(const ElementPoint<double>& at, ForceJacobian& out) const;

  /// Its transpose, applied to `rows` (in the order of the rows of a ForceJacobian): into
  /// `columns`, all of them. Written here with the Jacobian itself, in `scratch`.
  virtual void pull_back(const ElementPoint<double>& at, std::span<const double> rows,
                         ForceJacobian& scratch, std::span<double> columns) const;
};

/// Writes the virtual functions of a ForceElement from those of a class that are templates over the
/// scalar S:
///
///   unsigned use(int end) const
///   void act(const ElementPoint<S>&, const ElementForces<S>&) const
///
/// and, where it has them, S potential(at), S dissipation(at), S quantity(at, i),
/// switch_infos(), switches(at, std::span<S>), rests(mode), jump(at, which, std::span<S>), start(at,
/// std::span<S>), pull(at, std::span<EndForce<S>>).
template <class Written>
class WrittenForce : public ForceElement {
 public:
  explicit WrittenForce(Written written = {}) : written_(std::move(written)) {}

  unsigned use(int end) const override { return written_.use(end); }
  void act(const ElementPoint<double>& at, const ElementForces<double>& out) const override {
    written_.act(at, out);
  }
  void act(const ElementPoint<Dual>& at, const ElementForces<Dual>& out) const override {
    written_.act(at, out);
  }
  double potential(const ElementPoint<double>& at) const override { return stored(at); }
  Dual potential(const ElementPoint<Dual>& at) const override { return stored(at); }
  double dissipation(const ElementPoint<double>& at) const override { return lost(at); }
  Dual dissipation(const ElementPoint<Dual>& at) const override { return lost(at); }
  double quantity(const ElementPoint<double>& at, int i) const override { return shown(at, i); }
  Dual quantity(const ElementPoint<Dual>& at, int i) const override { return shown(at, i); }
  std::vector<dynamics::SwitchInfo> switch_infos() const override {
    if constexpr (requires { written_.switch_infos(); }) return written_.switch_infos();
    return {};
  }
  void switches(const ElementPoint<double>& at, std::span<double> out) const override {
    if constexpr (requires { written_.switches(at, out); }) written_.switches(at, out);
  }
  void switches(const ElementPoint<Dual>& at, std::span<Dual> out) const override {
    if constexpr (requires { written_.switches(at, out); }) written_.switches(at, out);
  }
  bool may_rest() const override {
    return requires(const std::int8_t* mode) { written_.rests(mode); };
  }
  bool rests(const std::int8_t* mode) const override {
    if constexpr (requires { written_.rests(mode); }) return written_.rests(mode);
    return false;
  }
  void jump(const ElementPoint<double>& at, int which, std::span<double> states) const override {
    if constexpr (requires { written_.jump(at, which, states); }) written_.jump(at, which, states);
  }
  void jump(const ElementPoint<Dual>& at, int which, std::span<Dual> states) const override {
    if constexpr (requires { written_.jump(at, which, states); }) written_.jump(at, which, states);
  }
  bool sets_start() const override {
    return requires(const ElementPoint<double>& at, std::span<double> x) {
      written_.start(at, x);
    };
  }
  void start(const ElementPoint<double>& at, std::span<double> states) const override {
    if constexpr (requires { written_.start(at, states); }) written_.start(at, states);
  }
  void start(const ElementPoint<Dual>& at, std::span<Dual> states) const override {
    if constexpr (requires { written_.start(at, states); }) written_.start(at, states);
  }
  bool pulls_along_path() const override {
    return requires(const ElementPoint<double>& at, std::span<EndForce<double>> x) {
      written_.pull(at, x);
    };
  }
  void pull(const ElementPoint<double>& at, std::span<EndForce<double>> out) const override {
    if constexpr (requires { written_.pull(at, out); }) written_.pull(at, out);
  }
  void pull(const ElementPoint<Dual>& at, std::span<EndForce<Dual>> out) const override {
    if constexpr (requires { written_.pull(at, out); }) written_.pull(at, out);
  }

 protected:
  const Written& written() const { return written_; }

 private:
  template <class S>
  S stored(const ElementPoint<S>& at) const {
    if constexpr (requires { written_.potential(at); }) {
      return written_.potential(at);
    } else {
      return S(0.0);
    }
  }
  template <class S>
  S lost(const ElementPoint<S>& at) const {
    if constexpr (requires { written_.dissipation(at); }) {
      return written_.dissipation(at);
    } else {
      return S(0.0);
    }
  }
  template <class S>
  S shown(const ElementPoint<S>& at, int i) const {
    if constexpr (requires { written_.quantity(at, i); }) {
      return written_.quantity(at, i);
    } else {
      return S(0.0);
    }
  }

  Written written_;
};

/// The reciprocal axes: a^i . a_j = 1 where i = j, otherwise 0.
template <class S>
void reciprocal_axes(const Vec3<S> (&a)[3], Vec3<S> (&out)[3]) {
  const S inverse = S(1.0) / dot(a[0], cross(a[1], a[2]));
  for (int i = 0; i < 3; ++i) out[i] = inverse * cross(a[(i + 1) % 3], a[(i + 2) % 3]);
}

/// The conjugate vectors e_i = (tau x a^i) / 2 of a torque: sum a_i x e_i = tau, and their power is
/// tau . omega.
template <class S>
void add_torque(const Vec3<S>& tau, const Vec3<S> (&axis)[3], EndForce<S>& out) {
  Vec3<S> reciprocal[3];
  reciprocal_axes(axis, reciprocal);
  for (int i = 0; i < 3; ++i) out.axis[i] += S(0.5) * cross(tau, reciprocal[i]);
}

/// omega = sum (a^i x a_i') / 2, what the power of a torque is taken with.
template <class S>
Vec3<S> angular_velocity(const EndFrame<S>& end) {
  Vec3<S> reciprocal[3], sum{};
  reciprocal_axes(end.axis, reciprocal);
  for (int i = 0; i < 3; ++i) sum += cross(reciprocal[i], end.axis_rate[i]);
  return S(0.5) * sum;
}

/// The torque sum a_i x e_i of the conjugate vectors about the end's point.
template <class S>
Vec3<S> torque_of(const EndFrame<S>& end, const EndForce<S>& force) {
  Vec3<S> sum{};
  for (int i = 0; i < 3; ++i) sum += cross(end.axis[i], force.axis[i]);
  return sum;
}

}  // namespace parfait::mechanism
