#include "testing/witness_elements.h"

#include <cmath>
#include <utility>

#include "testing/vectors.h"

namespace parfait::testing_support {
namespace {

using base::InputError;
using Eigen::Matrix3d;
using Eigen::Vector3d;

double number(const mechanism::Value& value, const std::string& what) {
  if (value.is_formula()) {
    throw InputError(value.place, what + " is the formula \"" + value.formula +
                                      "\": the witness needs a number or a function for it.");
  }
  return value.number;
}

Vector3d numbers(const mechanism::Value3& value, const std::string& what) {
  return {number(value[0], what), number(value[1], what), number(value[2], what)};
}

/// A constant by name, by "Constant_<index>", or unnamed by position.
const mechanism::Value* find_constant(const std::vector<mechanism::NamedValue>& constants,
                                      const std::string& name, int index) {
  for (size_t i = 0; i < constants.size(); ++i) {
    const auto& c = constants[i];
    if (c.name == name || c.name == "Constant_" + std::to_string(index) ||
        (c.name.empty() && static_cast<int>(i) == index)) {
      return &c.value;
    }
  }
  return nullptr;
}

double constant(const std::vector<mechanism::NamedValue>& constants, const std::string& name,
                int index, const std::string& element) {
  const mechanism::Value* value = find_constant(constants, name, index);
  if (!value) throw InputError("\"" + element + "\" has no constant \"" + name + "\".");
  return number(*value, element + "." + name);
}

/// R of X0 = Q R, where Q is the orthonormal frame that Gram-Schmidt makes of the axes: takes body
/// components to components in Q, where lengths and angles are what they are.
Matrix3d to_orthonormal(const Matrix3d& X0) {
  Matrix3d Q;
  Q.col(0) = X0.col(0).normalized();
  Q.col(1) = (X0.col(1) - Q.col(0) * Q.col(0).dot(X0.col(1))).normalized();
  Q.col(2) = X0.col(2) - Q.col(0) * Q.col(0).dot(X0.col(2)) - Q.col(1) * Q.col(1).dot(X0.col(2));
  Q.col(2).normalize();
  return Q.transpose() * X0;
}

/// Point masses with given mass, centre and second moments: w at center +- u for each principal
/// direction u of the second moments about the centre, the rest of the mass at the centre. The
/// weights may be negative; kinetic energy is linear in them, so the sum is right all the same.
std::vector<PointMass> equivalent_masses(const mechanism::Body& body, const Matrix3d& R,
                                         const Vector3d& center) {
  const std::string what = "body \"" + body.id + "\"";
  const double m = number(body.mass, what + " mass");
  Matrix3d Theta;
  for (int i = 0; i < 3; ++i) Theta.row(i) = numbers(body.inertia[i], what + " inertia");

  const Vector3d c = R * center;  // metres, in the orthonormal frame of the tensor
  if (body.about == mechanism::InertiaPoint::kOrigin) {
    Theta -= m * (c.squaredNorm() * Matrix3d::Identity() - c * c.transpose());
  }

  const Eigen::SelfAdjointEigenSolver<Matrix3d> principal(Theta);
  const Vector3d& moment = principal.eigenvalues();
  std::vector<PointMass> masses;
  double rest = m;
  for (int i = 0; i < 3; ++i) {
    // Integral of the square of the coordinate along principal axis i.
    const double second = 0.5 * moment.sum() - moment[i];
    for (const double side : {-1.0, 1.0}) {
      const Vector3d at = c + side * principal.eigenvectors().col(i);
      masses.push_back({0.5 * second, R.inverse() * at});
      rest -= 0.5 * second;
    }
  }
  masses.push_back({rest, center});
  return masses;
}

/// Axes of a marker used in a joint or force: the given ones as they are, the missing ones
/// completed to a right-handed frame around z, in the orthonormal frame of the body.
Matrix3d complete_axes(const mechanism::Frame& frame, const Matrix3d& R) {
  const std::string what = "marker axis";
  Matrix3d local = Matrix3d::Identity();
  if (frame.has_x) local.col(0) = numbers(frame.x, what);
  if (frame.has_y) local.col(1) = numbers(frame.y, what);
  if (frame.has_z) local.col(2) = numbers(frame.z, what);
  const Matrix3d metric = R * local;
  const Matrix3d to_body = R.inverse();
  const Vector3d z = metric.col(2);
  Vector3d x = metric.col(0);
  if (!frame.has_x && frame.has_y) {
    x = metric.col(1).cross(z).normalized();
  } else if (!frame.has_x) {
    int least = 0;
    for (int k = 1; k < 3; ++k) {
      if (std::abs(z[k]) < std::abs(z[least])) least = k;
    }
    x = (Vector3d::Unit(least) - z * (z[least] / z.squaredNorm())).normalized();
  }
  if (!frame.has_x) local.col(0) = to_body * x;
  if (!frame.has_y) local.col(1) = to_body * z.cross(x).normalized();
  return local;
}

struct Reader {
  const mechanism::Description& description;
  const Functions& functions;
  WitnessParts parts = {};

