#include <fmt/format.h>

#include <unordered_map>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "parfait/mechanism/checks/check_parts.h"
#include "parfait/mechanism/constants/element_constants.h"
#include "parfait/mechanism/description/body_inertia.h"

// Frames, inertia, and what connects what.
namespace parfait::mechanism {
namespace {

// Sine of the angle (or the volume of the unit axes) below which directions count as dependent: far
// above the rounding of numbers that were written with a few digits, far below anything meant.
constexpr double kDependent = 1e-9;

using Vector = Eigen::Vector3d;

struct NamedAxis {
  char name;
  Vector direction;
};

[[noreturn]] void fail(const Place& place, const std::string& label, const std::string& message) {
  throw base::InputError(place, label + ": " + message);
}

void check_axes(const std::vector<NamedAxis>& axes, const std::string& label, const Place& place) {
  for (const auto& axis : axes) {
    if (axis.direction.norm() == 0)
      fail(place, label, fmt::format("axis {} has length 0.", axis.name));
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    for (std::size_t j = i + 1; j < axes.size(); ++j) {
      const Vector a = axes[i].direction.normalized();
      const Vector b = axes[j].direction.normalized();
      if (a.cross(b).norm() < kDependent) {
        fail(place, label, fmt::format("axes {} and {} are parallel.", axes[i].name, axes[j].name));
      }
    }
  }
  if (axes.size() < 3) return;
  Eigen::Matrix3d X;
  for (int i = 0; i < 3; ++i) X.col(i) = axes[static_cast<std::size_t>(i)].direction.normalized();
  const double volume = X.determinant();
  if (std::abs(volume) < kDependent) {
    fail(place, label, "the axes x, y, z lie in one plane; they must span space.");
  }
  if (volume < 0) {
    fail(place, label,
         "the axes x, y, z are left-handed. Turn one of them round (z must be on the side of x "
         "cross y).");
  }
}

Vector vector(const Number3& a) {
  return {a[0], a[1], a[2]};
}

void check_symmetric(const Body& body, const StartNumbers& numbers) {
  constexpr const char kAxes[] = "xyz";
  double largest = 0;
  for (const auto& row : body.inertia) {
    for (const auto& value : row) {
      largest = std::max(largest, std::abs(numbers.number(value, "", body.place).value_or(0)));
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = i + 1; j < 3; ++j) {
      const auto upper = numbers.number(body.inertia[i][j], "", body.place);
      const auto lower = numbers.number(body.inertia[j][i], "", body.place);
      if (!upper || !lower || std::abs(*upper - *lower) <= 1e-9 * largest) continue;
      fail(place_or(body.inertia[j][i].place, body.place), element_label("body", body.id),
           fmt::format("moment_of_inertia is not symmetric: {0}{1} = {2}, {1}{0} = {3}.", kAxes[i],
                       kAxes[j], *upper, *lower));
    }
  }
}

void check_inertia(const Body& body, bool by_axes, const StartNumbers& numbers,
                   std::vector<std::string>& warnings) {
  const std::string label = element_label("body", body.id);
  const auto mass = numbers.number(body.mass, body.id + ".mass", body.place);
  if (mass && !(*mass > 0) && !(by_axes && *mass == 0)) {
    fail(place_or(body.mass.place, body.place), label,
         fmt::format("mass = {}: must be > 0.", *mass));
  }
  check_symmetric(body, numbers);
  if (const auto fault = start_inertia_fault(body, numbers); fault.is_impossible) {
    const Place& place = place_or(body.inertia[0][0].place, body.place);
    if (!by_axes) fail(place, label, fault.message);
    warnings.push_back(fmt::format("{}: {}: {}", place.text(), label, fault.message));
  }
}

void check_body(const Body& body, bool by_axes, const StartNumbers& numbers,
                std::vector<std::string>& warnings) {
  const std::string label = element_label("body", body.id);
  check_inertia(body, by_axes, numbers, warnings);
  for (const auto& marker : body.markers) {
    check_frame(marker.frame, body.id + "." + marker.id,
                fmt::format("{}: marker \"{}\"", label, marker.id),
                place_or(marker.place, body.place), numbers);
  }
}

/// The bodies of a description by their ids.
class BodiesById {
 public:
  explicit BodiesById(const Description& description) {
    for (const auto& body : description.bodies) bodies_.emplace(body.id, &body);
  }
  /// Null: there is none.
  const Body* find(const std::string& id) const {
    const auto found = bodies_.find(id);
    return found == bodies_.end() ? nullptr : found->second;
  }

