#pragma once

#include <optional>
#include <string>
#include <vector>

#include "parfait/mechanism/description/description.h"
#include "parfait/mechanism/quantities/beyond_joints.h"
#include "parfait/mechanism/quantities/quantity_index.h"

namespace parfait::mechanism {

/// Names of all quantities of a mechanism and what they stand for, free of coordinates.
///
/// Numbers  body: of the description. kMarker…: the site of the point (element_set.h), -1 com, -2
///          origin. kJoint…: the joint. kReaction…: the joint, or the number of joints plus the
///          constraint. kForce, kMomentArm: the element. kCoordinate…, kState, kParameter: its
///          own number.
class QuantityNames {
 public:
  QuantityNames() = default;
  /// `states`: of ElementSet, which has more of them than the description.
  QuantityNames(const Description& description, const std::vector<State>& states,
                const std::vector<std::string>& parameter_ids);

  std::optional<Quantity> find(const std::string& name) const { return index_.find(name); }
  std::vector<std::string> names() const { return index_.names(); }
  const QuantityIndex& index() const { return index_; }
  const BeyondJoints& beyond() const { return beyond_; }

 private:
  QuantityIndex index_;
  BeyondJoints beyond_;
};

}  // namespace parfait::mechanism
