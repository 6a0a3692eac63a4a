#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "parfait/expr/formula.h"
#include "parfait/mechanism/checks/check_parts.h"
#include "parfait/mechanism/constants/element_constants.h"

// Joints by axes, their coordinates, couplings and skin markers.
namespace parfait::mechanism {
namespace motion_checks {
namespace {

[[noreturn]] void fail(const Place& place, const std::string& label, const std::string& message) {
  throw base::InputError(place, label + ": " + message);
}

void check_function(const CoordinateFunction& f, const std::string& label, const Place& around) {
  using Kind = CoordinateFunction::Kind;
  const Place& place = place_or(f.place, around);
  for (const auto* numbers : {&f.knots, &f.constants}) {
    for (const double number : *numbers) {
      if (!std::isfinite(number)) fail(place, label, "a number of its function is not finite.");
    }
  }
  if (f.kind == Kind::kFormula) {
    expr::Names scope({"q"});
    static_cast<void>(expr::Formula(f.formula, scope, place));
    return;
  }
  if (f.kind == Kind::kLinear && f.constants.size() != 2) {
    fail(place, label,
         fmt::format("a linear function has two constants, slope and intercept, found {}.",
                     f.constants.size()));
  }
  if (f.constants.empty()) fail(place, label, "its function has no constants.");
  if (f.kind == Kind::kLinear || f.kind == Kind::kPolynomial) return;
  if (f.knots.size() < 2) {
    fail(place, label,
         fmt::format("a function by knots needs at least two, found {}.", f.knots.size()));
  }
  if (f.knots.size() != f.constants.size()) {
    fail(place, label,
         fmt::format("its function has {} knots and {} values.", f.knots.size(),
                     f.constants.size()));
  }
  for (std::size_t i = 1; i < f.knots.size(); ++i) {
    if (f.knots[i] > f.knots[i - 1]) continue;
    fail(place, label,
         fmt::format("knots must ascend, found {} after {}.", f.knots[i], f.knots[i - 1]));
  }
}

void check_coordinate(const Coordinate& c, const std::string& label) {
  if (!std::isfinite(c.initial) || !std::isfinite(c.rate)) {
    fail(c.place, label, "its initial value or rate is not finite.");
  }
  if (std::isnan(c.lower) || std::isnan(c.upper) || c.lower > c.upper) {
    fail(c.place, label, fmt::format("lower = {} is above upper = {}.", c.lower, c.upper));
  }
}

void check_axes_joint(const Joint& joint) {
  const std::string label = element_label("joint", joint.id);
  if (joint.motion.axes.empty() || joint.motion.coordinates.empty()) {
    fail(joint.place, label, "a joint of the key Axes has at least one coordinate and one axis.");
  }
  std::set<std::string> used;
  std::vector<std::string> ids;
  for (const auto& c : joint.motion.coordinates) ids.push_back(c.id);
  int number = 0;
  for (const auto& axis : joint.motion.axes) {
    const std::string name = fmt::format("{}: axis {}", label, ++number);
    const Place& place = place_or(axis.place, joint.place);
    double length = 0;
    for (const double a : axis.axis) length += a * a;
    if (!(length > 0) || !std::isfinite(length)) fail(place, name, "it has no direction.");
    check_function(axis.function, name, place);
    if (axis.coordinate.empty()) {
      const auto& f = axis.function;
      if (f.kind != CoordinateFunction::Kind::kLinear || f.constants[0] != 0) {
        fail(place, name, "it names no coordinate, so its function must be a constant.");
      }
      continue;
    }
    used.insert(axis.coordinate);
    if (std::find(ids.begin(), ids.end(), axis.coordinate) == ids.end()) {
      fail(
          place, name,
          fmt::format("\"{}\" is not a coordinate of this joint.{} Coordinates: {}.",
                      axis.coordinate, base::suggestion(axis.coordinate, ids), base::listing(ids)));
    }
  }
  for (const auto& c : joint.motion.coordinates) {
    if (used.contains(c.id)) continue;
    fail(place_or(c.place, joint.place), label,
         fmt::format("coordinate \"{}\" moves no axis.", c.id));
  }
}

}  // namespace
}  // namespace motion_checks

void check_motions(const Description& description) {
  using motion_checks::fail;
  // Coordinates have names of their own: a joint and its only coordinate are often called alike.
  std::map<std::string, Place> coordinates;
  std::vector<std::string> ids;
  for (const auto& joint : description.joints) {
    if (joint.key != kAxesJoint) {
      if (joint.motion.empty()) continue;
      fail(
          joint.place, element_label("joint", joint.id),
          fmt::format("only joints of the key Axes have coordinates and axes, not {}.", joint.key));
    }
    for (const auto& c : joint.motion.coordinates) {
      const std::string label = element_label("coordinate", c.id);
      const Place& place = place_or(c.place, joint.place);
      if (!base::is_identifier(c.id)) {
        fail(place, label,
             "an id is made of letters, digits and _, and does not begin with a digit.");
      }
      if (const auto [first, is_new] = coordinates.try_emplace(c.id, place); !is_new) {
        fail(place, label,
             first->second.line > 0
                 ? fmt::format("the id is already used in line {}.", first->second.line)
                 : "the id is already used.");
      }
      ids.push_back(c.id);
      motion_checks::check_coordinate(c, label);
    }
    motion_checks::check_axes_joint(joint);
  }
  std::map<std::string, const Coupling*> dependent;
  for (const auto& coupling : description.couplings) {
    const std::string label = element_label("coupling", coupling.coordinate);
    for (const auto* id : {&coupling.coordinate, &coupling.follows}) {
      if (coordinates.contains(*id)) continue;
      fail(coupling.place, label,
           fmt::format("\"{}\" is not a coordinate.{}", *id, base::suggestion(*id, ids)));
    }
    if (coupling.coordinate == coupling.follows) {
      fail(coupling.place, label, "the coordinate follows itself.");
    }
    motion_checks::check_function(coupling.function, label, coupling.place);
    if (!dependent.try_emplace(coupling.coordinate, &coupling).second) {
      fail(coupling.place, label, "the coordinate follows another one already.");
    }
  }
  for (const auto& coupling : description.couplings) {
    if (!dependent.contains(coupling.follows)) continue;
    fail(coupling.place, element_label("coupling", coupling.coordinate),
         fmt::format("\"{}\" follows another coordinate itself; name that one.", coupling.follows));
  }
  std::map<std::string, const SkinMarker*> names;
  for (const auto& marker : description.skin_markers) {
    const std::string label = element_label("skin_marker", marker.name);
    if (marker.name.empty()) fail(marker.place, label, "it has no name.");
    if (!names.try_emplace(marker.name, &marker).second) {
      fail(marker.place, label, "there is another one of this name.");
    }
    for (const double x : marker.o) {
      if (!std::isfinite(x)) fail(marker.place, label, "its place is not finite.");
    }
    if (marker.body == kInertial || find_by_id(description.bodies, marker.body)) continue;
    std::vector<std::string> bodies = {kInertial};
    append_ids(description.bodies, bodies);
    fail(marker.place, label,
         fmt::format("\"{}\" is not a body.{} Bodies: {}.", marker.body,
                     base::suggestion(marker.body, bodies), base::listing(bodies)));
  }
}

}  // namespace parfait::mechanism
