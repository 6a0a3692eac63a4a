#pragma once

#include <Eigen/Core>
#include <map>
#include <string>
#include <vector>

#include "parfait/motion/anthropometry/segment_tables.h"

/// From height, mass and sex to the segments of a body.
namespace parfait::motion {

/// What a body is divided into.
enum class Segmentation : std::uint8_t {
  kFiveTrunkParts,   ///< 17 segments: head, neck, thorax, lumbus, pelvis, limbs (de Leva)
  kThreeTrunkParts,  ///< 16 segments: the neck belongs to the head (de Leva)
  kTorso,            ///< 15 segments: one torso above the pelvis (Dumas)
};

struct Person {
  Sex sex = Sex::kMale;
  double height = 1.75;  ///< [m]
  double mass = 75;      ///< [kg]
  /// Measured lengths instead of scaled ones [m], by the names of Lengths.
  std::map<std::string, double> lengths{};
};

/// Distances between joint centres and the like [m]. Scaled with the height from de Leva's mean
/// body, or measured.
struct Lengths {
  double head;  ///< vertex to C7: head and neck together
  double neck;  ///< of it, from C7 to the joint of the head
  double thorax, lumbus, pelvis;
  double upper_arm, forearm, hand;
  double thigh, shank, foot;
  double ankle_height;     ///< of the ankle joint above the sole: what the stature leaves over
  double heel;             ///< from the ankle joint back to the heel
  double shoulder_height;  ///< of the shoulder joints above the hip joints
  double shoulder_width, hip_width;  ///< between the joints of the two sides

  /// VERT-CERV + CERV-MIDH + thigh + shank + ankle height.
  double stature() const;
};
/// InputError: a length that nobody knows or that is not > 0.
Lengths lengths_of(const Person& person);

/// A rigid segment. Its frame stands upright in the world while the person does: x forward, y left,
/// z up; the origin is the proximal joint of limbs, and the lower joint of parts of the trunk.
struct Segment {
  std::string id;  ///< "thorax", "upper_arm_left"
  double mass = 0;
  Eigen::Vector3d center = Eigen::Vector3d::Zero();
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  ///< about the centre
};

struct BodySegments {
  Lengths lengths{};
  std::vector<Segment> segments;
  double lumbar_height = 0;  ///< kTorso: of the joint below the torso above the hip joints [m]
  std::vector<std::string> remarks;  ///< what had to be changed

  const Segment& find(const std::string& id) const;
};

/// Masses are those of the table, made to add up to the person's; radii of gyration scale with the
/// lengths. A tensor that no body has is replaced by the nearest that one can have, with a remark.
/// InputError: heights and masses beyond what the tables can be stretched to, unknown lengths.
/// See docs/theory/anthropometry.md
BodySegments make_segments(const Person& person, Segmentation segmentation);

/// The physical tensor nearest to `inertia` (Frobenius norm of the second moments
/// P = tr(inertia)/2 I - inertia), with a little thickness: eigenvalues of P of at least 1 % of the
/// largest. Itself if it is physical.
Eigen::Matrix3d nearest_physical(const Eigen::Matrix3d& inertia);

}  // namespace parfait::motion
