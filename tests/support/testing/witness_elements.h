#pragma once

#include <Eigen/Dense>
#include <array>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "parfait/mechanism/description/description.h"
#include "testing/dual.h"

/// The pieces of a described model as plain functions of body positions, for DenseModel. Everything
/// is written for any scalar, and no derivative is written by hand.
namespace parfait::testing_support {

/// r(t), r'(t), r''(t) of a driven constraint.
using Drive = std::function<std::array<double, 3>(double t)>;
/// The force F(s, s', t, e) of a General_* element.
using Law = std::function<double(double s, double rate, double t, const Eigen::VectorXd& e)>;

/// What formulas of a description mean. The witness reads no formula: whoever writes one into a
/// description says here, by the id of the element, what it computes.
struct Functions {
  std::map<std::string, Drive> offsets;                        ///< by constraint id
  std::map<std::string, std::function<double(double)>> force;  ///< Actuator: force(t), by force id
  std::map<std::string, Law> laws;                             ///< General_*, by force id
  /// e' of all external states
  std::function<Eigen::VectorXd(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                const Eigen::VectorXd& e)>
      state_rates;
};

/// Origin and axes of a body in the world.
template <class S>
struct Pose {
  Triple<S> o;
  std::array<Triple<S>, 3> e;

  Triple<S> vector(const Eigen::Vector3d& r) const {
    return S(r[0]) * e[0] + S(r[1]) * e[1] + S(r[2]) * e[2];
  }
  Triple<S> point(const Eigen::Vector3d& r) const { return o + vector(r); }
};

template <class S>
Pose<S> ground_pose() {
  Pose<S> pose;
  for (int i = 0; i < 3; ++i) {
    pose.o[i] = S(0.0);
    for (int k = 0; k < 3; ++k) pose.e[i][k] = S(i == k ? 1.0 : 0.0);
  }
  return pose;
}

/// The pose that 12 coordinates of the body's own choice stand for. Linear and homogeneous, so it
/// also takes rates to rates.
template <class S>
Pose<S> pose_of(mechanism::BodyCoordinates choice, const S* q) {
  Pose<S> pose;
  for (int k = 0; k < 3; ++k) pose.o[k] = q[k];
  for (int i = 0; i < 3; ++i) {
    const bool is_point = choice == mechanism::BodyCoordinates::kFourPoints ||
                          (choice == mechanism::BodyCoordinates::kTwoPointsTwoVectors && i == 0);
    for (int k = 0; k < 3; ++k) {
      const S& x = q[3 + 3 * i + k];
      pose.e[i][k] = is_point ? x - q[k] : x;
    }
  }
  return pose;
}

struct PointMass {
  double mass;
  Eigen::Vector3d r;  ///< components in the body's own axes
};

struct WitnessBody {
  std::string id;
  mechanism::BodyCoordinates coordinates;
  Eigen::Matrix3d X0;  ///< initial axes as columns
  Eigen::Matrix3d R;   ///< X0 = Q R: takes body components to an orthonormal frame Q
  Eigen::Vector3d o0;  ///< initial origin
  double mass;
  Eigen::Vector3d center;         ///< body components
  std::vector<PointMass> masses;  ///< point masses with the body's mass, centre and second moments
};

/// A marker: a body (-1: ground), a point and completed axes (columns x, y, z), body components.
struct WitnessMarker {
  int body = -1;
  Eigen::Vector3d point = Eigen::Vector3d::Zero();
  Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();
};

enum class WitnessRow { kAxes, kB0, kDDX, kBBDX, kBBX, kV0, kVVDX, kVVX };

struct WitnessConstraintRow {
  WitnessRow kind;
  int i = 0, j = 0;  ///< component (B0, V0); axes of begin and end; axes e_i, e_j (kAxes)
  double offset = 0;
  Drive drive = nullptr;  ///< counts instead of `offset` if set
  std::string name = {};