  int body_index(const std::string& id) const {
    if (id == mechanism::kInertial) return -1;
    for (size_t i = 0; i < description.bodies.size(); ++i) {
      if (description.bodies[i].id == id) return static_cast<int>(i);
    }
    throw InputError("\"" + id + "\" is not a body.");
  }

  const mechanism::Frame& frame_of(const mechanism::Marker& marker, int body) const {
    if (marker.reference.empty()) return marker.frame;
    if (body >= 0) {
      for (const auto& named : description.bodies[body].markers) {
        if (named.id == marker.reference) return named.frame;
      }
    }
    throw InputError("\"" + marker.reference + "\" is not a marker of \"" + marker.body + "\".");
  }

  /// Forces measure with right angles and unit lengths: z keeps its direction, x its half plane.
  WitnessMarker force_marker(const mechanism::Marker& given) const {
    WitnessMarker m = marker(given);
    const Matrix3d R = m.body < 0 ? Matrix3d(Matrix3d::Identity()) : parts.bodies[m.body].R;
    Matrix3d axes = R * m.axes;
    axes.col(2).normalize();
    axes.col(0) -= axes.col(2).dot(axes.col(0)) * axes.col(2);
    axes.col(0).normalize();
    axes.col(1) = axes.col(2).cross(axes.col(0));
    m.axes = R.inverse() * axes;
    return m;
  }

  WitnessMarker marker(const mechanism::Marker& given) const {
    WitnessMarker m;
    m.body = body_index(given.body);
    const mechanism::Frame& frame = frame_of(given, m.body);
    m.point = numbers(frame.o, "marker origin");
    m.axes = complete_axes(frame, m.body < 0 ? Matrix3d::Identity() : parts.bodies[m.body].R);
    return m;
  }

  void add_body(const mechanism::Body& body, const mechanism::NaturalBody& natural) {
    WitnessBody w;
    w.id = body.id;
    w.coordinates = natural.coordinates;
    w.o0 = vector(body.o);
    w.X0 << vector(body.x), vector(body.y), vector(body.z);
    w.R = to_orthonormal(w.X0);
    w.mass = number(body.mass, body.id + ".mass");
    w.center = numbers(body.center_of_mass, body.id + ".center_of_mass");
    w.masses = equivalent_masses(body, w.R, w.center);
    parts.bodies.push_back(w);

    WitnessConstraint rigid;
    rigid.a.body = static_cast<int>(parts.bodies.size()) - 1;
    const auto keep = [&](bool released, int i, int j, const char* name) {
      if (released) return;
      rigid.position_rows.push_back({.kind = WitnessRow::kAxes,
                                     .i = i,
                                     .j = j,
                                     .offset = w.X0.col(i).dot(w.X0.col(j)),
                                     .name = body.id + "." + name});
    };
    keep(natural.released.xx, 0, 0, "xx");
    keep(natural.released.yy, 1, 1, "yy");
    keep(natural.released.zz, 2, 2, "zz");
    keep(natural.released.xy, 0, 1, "xy");
    keep(natural.released.xz, 0, 2, "xz");
    keep(natural.released.yz, 1, 2, "yz");
    parts.constraints.push_back(rigid);
  }

