#include "parfait/motion/anthropometry/human.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <numbers>

#include "parfait/base/error.h"

namespace parfait::motion {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using mechanism::Body;
using mechanism::Joint;
using mechanism::Marker;
using mechanism::Number3;

constexpr const char* kSides[] = {"left", "right"};
constexpr const char* kSkin = "#d9a066";

Number3 numbers(const Vector3d& a) {
  return {a.x(), a.y(), a.z()};
}
mechanism::Value3 values(const Vector3d& a) {
  return {a.x(), a.y(), a.z()};
}

/// Turned about y by `angle`: a positive one swings what hangs down backwards.
Matrix3d about_y(double angle) {
  return Eigen::AngleAxisd(angle, Vector3d::UnitY()).toRotationMatrix();
}

/// Angles of the posture about y, and the height of the hips.
struct Pose {
  double trunk = 0, upper_arm = 0, forearm = 0, thigh = 0;
  double hips = 0;
};

Pose pose_of(const HumanRequest& request, const Lengths& l) {
  Pose pose;
  pose.hips = l.thigh + l.shank + l.ankle_height;
  if (request.posture == Posture::kStanding) return pose;
  constexpr double kDegree = std::numbers::pi / 180;
  pose.trunk = -request.recline;
  pose.upper_arm = -20 * kDegree;
  pose.forearm = -80 * kDegree;
  pose.thigh = -90 * kDegree;
  pose.hips = l.shank + l.ankle_height;
  return pose;
}

class Builder {
 public:
  Builder(const HumanRequest& request, const BodySegments& body)
      : request_(request), body_(body), l_(body.lengths), pose_(pose_of(request, body.lengths)) {}

  mechanism::Description build() {
    d_.id = request_.posture == Posture::kSitting ? "sitting_human" : "standing_human";
    d_.remarks.push_back(
        fmt::format("{} of {:g} m and {:g} kg: {} segments after {}. x forward, y left, z up.",
                    request_.person.sex == Sex::kMale ? "A man" : "A woman", request_.person.height,
                    request_.person.mass, body_.segments.size(),
                    has_torso() ? "Dumas et al. (2007)" : "de Leva (1996)"));
    for (const auto& remark : body_.remarks) d_.remarks.push_back(remark);
    add_trunk();
    for (const char* side : kSides) {
      add_arm(side);
      add_leg(side);
    }
    mechanism::Force gravity;
    gravity.key = "Gravitation";
    gravity.id = "gravity";
    gravity.constants = {{"g", -9.81}};
    d_.forces.push_back(gravity);
    return std::move(d_);
  }

 private:
  bool has_torso() const { return request_.segmentation == Segmentation::kTorso; }

  void add_trunk() {
    const Matrix3d R = about_y(pose_.trunk);
    add("pelvis", {0, 0, pose_.hips}, R);
    for (const char* side : kSides) {
      marker("pelvis", std::string("hip_") + side, {0, half(side, l_.hip_width), 0});
    }
    std::string below = "pelvis";
    double top = has_torso() ? lumbar_height() : l_.pelvis;
    const auto stack = [&](const std::string& id, const char* joint, double length) {
      marker(below, joint, {0, 0, top});
      add(id, place(below, joint), R);
      connect("Spherical", joint, below, id);
      below = id;
      top = length;
    };
    if (has_torso()) {
      stack("torso", "lumbar", l_.thorax + l_.lumbus + l_.pelvis - top);
      look("pelvis", {0, 0, 0.3 * l_.pelvis}, {0, 0, l_.pelvis}, 0.09);
      look("torso", {0, 0, 0.1}, {0, 0, 0.8 * top}, 0.12);
    } else {
      look("pelvis", {0, 0, 0.2 * l_.pelvis}, {0, 0, 0.8 * l_.pelvis}, 0.11);
      stack("lumbus", "lumbar", l_.lumbus);
      look("lumbus", {0, 0, 0.1 * l_.lumbus}, {0, 0, 0.9 * l_.lumbus}, 0.11);
      stack("thorax", "thoracic", l_.thorax);
      look("thorax", {0, 0, 0.15 * l_.thorax}, {0, 0, 0.75 * l_.thorax}, 0.13);
    }
    chest_ = below;
    const double below_chest = trunk_height() - top;
    for (const char* side : kSides) {
      marker(chest_, std::string("shoulder_") + side,
             {0, half(side, l_.shoulder_width), l_.shoulder_height - below_chest});
    }
    double head = l_.head;
    if (request_.segmentation == Segmentation::kFiveTrunkParts) {
      stack("neck", "cervical", l_.neck);
      look("neck", {0, 0, 0}, {0, 0, l_.neck}, 0.05);
      head -= l_.neck;
    }
    stack("head", below == "neck" ? "atlas" : "cervical", head);
    look("head", {0.02, 0, head - 0.13}, {0.02, 0, head - 0.09}, 0.09);
  }

  void add_arm(const std::string& side) {
    limb(chest_, "shoulder_" + side, "Spherical", "upper_arm_" + side, pose_.upper_arm);
    look("upper_arm_" + side, {0, 0, 0}, {0, 0, -l_.upper_arm}, 0.045);
    marker("upper_arm_" + side, "elbow_" + side, {0, 0, -l_.upper_arm});
    limb("upper_arm_" + side, "elbow_" + side, "Revolute", "forearm_" + side, pose_.forearm);
    look("forearm_" + side, {0, 0, 0}, {0, 0, -l_.forearm}, 0.035);
    marker("forearm_" + side, "wrist_" + side, {0, 0, -l_.forearm});
    limb("forearm_" + side, "wrist_" + side, "Fixed", "hand_" + side, pose_.forearm);
    look("hand_" + side, {0, 0, -0.02}, {0, 0, 0.03 - l_.hand}, 0.03);
  }

