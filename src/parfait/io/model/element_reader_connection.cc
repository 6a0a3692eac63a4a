#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "parfait/io/model/element_reader.h"
#include "parfait/io/model/vocabulary_reader.h"
#include "parfait/io/text/value_reader.h"
#include "parfait/mechanism/elements/constraint_types.h"
#include "parfait/mechanism/elements/registry.h"

// Joints, constraints, forces and events: what connects bodies.
namespace parfait::io {
namespace {

/// `<begin>`, `<via>` or `<end>`: a body, and a frame on it or the name of one of its markers.
mechanism::Marker read_end(Element element) {
  mechanism::Marker marker;
  marker.place = element.place();
  const auto id = element.attribute("id");
  const auto body = element.attribute("body");
  if (id && body)
    element.fail(body->place, "give \"id\" or \"body\", not both: they mean the same.");
  if (!id && !body) {
    element.fail(element.place(), fmt::format("<{}> needs \"body\", the id of a body or {}.",
                                              element.name(), mechanism::kInertial));
  }
  const Text& named = id ? *id : *body;
  marker.body = named.text;
  marker.body_place = named.place;
  const auto reference = element.attribute("marker");
  if (reference) {
    marker.reference = reference->text;
    marker.reference_place = reference->place;
  }
  const auto frame_fields = {"o", "x", "y", "z", "angles"};
  for (const char* name : frame_fields) {
    const auto field = reference ? element.field(name) : std::nullopt;
    if (!field) continue;
    element.fail(field->place,
                 fmt::format("give marker=\"{}\" or a frame, not both.", reference->text));
  }
  marker.frame = read_frame(element);
  element.finish();
  return marker;
}

mechanism::Marker read_required_end(Element& element, const char* name) {
  auto child = element.child(name);
  if (!child) element.fail_missing(name);
  return read_end(std::move(*child));
}

std::string read_key(Element& element) {
  const auto key = element.attribute("key");
  if (!key)
    element.fail_missing("key", fmt::format("; it says what kind of {} it is", element.name()));
  return key->text;
}

/// A constant of the type that is an angle may be given in degrees.
mechanism::Value read_constant(Element& element,
                               const std::vector<mechanism::ConstantInfo>& known) {
  const std::string name = element.name();
  const auto unit = element.attribute("unit");
  const Text text = element.text();
  element.finish();
  if (text.text.empty()) element.fail(element.place(), fmt::format("<{}> is empty.", name));
  auto value = read_value(element, text, name);
  if (!unit) return value;
  const auto info = std::find_if(known.begin(), known.end(),
                                 [&](const mechanism::ConstantInfo& c) { return c.name == name; });
  if (info == known.end() || info->unit != "rad") {
    element.fail(unit->place, fmt::format("{}: only angles may have a unit.", name));
  }
  const bool degrees = read_choice<bool>(element, *unit, "unit", {{"rad", false}, {"deg", true}});
  if (degrees && value.is_formula()) {
    element.fail(unit->place,
                 fmt::format("{}: a formula gives radians; unit=\"deg\" needs a number.", name));
  }
  if (degrees) value.number *= std::numbers::pi / 180;
  return value;
}

/// `<constants> 1 400 </constants>` by position and everything else by name. All other fields of
/// the element must have been asked for before.
std::vector<mechanism::NamedValue> read_constants(
    Element& element, const std::vector<mechanism::ConstantInfo>& known) {
  std::vector<mechanism::NamedValue> constants;
  if (const auto list = element.field("constants")) {
    for (const auto& word : split_list(*list)) {
      const auto name = fmt::format("Constant_{}", constants.size());
      constants.push_back({name, read_value(element, word, "constants"), word.place});
    }
  }
  for (auto& other : element.others()) {
    if (!other.attribute) {
      constants.push_back({other.name.text, read_constant(*other.child, known), other.name.place});
      continue;
    }
    if (other.attribute->text.empty()) {
      element.fail(other.attribute->place, fmt::format("\"{}\" is empty.", other.name.text));
    }
    constants.push_back({other.name.text, read_value(element, *other.attribute, other.name.text),
                         other.name.place});
  }
  return constants;
}

char read_axis(Element& element, const char* name) {
  const auto text = element.field(name);
  if (!text) return 'z';
  return read_choice<char>(element, *text, name, {{"x", 'x'}, {"y", 'y'}, {"z", 'z'}});
}

/// Of a constraint that has such an axis; others must not be given one.
char read_constraint_axis(Element& element, const char* name, bool has_axis) {
  const auto text = element.field(name);
  if (text && !has_axis) {
    element.fail(text->place,
                 fmt::format("{} is not used by this constraint: DDX uses begin_axis and end_axis, "
                             "BBDX and VVDX use begin_axis, the others use none.",
                             name));
  }
  return read_axis(element, name);
}

}  // namespace

mechanism::Joint read_joint(Element& element) {
  mechanism::Joint joint;
  joint.place = element.place();
  joint.id = read_id(element);
  joint.key = read_key(element);
  joint.begin = read_required_end(element, "begin");
  joint.end = read_required_end(element, "end");
  joint.motion = read_motion(element);
  const auto* type = mechanism::registry().find_joint(joint.key);
  joint.constants =
      read_constants(element, type ? type->constants : std::vector<mechanism::ConstantInfo>{});
  element.finish();
  return joint;
}

mechanism::Constraint read_constraint(Element& element) {
  mechanism::Constraint constraint;
  constraint.place = element.place();
  constraint.id = read_id(element);
  constraint.key = read_key(element);
  constraint.begin = read_required_end(element, "begin");
  constraint.end = read_required_end(element, "end");
  const auto* type =
      mechanism::find_constraint(constraint.key);  // an unknown key is reported later
  constraint.begin_axis =
      read_constraint_axis(element, "begin_axis", !type || type->has_begin_axis());
  constraint.end_axis = read_constraint_axis(element, "end_axis", !type || type->has_end_axis());
  if (const auto offset = element.field("offset")) {
    constraint.offset = read_value(element, *offset, "offset");
  }
  element.finish();
  return constraint;
}

mechanism::Force read_force(Element& element) {
  mechanism::Force force;
  force.place = element.place();
  force.id = read_id(element);
  force.key = read_key(element);
  if (auto begin = element.child("begin")) force.begin = read_end(std::move(*begin));
  for (auto& via : element.children("via")) force.via.push_back(read_end(std::move(via)));
  if (auto end = element.child("end")) force.end = read_end(std::move(*end));
  if (const auto law = element.field("law")) force.law = read_formula(*law);
  if (const auto side = element.field("side")) {
    force.side_place = side->place;
    force.side = read_choice<mechanism::Side>(element, *side, "side",
                                              {{"both", mechanism::Side::kBoth},
                                               {"push", mechanism::Side::kPush},
                                               {"pull", mechanism::Side::kPull}});
  }
  force.adhesion = read_flag(element, "adhesion");
  const auto* type = mechanism::registry().find_force(force.key);
  force.constants = read_constants(
      element, type ? type->constants_of(force.side) : std::vector<mechanism::ConstantInfo>{});
  element.finish();
  return force;
}

mechanism::Event read_event(Element& element) {
  mechanism::Event event;
  event.place = element.place();
  event.id = read_id(element);
  if (const auto key = element.attribute("key")) event.key = key->text;
  if (auto begin = element.child("begin")) event.begin = read_end(std::move(*begin));
  if (auto end = element.child("end")) event.end = read_end(std::move(*end));
  read_event_parts(element, event);
  const auto* type = mechanism::registry().find_event(event.key);
  event.constants =
      read_constants(element, type ? type->constants : std::vector<mechanism::ConstantInfo>{});
  element.finish();
  return event;
}

}  // namespace parfait::io
