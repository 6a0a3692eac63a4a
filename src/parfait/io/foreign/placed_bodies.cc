#include "parfait/io/foreign/placed_bodies.h"

#include <algorithm>
#include <cmath>

#include "parfait/mechanism/checks/check_description.h"
#include "parfait/tree/algorithms/algorithms.h"
#include "parfait/tree/build/mechanism_tree.h"

namespace parfait::io {
namespace placed_bodies {
namespace {

using mechanism::Number3;
using Rows = std::array<Number3, 3>;  // columns of a rotation: its axes

mechanism::Value3 values(const Number3& a) {
  return {a[0], a[1], a[2]};
}

Rows axes_of_frame(const mechanism::Frame& f) {
  return {numbers_of(f.x), numbers_of(f.y), numbers_of(f.z)};
}

mechanism::Frame frame_of(const Number3& o, const Rows& axes) {
  mechanism::Frame f;
  f.o = values(o);
  f.x = values(axes[0]);
  f.y = values(axes[1]);
  f.z = values(axes[2]);
  f.has_x = f.has_y = f.has_z = true;
  return f;
}

Number3 turned(const Rows& R, const Number3& a) {
  Number3 out{};
  for (std::size_t i = 0; i < 3; ++i) out[i] = R[0][i] * a[0] + R[1][i] * a[1] + R[2][i] * a[2];
  return out;
}

Rows product(const Rows& A, const Rows& B) {
  return {turned(A, B[0]), turned(A, B[1]), turned(A, B[2])};
}

/// Rodrigues: about an axis of any length.
Rows rotation(const Number3& axis, double angle) {
  const double length = std::sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  const Number3 a{axis[0] / length, axis[1] / length, axis[2] / length};
  const double c = std::cos(angle), s = std::sin(angle);
  Rows R;
  for (std::size_t j = 0; j < 3; ++j) {
    for (std::size_t i = 0; i < 3; ++i) R[j][i] = (1 - c) * a[i] * a[j] + (i == j ? c : 0.0);
    const std::size_t k = (j + 1) % 3, l = (j + 2) % 3;
    R[j][k] += s * a[l];
    R[j][l] -= s * a[k];
  }
  return R;
}

}  // namespace
}  // namespace placed_bodies

std::array<double, 3> numbers_of(const mechanism::Value3& values) {
  return {values[0].number, values[1].number, values[2].number};
}

mechanism::Frame frame_at(const std::array<double, 3>& o, const std::array<double, 3>& angles,
                          AngleOrder order) {
  using placed_bodies::product;
  using placed_bodies::rotation;
  const auto x = rotation({1, 0, 0}, angles[0]), y = rotation({0, 1, 0}, angles[1]),
             z = rotation({0, 0, 1}, angles[2]);
  return placed_bodies::frame_of(
      o, order == AngleOrder::kBodyXYZ ? product(product(x, y), z) : product(product(z, y), x));
}

std::array<double, 3> point_outside(const mechanism::Frame& frame, const std::array<double, 3>& r) {
  auto out = placed_bodies::turned(placed_bodies::axes_of_frame(frame), r);
  for (std::size_t i = 0; i < 3; ++i) out[i] += frame.o[i].number;
  return out;
}

mechanism::Frame composed(const mechanism::Frame& X_AB, const mechanism::Frame& X_BC) {
  return placed_bodies::frame_of(point_outside(X_AB, numbers_of(X_BC.o)),
                                 placed_bodies::product(placed_bodies::axes_of_frame(X_AB),
                                                        placed_bodies::axes_of_frame(X_BC)));
}

mechanism::Frame moved(const mechanism::Frame& frame, const mechanism::MotionAxis& by,
                       double value) {
  const auto axes = placed_bodies::axes_of_frame(frame);
  if (by.turns) {
    return placed_bodies::frame_of(
        numbers_of(frame.o), placed_bodies::product(axes, placed_bodies::rotation(by.axis, value)));
  }
  double length = 0;
  for (const double a : by.axis) length += a * a;
  length = std::sqrt(length);
  const std::array<double, 3> r{by.axis[0] / length * value, by.axis[1] / length * value,
                                by.axis[2] / length * value};
  return placed_bodies::frame_of(point_outside(frame, r), axes);
}

void place_bodies(mechanism::Description& description) {
  static_cast<void>(mechanism::check(description));
  using tree::MechanismTree;
  const MechanismTree mechanism(description, MechanismTree::Locked::kFree);
  tree::Workspace ws(mechanism.tree());
  for (std::size_t i = 0; i < description.bodies.size(); ++i) {
    const int b = mechanism.tree_body(static_cast<int>(i));
    const auto X = tree::body_frame(mechanism.tree(), mechanism.q(), b, ws);
    const auto v = tree::body_velocity(mechanism.tree(), mechanism.q(), mechanism.v(), b, ws);
    mechanism::Body& body = description.bodies[i];
    body.o = {X.p.x, X.p.y, X.p.z};
    body.x = {X.R.x.x, X.R.x.y, X.R.x.z};
    body.y = {X.R.y.x, X.R.y.y, X.R.y.z};
    body.z = {X.R.z.x, X.R.z.y, X.R.z.z};
    const bool moves = dot(v.omega, v.omega) + dot(v.v, v.v) > 0;
    if (!moves) continue;
    body.v = {v.v.x, v.v.y, v.v.z};
    body.omega = {v.omega.x, v.omega.y, v.omega.z};
  }
}

std::string free_identifier(const std::string& name, const std::string& ending,
                            std::vector<std::string>& taken) {
  std::string id;
  for (const char c : name) {
    const bool fits =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    id += fits ? c : '_';
  }
  if (id.empty() || (id[0] >= '0' && id[0] <= '9')) id = "_" + id;
  const auto is_taken = [&](const std::string& word) {
    return word == mechanism::kInertial || word == "energy" ||
           std::find(taken.begin(), taken.end(), word) != taken.end();
  };
  if (is_taken(id)) id += ending;
  const std::string stem = id;
  for (int number = 2; is_taken(id); ++number) id = stem + "_" + std::to_string(number);
  taken.push_back(id);
  return id;
}

void add_coordinate(mechanism::Joint& joint, const std::string& coordinate, bool turns,
                    const std::array<double, 3>& axis) {
  mechanism::Coordinate c;
  c.id = coordinate;
  c.kind =
      turns ? mechanism::Coordinate::Kind::kRotation : mechanism::Coordinate::Kind::kTranslation;
  c.place = joint.place;
  mechanism::MotionAxis step;
  step.turns = turns;
  step.axis = axis;
  step.coordinate = coordinate;
  step.place = joint.place;
  joint.motion.coordinates.push_back(c);
  joint.motion.axes.push_back(step);
}

}  // namespace parfait::io
