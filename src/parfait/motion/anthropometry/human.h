#pragma once

#include "parfait/mechanism/description/description.h"
#include "parfait/motion/anthropometry/body_segments.h"

/// A person as a mechanism: segments, joints, weight, and how it looks.
namespace parfait::motion {

enum class Posture : std::uint8_t { kStanding, kSitting };

struct HumanRequest {
  Person person;
  Segmentation segmentation = Segmentation::kThreeTrunkParts;
  Posture posture = Posture::kStanding;
  double recline = 0;  ///< of the trunk of a sitting person, backwards [rad]
};

struct Human {
  mechanism::Description model;
  BodySegments body;
};

/// x forward, y left, z up; the soles stand on z = 0 and the middle of the hips over the origin.
/// Spine, neck, shoulders, hips and ankles are spherical joints, elbows and knees revolute about y,
/// hands are fixed to the forearms, and the pelvis is free. Every joint centre is a marker of the
/// body it belongs to: "thorax.shoulder_left".
Human make_human(const HumanRequest& request);

}  // namespace parfait::motion
