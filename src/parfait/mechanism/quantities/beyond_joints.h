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
  bool is_in_loop(int joint) const { return cuts_[joint].root < 0; }
  /// Whether a body (-1 or their number: the ground) moves, seen from the begin body of a joint,
  /// when that joint turns.
  bool is_beyond(int joint, int body) const;

 private:
  /// Bodies and the ground (the last) as a forest, numbered as a depth-first search meets them:
  /// what hangs on a body has the numbers first to last.
  struct Place {
    int tree = -1, first = -1, last = -1;
    int lowest = -1;  ///< the smallest number that a joint out of its branch leads to
  };
  struct Cut {
    int root = -1;  ///< the branch that comes off with the joint; -1: a loop
    bool beyond_is_branch = true;
  };
  std::vector<Place> places_;
  std::vector<Cut> cuts_;
};

}  // namespace parfait::mechanism