  // Kraus 2006, appendix C.2, written once more (with docs/theory/corrections.md) rather than taken
  // from the registry, so that a slip there shows.
  void add_joint(const mechanism::Joint& joint) {
    WitnessConstraint c{marker(joint.begin), marker(joint.end), {}, {}};
    const auto row = [&](WitnessRow kind, int i, int j, const std::string& name) {
      c.position_rows.push_back({.kind = kind, .i = i, .j = j, .name = joint.id + "." + name});
    };
    const auto point = [&] {
      for (int i = 0; i < 3; ++i) row(WitnessRow::kB0, i, 0, std::string("B0_") + "xyz"[i]);
    };
    const auto normal = [&](char i, char j) {
      row(WitnessRow::kDDX, i - 'x', j - 'x', std::string("DDX_") + i + j);
    };
    const auto along_z = [&] {
      row(WitnessRow::kBBDX, 0, 0, "BBDX_x");
      row(WitnessRow::kBBDX, 1, 0, "BBDX_y");
      normal('z', 'x');
      normal('z', 'y');
    };
    if (joint.key == "Spherical") {
      point();
    } else if (joint.key == "Revolute") {
      point();
      normal('x', 'z');
      normal('y', 'z');
    } else if (joint.key == "Revolute_2") {
      point();
      normal('z', 'x');
      normal('z', 'y');
    } else if (joint.key == "Universal") {
      point();
      normal('x', 'y');
    } else if (joint.key == "Cylindrical") {
      along_z();
    } else if (joint.key == "Prismatic") {
      along_z();
      normal('x', 'y');
    } else if (joint.key == "Fixed") {
      point();
      normal('x', 'z');
      normal('y', 'z');
      normal('x', 'y');
    } else if (joint.key == "FixedDistance") {
      row(WitnessRow::kBBX, 0, 0, "BBX");
      c.position_rows.back().offset = constant(joint.constants, "distance", 0, joint.id);
    } else if (joint.key != "Free") {
      throw InputError(joint.place, "The witness knows no joint \"" + joint.key + "\".");
    }
    parts.constraints.push_back(c);
  }

  void add_constraint(const mechanism::Constraint& given) {
    WitnessConstraint c{marker(given.begin), marker(given.end), {}, {}};
    WitnessConstraintRow row{.kind = WitnessRow::kB0, .name = given.id};
    const std::string& key = given.key;
    row.i = given.begin_axis - 'x';
    row.j = given.end_axis - 'x';
    if (key.starts_with("B0_") || key.starts_with("V0_")) {
      row.kind = key[0] == 'B' ? WitnessRow::kB0 : WitnessRow::kV0;
      row.i = key.at(3) - 'x';
    } else if (key == "DDX") {
      row.kind = WitnessRow::kDDX;
    } else if (key == "BBDX") {
      row.kind = WitnessRow::kBBDX;
    } else if (key == "BBX") {
      row.kind = WitnessRow::kBBX;
    } else if (key == "VVDX") {
      row.kind = WitnessRow::kVVDX;
    } else if (key == "VVX") {
      row.kind = WitnessRow::kVVX;
    } else {
      throw InputError(given.place, "The witness knows no constraint \"" + key + "\".");
    }
    if (const auto it = functions.offsets.find(given.id); it != functions.offsets.end()) {
      row.drive = it->second;
    } else {
      row.offset = number(given.offset, given.id + ".offset");
    }
    (row.is_velocity_row() ? c.velocity_rows : c.position_rows).push_back(row);
    parts.constraints.push_back(c);
  }

