#include "parfait/mbs/build/check_natural.h"

#include <fmt/format.h>

#include "parfait/mechanism/checks/check_parts.h"
#include "parfait/mechanism/constants/element_constants.h"

namespace parfait::mbs {

void check_natural(const Description& description) {
  const auto& natural = description.natural;
  if (!(natural.rank_tolerance > 0 && natural.rank_tolerance <= 1e-2)) {
    throw base::InputError(natural.rank_tolerance_place,
                           fmt::format("model: rank_tolerance = {:g}: must lie in (0, 0.01]; rows "
                                       "with larger pivots are not redundant.",
                                       natural.rank_tolerance));
  }
  for (const auto& [id, choices] : natural.bodies) {
    if (find_by_id(description.bodies, id)) continue;
    std::vector<std::string> ids;
    append_ids(description.bodies, ids);
    throw base::InputError(mechanism::place_or(choices.coordinates_place, choices.released_place),
                           fmt::format("natural coordinates of \"{}\": not a body.{} Bodies: {}.",
                                       id, base::suggestion(id, ids), base::listing(ids)));
  }
  for (const auto& joint : description.joints) {
    if (joint.key != mechanism::kAxesJoint) continue;
    throw base::InputError(
        joint.place,
        fmt::format("{}: natural coordinates have no joints by axes. Use joint coordinates "
                    "(--coordinates joint).",
                    mechanism::element_label("joint", joint.id)));
  }
  const mechanism::StartNumbers numbers(description);
  for (const auto& body : description.bodies) {
    const auto fault = start_inertia_fault(body, numbers);
    if (fault.message.empty()) continue;
    throw base::InputError(mechanism::place_or(body.inertia[0][0].place, body.place),
                           mechanism::element_label("body", body.id) + ": " + fault.message);
  }
}

}  // namespace parfait::mbs
