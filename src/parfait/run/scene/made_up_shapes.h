#pragma once

#include <Eigen/Core>
#include <vector>

#include "parfait/result/scene.h"

namespace parfait::run {

/// What is known of a body that says nothing about its looks, in its frame.
struct BodyOutline {
  std::vector<Eigen::Vector3d> points;  ///< where joints and forces take hold of it
  double mass = 0;
  Eigen::Vector3d com;
  Eigen::Matrix3d inertia;  ///< about the centre of mass
};

/// Shapes that make it look like something; `extent` is the size of the whole model.
std::vector<result::SceneShape> make_up_shapes(const BodyOutline& body, double extent);

}  // namespace parfait::run