  void add_leg(const std::string& side) {
    limb("pelvis", "hip_" + side, "Spherical", "thigh_" + side, pose_.thigh);
    look("thigh_" + side, {0, 0, 0}, {0, 0, -l_.thigh}, 0.07);
    marker("thigh_" + side, "knee_" + side, {0, 0, -l_.thigh});
    limb("thigh_" + side, "knee_" + side, "Revolute", "shank_" + side, 0);
    look("shank_" + side, {0, 0, 0}, {0, 0, -l_.shank}, 0.05);
    marker("shank_" + side, "ankle_" + side, {0, 0, -l_.shank});
    limb("shank_" + side, "ankle_" + side, "Spherical", "foot_" + side, 0);
    const double sole = 0.03 - l_.ankle_height;
    look("foot_" + side, {0.03 - l_.heel, 0, sole}, {l_.foot - l_.heel - 0.03, 0, sole}, 0.03);
    marker("foot_" + side, "heel_" + side, {-l_.heel, 0, -l_.ankle_height});
    marker("foot_" + side, "toe_" + side, {l_.foot - l_.heel, 0, -l_.ankle_height});
  }

  /// A segment hung at a marker of another, turned about y.
  void limb(const std::string& parent, const std::string& joint, const char* key,
            const std::string& id, double angle) {
    add(id, place(parent, joint), about_y(angle));
    connect(key, joint, parent, id);
  }

  void add(const std::string& id, const Vector3d& o, const Matrix3d& R) {
    const Segment& segment = body_.find(id);
    Body body;
    body.id = id;
    body.o = numbers(o);
    body.x = numbers(R.col(0));
    body.y = numbers(R.col(1));
    body.z = numbers(R.col(2));
    body.mass = segment.mass;
    body.center_of_mass = values(segment.center);
    for (int i = 0; i < 3; ++i) body.inertia[i] = values(segment.inertia.row(i).transpose());
    d_.bodies.push_back(body);
  }

  Body& find(const std::string& id) {
    for (auto& body : d_.bodies) {
      if (body.id == id) return body;
    }
    throw base::InputError("no segment " + id);
  }

  /// A joint centre on a body; its z, the axis of hinges, points to the left.
  void marker(const std::string& body, const std::string& id, const Vector3d& o) {
    Marker marker;
    marker.id = id;
    marker.body = body;
    marker.frame.o = values(o);
    marker.frame.z = {0.0, 1.0, 0.0};
    marker.frame.x = {1.0, 0.0, 0.0};
    marker.frame.has_z = marker.frame.has_x = true;
    find(body).markers.push_back(marker);
  }

  /// Where a marker is in the world.
  Vector3d place(const std::string& body_id, const std::string& id) {
    const Body& body = find(body_id);
    for (const auto& marker : body.markers) {
      if (marker.id != id) continue;
      const auto& o = marker.frame.o;
      Vector3d out(body.o[0], body.o[1], body.o[2]);
      const Number3* axes[] = {&body.x, &body.y, &body.z};
      for (int i = 0; i < 3; ++i) {
        out += o[i].number * Vector3d((*axes[i])[0], (*axes[i])[1], (*axes[i])[2]);
      }
      return out;
    }
    throw base::InputError("no marker " + id);
  }

  /// From a marker of the same name on the parent to the origin of the child.
  void connect(const char* key, const std::string& id, const std::string& parent,
               const std::string& child) {
    Joint joint;
    joint.key = key;
    joint.id = id;
    joint.begin.body = parent;
    joint.begin.reference = id;
    joint.end.body = child;
    joint.end.frame.z = {0.0, 1.0, 0.0};
    joint.end.frame.x = {1.0, 0.0, 0.0};
    joint.end.frame.has_z = joint.end.frame.has_x = true;
    d_.joints.push_back(joint);
  }

  /// To a tenth of a millimetre: what can be seen.
  static double rounded(double length) { return std::round(1e4 * length) / 1e4; }
  static std::array<double, 3> rounded(const Vector3d& v) {
    return {rounded(v.x()), rounded(v.y()), rounded(v.z())};
  }

  void look(const std::string& id, const Vector3d& from, const Vector3d& to, double radius) {
    const double size = request_.person.height / de_leva_height(request_.person.sex);
    mechanism::Shape shape;
    shape.kind = mechanism::Shape::Kind::kCapsule;
    shape.from = rounded(from);
    shape.to = rounded(to);
    shape.radius = rounded(size * radius);
    shape.color = kSkin;
    find(id).shapes.push_back(shape);
  }

  double half(const std::string& side, double width) const {
    return side == "left" ? 0.5 * width : -0.5 * width;
  }
  double trunk_height() const { return l_.thorax + l_.lumbus + l_.pelvis; }
  /// Of Dumas' lumbar joint above the hips.
  double lumbar_height() const { return body_.lumbar_height; }

  const HumanRequest& request_;
  const BodySegments& body_;
  const Lengths& l_;
  Pose pose_;
  std::string chest_;
  mechanism::Description d_;
};

}  // namespace

Human make_human(const HumanRequest& request) {
  if (!(std::abs(request.recline) <= std::numbers::pi / 3)) {
    throw base::InputError(fmt::format("recline = {:g} degrees: must be within 60.",
                                       request.recline * 180 / std::numbers::pi));
  }
  Human human;
  human.body = make_segments(request.person, request.segmentation);
  human.model = Builder(request, human.body).build();
  return human;
}

}  // namespace parfait::motion
