#pragma once

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "parfait/mechanism/description/description.h"
#include "parfait/motion/anthropometry/segment_tables.h"

/// HeiMan (Felis 2015, section 4.3): a person of 19 segments on joint coordinates, every length and
/// mass of which can be set.
namespace parfait::motion {

struct HeiManRequest {
  Sex sex = Sex::kMale;
  double height = 1.75;  ///< m
  double mass = 75;      ///< kg
  /// Parameters instead of the uniform ones, m and kg: "ThighRightLength", or "ThighLength" for
  /// both sides.
  std::map<std::string, double> set{};
  /// Tables 4.3 and 4.5 as they are printed, errors and all (docs/theory/corrections.md).
  bool as_published = false;
  int dimensions = 3;  ///< 2: the sagittal plane only; 1: up and down only
  /// What joints may do instead, by their names or those without a side: "ry,rx,rz", "fixed".
  std::map<std::string, std::string> joints{};
};

struct HeiManParameter {
  std::string name;
  double value = 0;
  double uniform = 0;  ///< what height and mass alone give
};

/// A line with a radius about it, in the frame of a segment: what must not touch another.
struct Capsule {
  std::string segment;
  std::array<double, 3> from{}, to{};
  double radius = 0;
};

/// One row of a contact: a point of a foot that does not move along a direction of the ground.
struct ContactRow {
  std::string point;  ///< of HeiMan::points
  std::array<double, 3> normal{};
  /// The point at the bottom of the heel's sphere, wherever that is just now; the row of the centre
  /// is the point itself.
  bool rolls = false;
};
struct ContactSet {
  std::string name;
  std::vector<ContactRow> rows;
};

struct FootPoint {
  std::string name, segment;
  std::array<double, 3> place{};
  double radius = 0;  ///< of the heel's sphere; otherwise 0
};

struct HeiMan {
  /// x forward, y left, z up; frames of segments are parallel in the neutral pose, which stands on
  /// z = 0. Coordinates are called <segment>_TX, <segment>_RY, ... in the order of the joint's
  /// axes.
  mechanism::Description model;
  std::vector<HeiManParameter> parameters;
  std::vector<FootPoint> points;  ///< Heel, Hallux and Meta5 of both feet
  std::vector<Capsule> capsules;  ///< one per segment that has some extent
  std::vector<ContactSet> contacts;
  std::vector<std::pair<std::string, std::string>> kept_apart;  ///< segments (Felis, 5.4.3)
};

/// InputError: names that nobody knows, numbers that no body has, motions without sense.
HeiMan make_heiman(const HeiManRequest& request);

/// Between two capsules in one frame; negative: they overlap. Not differentiable where the lines
/// touch or are parallel.
double distance(const Capsule& a, const Capsule& b);

}  // namespace parfait::motion
