#include "parfait/run/motion/pose_scene.h"

#include <algorithm>
#include <cmath>

#include "parfait/base/stop.h"

namespace parfait::run {
namespace pose_scene {
namespace {

using motion::Vec3;

constexpr int kMostFrames = 400;
constexpr double kLongestGap = 0.5;  ///< s

result::Point3 point(const Vec3<double>& a) {
  return {a.x, a.y, a.z};
}

double length(const Vec3<double>& a) {
  return std::sqrt(dot(a, a));
}

void add_bone(const Vec3<double>& from, const Vec3<double>& to, result::SceneBody& body) {
  const double l = length(to - from);
  if (!(l > 0.01)) return;
  result::SceneShape bone;
  bone.kind = "capsule";
  bone.from = point(from);
  bone.to = point(to);
  bone.radius = std::clamp(0.06 * l, 0.006, 0.022);
  bone.made_up = true;
  body.shapes.push_back(bone);
}

/// model - measured of the marker in every frame, gaps that are short enough filled linearly.
std::vector<Vec3<double>> filled_errors(const MarkerTrialFile& trial,
                                        const motion::TrialPoses& poses, int marker) {
  const int n = poses.num_frames;
  const double nan = std::nan("");
  std::vector<Vec3<double>> out(static_cast<std::size_t>(n), {nan, nan, nan});
  const auto size = 3 * static_cast<std::size_t>(trial.markers.num_markers);
  int before = -1;
  for (int f = 0; f < n; ++f) {
    base::leave_if_stopped();
    if (trial.markers.is_missing(f, marker)) continue;
    const double* x = &poses.markers[static_cast<std::size_t>(f) * size + 3 * marker];
    const double* y = &trial.markers.y[static_cast<std::size_t>(f) * size + 3 * marker];
    const Vec3<double> error{x[0] - y[0], x[1] - y[1], x[2] - y[2]};
    out[static_cast<std::size_t>(f)] = error;
    const auto& t = trial.data.t;
    if (before >= 0 && f > before + 1 &&
        t[static_cast<std::size_t>(f)] - t[static_cast<std::size_t>(before)] <= kLongestGap) {
      const Vec3<double> first = out[static_cast<std::size_t>(before)];
      for (int g = before + 1; g < f; ++g) {
        const double s = static_cast<double>(g - before) / (f - before);
        out[static_cast<std::size_t>(g)] = first + s * (error - first);
      }
    }
    before = f;
  }
  return out;
}

}  // namespace
}  // namespace pose_scene

result::Scene skeleton_scene(const motion::Skeleton& skeleton, const motion::Geometry& geometry,
                             const std::string& model) {
  using motion::Vec3;
  using pose_scene::add_bone, pose_scene::point;
  motion::BoundGeometry bound;
  motion::bind(skeleton, geometry, bound);
  result::Scene scene;
  scene.model = model;
  const auto& g = skeleton.tree.constants.gravity;
  if (dot(g, g) > 0) scene.up = point((-1 / std::sqrt(dot(g, g))) * g);
  const std::size_t n = skeleton.tree.bodies.size();
  scene.bodies.resize(n);
  std::vector<int> children(n, 0);
  std::vector<Vec3<double>> centre(n);
  std::vector<int> num_markers(n, 0);
  for (std::size_t m = 0; m < skeleton.markers.size(); ++m) {
    const auto b = static_cast<std::size_t>(skeleton.markers[m].body);
    centre[b] += bound.places[m];
    ++num_markers[b];
    result::SceneMarker marker;
    marker.id = skeleton.markers[m].name;
    marker.place.body = skeleton.markers[m].body;
    marker.place.o = point(bound.places[m]);
    scene.markers.push_back(marker);
  }
  for (std::size_t b = 0; b < n; ++b) {
    const auto& info = skeleton.tree.bodies[b];
    const auto& constants = bound.constants.bodies[b];
    scene.bodies[b].id = info.name;
    scene.bodies[b].mass = constants.mass;
    if (info.parent < 0) continue;
    const auto parent = static_cast<std::size_t>(info.parent);
    ++children[parent];
    const Vec3<double> from = bound.constants.bodies[parent].X_BJ.p;
    add_bone(from, constants.X_PJ.p, scene.bodies[parent]);
    result::SceneJoint joint;
    joint.id = info.name;
    joint.key = "Axes";
    joint.begin.body = info.parent;
    joint.begin.o = point(constants.X_PJ.p);
    joint.end.body = static_cast<int>(b);
    joint.end.o = point(constants.X_BJ.p);
    scene.joints.push_back(joint);
  }
  for (std::size_t b = 0; b < n; ++b) {
    if (children[b] > 0 && skeleton.tree.bodies[b].parent >= 0) continue;
    if (num_markers[b] == 0) continue;
    add_bone(bound.constants.bodies[b].X_BJ.p, (1.0 / num_markers[b]) * centre[b], scene.bodies[b]);
  }
  scene.extent = 1.8;
  return scene;
}

result::Motion pose_motion(const motion::Skeleton& skeleton, const motion::Geometry& geometry,
                           const MarkerTrialFile& trial, const motion::TrialPoses& poses) {
  motion::BoundGeometry bound;
  motion::bind(skeleton, geometry, bound);
  const motion::MarkerPlan plan(skeleton);
  motion::MarkerKinematics kinematics(skeleton, plan);
  kinematics.bind(bound);
  result::Motion out;
  out.experiment = trial.name;
  std::vector<std::size_t> frames;
  const int stride =
      std::max(1, (poses.num_frames + pose_scene::kMostFrames - 1) / pose_scene::kMostFrames);
  for (int f = 0; f < poses.num_frames; f += stride) frames.push_back(static_cast<std::size_t>(f));
  for (const std::size_t f : frames) {
    base::leave_if_stopped();
    kinematics.place(poses.pose(static_cast<int>(f), skeleton.tree.nq));
    out.t.push_back(trial.data.t[f]);
    for (int b = 0; b < skeleton.tree.num_bodies(); ++b) {
      const auto X = kinematics.frame(b);
      for (const auto& v : {X.p, X.R.x, X.R.y, X.R.z}) {
        out.frames.insert(out.frames.end(), {static_cast<float>(v.x), static_cast<float>(v.y),
                                             static_cast<float>(v.z)});
      }
    }
  }
  const auto size = 3 * static_cast<std::size_t>(skeleton.num_markers());
  for (int m = 0; m < skeleton.num_markers(); ++m) {
    const auto i = static_cast<std::size_t>(m);
    if (trial.markers.label[i] < 0) continue;
    const auto errors = pose_scene::filled_errors(trial, poses, m);
    result::MeasuredMarker marker;
    marker.marker = skeleton.markers[i].name;
    marker.place.body = skeleton.markers[i].body;
    marker.place.o = pose_scene::point(bound.places[i]);
    marker.t = out.t;
    for (const std::size_t f : frames) {
      const double* x = &poses.markers[f * size + 3 * i];
      // A tenth of a millimetre is what can be seen, and short to write.
      const auto rounded = [](double a) { return std::round(1e4 * a) / 1e4; };
      marker.points.push_back(
          {rounded(x[0] - errors[f].x), rounded(x[1] - errors[f].y), rounded(x[2] - errors[f].z)});
    }
    out.measured.push_back(std::move(marker));
  }
  return out;
}

}  // namespace parfait::run
