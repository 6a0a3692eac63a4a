#include "parfait/io/model/mechanical_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "parfait/base/error.h"
#include "parfait/mbs/model.h"
#include "parfait/tree/model.h"

namespace parfait::io {

Coordinates coordinates_of(const std::string& name, const std::string& what) {
  if (name.empty()) return Coordinates::kAutomatic;
  if (name == "natural") return Coordinates::kNatural;
  if (name == "joint") return Coordinates::kJoint;
  throw base::InputError(fmt::format("{} {}: does not exist.{} Must be one of: natural, joint.",
                                     what, name, base::suggestion(name, {"natural", "joint"})));
}

std::shared_ptr<const mechanism::MechanicalSystem> build_mechanics(
    const mechanism::Description& description, Coordinates coordinates) {
  const bool has_axes = std::ranges::any_of(
      description.joints, [](const auto& joint) { return joint.key == mechanism::kAxesJoint; });
  if (coordinates == Coordinates::kJoint || (coordinates == Coordinates::kAutomatic && has_axes))
    return tree::build(description);
  return mbs::build(description);
}

}  // namespace parfait::io
