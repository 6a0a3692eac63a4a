#pragma once

#include <array>
#include <string>
#include <vector>

#include "parfait/motion/anthropometry/segment_tables.h"

/// Tables 4.3 to 4.6 of Felis (2015).
namespace parfait::motion {

/// A length in shares of the height, or a mass in shares of the mass. Names of parts that a body
/// has twice have an empty place for the side: "Thigh|Length".
struct HeiManShare {
  std::string name;
  double share = 0;
  bool is_mass = false;
};
std::vector<HeiManShare> heiman_shares(Sex sex, bool as_published);

/// Centre of mass along the segment's z, in shares of its length, and radii of gyration about x, y,
/// z. The foot is apart: its length lies along x.
struct HeiManInertia {
  double center = 0;
  std::array<double, 3> radii{};
};
HeiManInertia heiman_inertia(Sex sex, const std::string& part, bool as_published);

/// Where cameras see the segments (table 4.6). Places are guesses for a height of 1.86 m, of the
/// right side; a landmark is near a bone.
struct HeiManMarker {
  std::string part, name;  ///< "|" for the side: "|KNE"
  std::array<double, 3> place{};
  bool landmark = true;
};
const std::vector<HeiManMarker>& heiman_markers();

}  // namespace parfait::motion