  void add_gravitation(const mechanism::Force& force) {
    if (force.constants.size() == 1) {
      parts.gravity[2] += number(force.constants[0].value, force.id);
    } else if (force.constants.size() == 3) {
      const char* const names[] = {"gx", "gy", "gz"};
      for (int i = 0; i < 3; ++i) {
        parts.gravity[i] += constant(force.constants, names[i], i, force.id);
      }
    } else {
      throw InputError(force.place, "Gravitation takes one constant or three.");
    }
  }

  void add_force(const mechanism::Force& force) {
    if (force.key == "Gravitation") return add_gravitation(force);
    if (!force.begin || !force.end) throw InputError(force.place, force.id + " needs two markers.");
    WitnessForce w{.a = force_marker(*force.begin),
                   .b = force_marker(*force.end),
                   .measure = Measure::kLinear,
                   .law = LawKind::kGeneral};
    // A law follows its measure ("Z_Spring"), General leads it ("General_Z").
    std::string key = force.key;
    const bool general = key == "General" || key.starts_with("General_");
    if (general) key = key.size() > 8 ? key.substr(8) + "_" : "";
    const auto take = [&](const std::string& prefix, Measure measure) {
      if (!key.starts_with(prefix)) return;
      key = key.substr(prefix.size());
      w.measure = measure;
    };
    take("Linear_", Measure::kLinear);
    take("Z_", Measure::kZ);
    take("Direction_", Measure::kDirection);
    take("Rotational_", Measure::kRotational);

    const bool angular = w.measure == Measure::kRotational;
    const auto& id = force.id;
    const auto& constants = force.constants;
    if (general && key.empty()) {
      const auto it = functions.laws.find(id);
      if (it == functions.laws.end()) throw InputError(force.place, id + " has no law function.");
      w.general = it->second;
    } else if (key == "Spring" || key == "Spring_Damper") {
      w.law = key == "Spring" ? LawKind::kSpring : LawKind::kSpringDamper;
      const std::string rest = angular ? "rest_angle" : "rest_length";
      if (w.measure == Measure::kLinear || find_constant(constants, rest, 0)) {
        w.rest = constant(constants, rest, 0, id);
      }
      w.stiffness = constant(constants, "stiffness", 1, id);
      if (key == "Spring_Damper") w.damping = constant(constants, "damping", 2, id);
    } else if (key == "Damper") {
      w.law = LawKind::kDamper;
      w.damping = constant(constants, "damping", 0, id);
    } else if (key == "Actuator") {
      w.law = LawKind::kActuator;
      if (const auto it = functions.force.find(id); it != functions.force.end()) {
        w.force = it->second;
      } else {
        w.constant = constant(constants, angular ? "torque" : "force", 0, id);
      }
    } else {
      throw InputError(force.place, "The witness knows no force \"" + force.key + "\".");
    }
    if (w.measure == Measure::kDirection) {  // of length one in the world
      const Matrix3d R = w.a.body < 0 ? Matrix3d::Identity() : parts.bodies[w.a.body].R;
      w.direction = w.a.axes.col(2) / (R * w.a.axes.col(2)).norm();
    }
    parts.forces.push_back(w);
  }
};

}  // namespace

WitnessParts make_witness_parts(const mechanism::Description& description,
                                const Functions& functions) {
  Reader reader{description, functions};
  for (const auto& body : description.bodies) {
    reader.add_body(body, description.natural.of(body.id));
  }
  for (const auto& joint : description.joints) reader.add_joint(joint);
  for (const auto& constraint : description.constraints) reader.add_constraint(constraint);
  for (const auto& force : description.forces) reader.add_force(force);
  return std::move(reader.parts);
}

}  // namespace parfait::testing_support