  bool is_velocity_row() const {
    return kind == WitnessRow::kV0 || kind == WitnessRow::kVVDX || kind == WitnessRow::kVVX;
  }
};

/// The rows of one body (b unused), joint or constraint.
struct WitnessConstraint {
  WitnessMarker a, b;
  std::vector<WitnessConstraintRow> position_rows, velocity_rows;
};

enum class Measure { kLinear, kZ, kDirection, kRotational };
enum class LawKind { kSpring, kDamper, kSpringDamper, kActuator, kGeneral };

struct WitnessForce {
  WitnessMarker a, b;
  Eigen::Vector3d direction = Eigen::Vector3d::UnitZ();  ///< kDirection: body components
  Measure measure;
  LawKind law;
  double rest = 0, stiffness = 0, damping = 0, constant = 0;
  std::function<double(double)> force = nullptr;
  Law general = nullptr;
};

struct WitnessParts {
  std::vector<WitnessBody> bodies;
  std::vector<WitnessConstraint> constraints;  ///< bodies, then joints, then constraints
  std::vector<WitnessForce> forces;
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();
};

/// Throws base::InputError for what it cannot read (an unknown key, a formula without a function).
WitnessParts make_witness_parts(const mechanism::Description& description,
                                const Functions& functions);

/// r(t) with as many derivatives as the scalar carries (at most two: that is all the time
/// derivatives the equations of motion take; other directions do not move t).
inline double offset_at(const WitnessConstraintRow& row, int order, double t) {
  if (!row.drive) return order == 0 ? row.offset : 0.0;
  return order < 3 ? row.drive(t)[order] : 0.0;
}
template <class T>
Dual<T> offset_at(const WitnessConstraintRow& row, int order, const Dual<T>& t) {
  return {offset_at(row, order, t.value), offset_at(row, order + 1, t.value) * t.slope};
}

template <class S>
S position_row(const WitnessConstraint& c, const WitnessConstraintRow& row, const Pose<S>& A,
               const Pose<S>& B, const S& t) {
  const S r = offset_at(row, 0, t);
  const auto apart = [&] { return A.point(c.a.point) - B.point(c.b.point); };
  switch (row.kind) {
    case WitnessRow::kAxes:  // Kraus 2006, section 4.4: lengths carry a factor one half, angles do
                             // not
      return S(row.i == row.j ? 0.5 : 1.0) * (dot(A.e[row.i], A.e[row.j]) - r);
    case WitnessRow::kB0:
      return apart()[row.i] - r;
    case WitnessRow::kDDX:
      return dot(A.vector(c.a.axes.col(row.i)), B.vector(c.b.axes.col(row.j))) - r;
    case WitnessRow::kBBDX:
      return dot(apart(), A.vector(c.a.axes.col(row.i))) - r;
    default: {
      const Triple<S> d = apart();
      return S(0.5) * (dot(d, d) - r * r);
    }
  }
}

/// A, B: poses; Av, Bv: their rates.
template <class S>
S velocity_row(const WitnessConstraint& c, const WitnessConstraintRow& row, const Pose<S>& A,
               const Pose<S>& Av, const Pose<S>& Bv, const S& t) {
  const S r = offset_at(row, 0, t);
  const Triple<S> d = Av.point(c.a.point) - Bv.point(c.b.point);
  if (row.kind == WitnessRow::kV0) return d[row.i] - r;
  if (row.kind == WitnessRow::kVVDX) return dot(A.vector(c.a.axes.col(row.i)), d) - r;
  return S(0.5) * (dot(d, d) - r * r);
}

template <class S>
S measure_of(const WitnessForce& f, const Pose<S>& A, const Pose<S>& B) {
  using std::atan2;
  using std::sqrt;
  if (f.measure == Measure::kRotational) {
    const Triple<S> x_b = B.vector(f.b.axes.col(0));
    return atan2(dot(A.vector(f.a.axes.col(1)), x_b), dot(A.vector(f.a.axes.col(0)), x_b));
  }
  const Triple<S> d = A.point(f.a.point) - B.point(f.b.point);
  if (f.measure == Measure::kZ) return d[2];
  if (f.measure == Measure::kDirection) return dot(d, A.vector(f.direction));
  return sqrt(dot(d, d));
}

}  // namespace parfait::testing_support