 private:
  std::unordered_map<std::string, const Body*> bodies_;
};

void check_end(const Description& description, const BodiesById& bodies, const Marker& marker,
               const std::string& name, const std::string& label, const Place& around,
               const StartNumbers& numbers) {
  const Place& place = place_or(marker.place, around);
  const Body* body = bodies.find(marker.body);
  if (!body && marker.body != kInertial) {
    std::vector<std::string> ids = {kInertial};
    append_ids(description.bodies, ids);
    fail(place_or(marker.body_place, place), label,
         fmt::format("\"{}\" is not a body.{} Bodies: {}.", marker.body,
                     base::suggestion(marker.body, ids), base::listing(ids)));
  }
  if (marker.reference.empty()) {
    check_frame(marker.frame, name, label, place, numbers);
    return;
  }
  if (!body) {
    fail(place_or(marker.reference_place, place), label,
         fmt::format("{} has no markers; give the frame here.", kInertial));
  }
  if (find_by_id(body->markers, marker.reference)) return;
  std::vector<std::string> ids;
  append_ids(body->markers, ids);
  fail(place_or(marker.reference_place, place), label,
       fmt::format("\"{}\" is not a marker of body \"{}\".{} {}.", marker.reference, body->id,
                   base::suggestion(marker.reference, ids),
                   ids.empty() ? "It has none" : "Markers: " + base::listing(ids)));
}

/// Forces may act inside a body that can be deformed (Kraus 2006, section 5.1.2).
bool may_be_inside(const Description& description, const BodiesById& bodies, std::string_view kind,
                   const std::string& id) {
  return kind == "force" && bodies.find(id) && description.natural.of(id).released.any();
}

void check_ends(const Description& description, const BodiesById& bodies, const char* kind,
                const std::string& id, const Place& place, const Marker& begin, const Marker& end,
                const StartNumbers& numbers) {
  const std::string label = element_label(kind, id);
  check_end(description, bodies, begin, id + ".begin", label + ": begin", place, numbers);
  check_end(description, bodies, end, id + ".end", label + ": end", place, numbers);
  if (begin.body == end.body && !may_be_inside(description, bodies, kind, end.body)) {
    fail(place_or(end.body_place, place), label,
         fmt::format("begin and end are on the same body \"{}\".", end.body));
  }
}

/// |b_1 - b_2| = r has no gradient at r = 0.
void check_norm(const Value& value, const std::string& name, const std::string& id,
                const std::string& label, const Place& around, const StartNumbers& numbers) {
  const auto number = numbers.number(value, id + "." + name, around);
  if (!number || *number > 0) return;
  fail(place_or(value.place, around), label,
       fmt::format("{} = {}: must be > 0. To hold two points together use Spherical.", name,
                   *number));
}

void check_range(const Value& value, const ConstantInfo& info, const Event& event,
                 const StartNumbers& numbers) {
  const auto number = numbers.number(value, event.id + "." + info.name, event.place);
  if (!number || (*number >= info.lower && *number <= info.upper)) return;
  fail(place_or(value.place, event.place), element_label("event", event.id),
       fmt::format("{} = {}: must lie in [{}, {}].", info.name, *number, info.lower, info.upper));
}

}  // namespace

void check_frame(const Frame& frame, const std::string& name, const std::string& label,
                 const Place& around, const StartNumbers& numbers) {
  const auto direction = [&](const Value3& values, char axis) -> std::optional<NamedAxis> {
    NamedAxis out{axis, Vector::Zero()};
    for (int i = 0; i < 3; ++i) {
      const auto number = numbers.number(values[static_cast<std::size_t>(i)],
                                         fmt::format("{}.{}.{}", name, axis, "xyz"[i]), around);
      if (!number) return std::nullopt;
      out.direction[i] = *number;
    }
    return out;
  };
  for (int i = 0; i < 3; ++i) {
    static_cast<void>(numbers.number(frame.o[static_cast<std::size_t>(i)],
                                     fmt::format("{}.o.{}", name, "xyz"[i]), around));
  }
  // z counts even if it is not given: the others are completed around it.
  std::vector<NamedAxis> axes;
  const auto add = [&](const Value3& values, char axis) {
    if (const auto found = direction(values, axis)) axes.push_back(*found);
  };
  if (frame.has_x) add(frame.x, 'x');
  if (frame.has_y) add(frame.y, 'y');
  add(frame.z, 'z');
  const Value3& first = frame.has_x ? frame.x : frame.has_y ? frame.y : frame.z;
  check_axes(axes, label, place_or(first[0].place, around));
}

InertiaFault start_inertia_fault(const Body& body, const StartNumbers& numbers) {
  const auto given = BodyNumbers::from(
      body, [&](const Value& value) { return numbers.number(value, "", body.place); });
  if (!given) return {};
  Eigen::Matrix3d inertia = given->inertia_about_center();
  // What a parameter drives is the entry about the centre of mass.
  constexpr const char* kNames[] = {"xx", "yy", "zz", "xy", "xz", "yz"};
  constexpr int kRow[] = {0, 1, 2, 0, 0, 1};
  constexpr int kColumn[] = {0, 1, 2, 1, 2, 2};
  for (int k = 0; k < 6; ++k) {
    const std::string name = fmt::format("{}.inertia.{}", body.id, kNames[k]);
    if (!numbers.is_driven(name)) continue;
    const auto number = numbers.number(Value(), name, body.place);
    if (!number) return {};
    inertia(kRow[k], kColumn[k]) = inertia(kColumn[k], kRow[k]) = *number;
  }
  auto fault = inertia_fault(inertia);
  const bool moved = body.about == InertiaPoint::kOrigin && !inertia.isZero(0);
  if (moved && !fault.message.empty()) fault.message = "about the centre of mass: " + fault.message;
  return fault;
}

void check_initial_frames(const Description& description) {
  for (const auto& body : description.bodies) {
    check_axes({{'x', vector(body.x)}, {'y', vector(body.y)}, {'z', vector(body.z)}},
               element_label("body", body.id) + ": position",
               place_or(body.position_place, body.place));
  }
}

void check_bodies(const Description& description, const StartNumbers& numbers,
                  std::vector<std::string>& warnings) {
  const bool by_axes = std::any_of(description.joints.begin(), description.joints.end(),
                                   [](const Joint& joint) { return joint.key == kAxesJoint; });
  for (const auto& body : description.bodies) check_body(body, by_axes, numbers, warnings);
}

void check_connections(const Description& description, const StartNumbers& numbers) {
  const BodiesById bodies(description);
  for (const auto& joint : description.joints) {
    check_ends(description, bodies, "joint", joint.id, joint.place, joint.begin, joint.end,
               numbers);
    const auto infos = type_constants(joint);
    for (const auto& row : type_of(joint).rows) {
      const bool is_norm = row.kind == RowKind::kBBX || row.kind == RowKind::kVVX;
      if (!is_norm || row.offset_constant < 0) continue;
      const auto& name = infos[static_cast<std::size_t>(row.offset_constant)].name;
      const Value* value = given_value(infos, joint.constants, row.offset_constant);
      if (!value) continue;
      check_norm(*value, name, joint.id, element_label("joint", joint.id), joint.place, numbers);
    }
  }
  for (const auto& constraint : description.constraints) {
    check_ends(description, bodies, "constraint", constraint.id, constraint.place, constraint.begin,
               constraint.end, numbers);
    const bool is_norm = constraint.key == "BBX" || constraint.key == "VVX";
    if (!is_norm || constraint.offset.is_formula()) continue;  // a formula may depend on time
    check_norm(constraint.offset, "offset", constraint.id,
               element_label("constraint", constraint.id), constraint.place, numbers);
  }
  for (const auto& force : description.forces) {
    if (force.begin && force.end && force.via.empty()) {
      check_ends(description, bodies, "force", force.id, force.place, *force.begin, *force.end,
                 numbers);
      continue;
    }
    for (const auto& end : ends_of(force)) {
      check_end(description, bodies, *end.marker, force.id + "." + end.name,
                element_label("force", force.id) + ": " + end.name, force.place, numbers);
    }
  }
  for (const auto& event : description.events) {
    if (!event.begin || !event.end) continue;
    check_ends(description, bodies, "event", event.id, event.place, *event.begin, *event.end,
               numbers);
    const auto infos = type_constants(event);
    for (std::size_t i = 0; i < infos.size(); ++i) {
      const Value* value = given_value(infos, event.constants, static_cast<int>(i));
      if (value) check_range(*value, infos[i], event, numbers);
    }
  }
}

}  // namespace parfait::mechanism
