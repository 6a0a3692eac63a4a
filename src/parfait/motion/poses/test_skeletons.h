#pragma once

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "parfait/motion/poses/inverse_kinematics.h"

namespace parfait::motion {

/// Pelvis with six coordinates, two legs with a knee that slides along a polynomial in a turned
/// frame, a patella that follows the knee, and feet; three markers on each body but the toes.
inline Skeleton make_walker() {
  tree::TreeBuilder builder;
  Skeleton out;
  const auto add_coordinates = [&](std::vector<Coordinate> list) {
    for (Coordinate& c : list) {
      c.q = static_cast<int>(out.coordinates.size());
      out.coordinates.push_back(c);
    }
  };
  const double inf = std::numeric_limits<double>::infinity();
  tree::Body pelvis;
  pelvis.name = "pelvis";
  pelvis.joint = tree::Joint::sequence("xyzZXY");
  pelvis.mass = 10;
  builder.add(pelvis);
  add_coordinates({{"tx", -1, false, false, -inf, inf, 0},
                   {"ty", -1, false, false, -inf, inf, 0.9},
                   {"tz", -1, false, false, -inf, inf, 0},
                   {"tilt", -1, true, false, -3.2, 3.2, 0},
                   {"list", -1, true, false, -3.2, 3.2, 0},
                   {"turn", -1, true, false, -3.2, 3.2, 0}});
  for (const int side : {1, -1}) {
    const std::string s = side > 0 ? "_r" : "_l";
    tree::Body femur;
    femur.name = "femur" + s;
    femur.parent = 0;
    femur.joint = tree::Joint::sequence("ZXY");
    femur.X_PJ.p = {-0.05, -0.08, side * 0.08};
    femur.mass = 8;
    const int femur_body = builder.add(femur);
    add_coordinates({{"hip_flexion" + s, -1, true, false, -0.6, 2, 0},
                     {"hip_adduction" + s, -1, true, false, -0.9, 0.6, 0},
                     {"hip_rotation" + s, -1, true, false, -0.8, 0.8, 0}});
    tree::Body tibia;
    tibia.name = "tibia" + s;
    tibia.parent = femur_body;
    const auto zero = tree::Function::linear(0, 0);
    tibia.joint = tree::Joint::of_functions(
        {{{{0, 0, 1}, 0, tree::Function::linear(-1, 0)},
          {{1, 0, 0}, 0, tree::Function::polynomial({0.02, -0.05, 0})},
          {{0, 1, 0}, 0, zero}}},
        {{{{1, 0, 0}, 0, tree::Function::polynomial({0.002, -0.01, 0.004})},
          {{0, 1, 0}, 0, tree::Function::polynomial({-0.006, 0.003, 0})},
          {{0, 0, 1}, 0, zero}}});
    tibia.X_PJ = {cardan({0.1, side * 0.2, -0.15}), {-0.004, -0.4, side * -0.002}};
    tibia.X_BJ = {cardan({0.1, side * 0.2, -0.15}), {-0.01, -0.004, side * 0.001}};
    tibia.mass = 4;
    const int tibia_body = builder.add(tibia);
    add_coordinates({{"knee" + s, -1, true, false, 0, 2.4, 0.2}});
    tree::Body patella;
    patella.name = "patella" + s;
    patella.parent = femur_body;
    patella.joint = tree::Joint::revolute({0, 0, 1});
    patella.X_PJ.p = {0.04, -0.38, 0};
    patella.mass = 0.1;
    const int patella_body = builder.add(patella);
    builder.couple(patella_body, 0, tibia_body, 0, tree::Function::linear(-0.5, 0));
    tree::Body foot;
    foot.name = "foot" + s;
    foot.parent = tibia_body;
    foot.joint = tree::Joint::revolute({0.1, 0.1, 1});
    foot.X_PJ.p = {-0.01, -0.42, 0};
    foot.mass = 1;
    const int foot_body = builder.add(foot);
    add_coordinates({{"ankle" + s, -1, true, false, -0.9, 0.9, 0}});
    tree::Body toes;
    toes.name = "toes" + s;
    toes.parent = foot_body;
    toes.joint = tree::Joint::revolute({0, 0, 1});
    toes.X_PJ.p = {0.18, -0.02, 0};
    toes.mass = 0.2;
    builder.add(toes);
    add_coordinates({{"toe_angle" + s, -1, true, false, -0.8, 0.5, 0.1}});
  }
  out.tree = builder.build();
  std::mt19937 random(7);
  std::uniform_real_distribution<double> spread(-0.08, 0.08);
  for (int b = 0; b < out.tree.num_bodies(); ++b) {
    const std::string& name = out.tree.bodies[b].name;
    if (name.starts_with("toes")) continue;
    const int count = name.starts_with("patella") ? 1 : 4;
    for (int k = 0; k < count; ++k) {
      SkinMarker marker;
      marker.name = name + std::to_string(k);
      marker.body = b;
      marker.place = {spread(random),
                      name.starts_with("femur") || name.starts_with("tibia")
                          ? -0.2 + 2 * spread(random)
                          : spread(random),
                      spread(random)};
      marker.is_anatomical = k < 2;
      out.markers.push_back(marker);
    }
  }
  find_scaled_steps(out);
  return out;
}

/// A pose within the limits, like a step at phase `t`.
inline std::vector<double> walking_pose(const Skeleton& skeleton, double t) {
  std::vector<double> q = skeleton.initial_position();
  for (std::size_t j = 0; j < q.size(); ++j) {
    const Coordinate& c = skeleton.coordinates[j];
    const double middle = std::isfinite(c.lower) ? 0.5 * (c.lower + c.upper) : c.initial;
    const double reach = std::isfinite(c.lower) ? std::min(0.2 * (c.upper - c.lower), 0.5) : 0.4;
    q[j] = middle + reach * std::sin(t + 0.7 * static_cast<double>(j));
  }
  for (const char* toe : {"toe_angle_r", "toe_angle_l"}) {
    const int j = skeleton.find_coordinate(toe);
    if (j >= 0) q[static_cast<std::size_t>(j)] = 0.1;
  }
  return q;
}

/// Places of all markers, 3 each.
inline std::vector<double> marker_places(const Skeleton& skeleton, const BoundGeometry& geometry,
                                         const std::vector<double>& q) {
  const MarkerPlan plan(skeleton);
  MarkerKinematics kinematics(skeleton, plan);
  kinematics.bind(geometry);
  kinematics.place(q);
  std::vector<double> out;
  for (const auto& p : kinematics.positions()) out.insert(out.end(), {p.x, p.y, p.z});
  return out;
}

/// `frames` poses of walking with normal noise.
inline MarkerData walking_data(const Skeleton& skeleton, const BoundGeometry& geometry, int frames,
                               double sigma, unsigned seed) {
  MarkerData data;
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, sigma);
  for (const auto& marker : skeleton.markers) data.labels.push_back(marker.name);
  for (int f = 0; f < frames; ++f) {
    data.t.push_back(0.01 * f);
    for (const double x : marker_places(skeleton, geometry, walking_pose(skeleton, 0.06 * f))) {
      data.xyz.push_back(sigma > 0 ? x + noise(random) : x);
    }
  }
  return data;
}

}  // namespace parfait::motion
