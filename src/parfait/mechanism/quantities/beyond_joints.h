#pragma once

#include <vector>

#include "parfait/mechanism/description/description.h"

namespace parfait::mechanism {

/// What hangs on the end of each joint once it is taken out, which moment arms need. Constraints
/// that stand alone (a drive, a guide) tie no bodies here: an arm is that of the joint, whatever
/// holds it.
class BeyondJoints {
 public:
  BeyondJoints() = default;
  explicit BeyondJoints(const Description& description);

  /// Whether taking the joint out leaves its bodies tied to each other: nothing is beyond it.
  bool is_in_loop(int joint) const { return beyond_[joint].empty(); }
  /// Whether a body (-1 or their number: the ground) moves, seen from the begin body of a joint,
  /// when that joint turns.
  bool is_beyond(int joint, int body) const {
    const auto& reached = beyond_[joint];
    if (reached.empty()) return false;
    return body < 0 ? reached.back() != 0 : reached[body] != 0;
  }

 private:
  std::vector<std::vector<char>> beyond_;  ///< per joint and body, the ground last; empty: a loop
};

}  // namespace parfait::mechanism
