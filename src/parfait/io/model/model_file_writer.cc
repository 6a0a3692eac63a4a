#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <pugixml.hpp>
#include <sstream>

#include "parfait/io/model/model_file.h"
#include "parfait/io/model/vocabulary_writer.h"
#include "parfait/io/text/number.h"
#include "parfait/io/text/text_file.h"
#include "parfait/io/text/value_reader.h"
#include "parfait/io/text/xml_attributes.h"
#include "parfait/mechanism/elements/constraint_types.h"

namespace parfait::io {
namespace {

using pugi::xml_node;

/// A value on its own; in a list value_list_text() is needed.
std::string value_text(const mechanism::Value& value) {
  return value.is_formula() ? value.formula : number_text(value.number);
}

std::string word(double x) {
  return number_text(x);
}
std::string word(const mechanism::Value& value) {
  return value.is_formula() ? list_word(value.formula) : number_text(value.number);
}

template <class List>
std::string value_list_text(const List& list) {
  std::string out;
  for (const auto& item : list) out += (out.empty() ? "" : " ") + word(item);
  return out;
}

bool is_zero(const mechanism::Number3& a) {
  return a == mechanism::Number3{0, 0, 0};
}

bool is_zero(const mechanism::Value3& a) {
  return std::all_of(a.begin(), a.end(),
                     [](const mechanism::Value& v) { return !v.is_formula() && v.number == 0; });
}

bool same(const mechanism::Value& a, const mechanism::Value& b) {
  return a.formula == b.formula && (a.is_formula() || a.number == b.number);
}

void write_frame(xml_node node, const mechanism::Frame& frame) {
  if (!is_zero(frame.o)) set(node, "o", value_list_text(frame.o));
  if (frame.has_x) set(node, "x", value_list_text(frame.x));
  if (frame.has_y) set(node, "y", value_list_text(frame.y));
  if (frame.has_z) set(node, "z", value_list_text(frame.z));
}

void write_velocity(xml_node body_node, const mechanism::Body& body) {
  const bool has_rates = !(is_zero(body.o_rate) && is_zero(body.x_rate) && is_zero(body.y_rate) &&
                           is_zero(body.z_rate));
  if (!has_rates && !body.v && !body.omega) return;
  xml_node node = body_node.append_child("velocity");
  if (body.v) set(node, "v", value_list_text(*body.v));
  if (body.omega) set(node, "omega", value_list_text(*body.omega));
  if (body.v || body.omega) return;
  set(node, "o", value_list_text(body.o_rate));
  set(node, "x", value_list_text(body.x_rate));
  set(node, "y", value_list_text(body.y_rate));
  set(node, "z", value_list_text(body.z_rate));
}

void write_inertia(xml_node body_node, const mechanism::Body& body) {
  const auto& I = body.inertia;
  xml_node node = body_node.append_child("moment_of_inertia");
  if (body.about == mechanism::InertiaPoint::kOrigin) set(node, "about", std::string("origin"));
  if (same(I[0][1], I[1][0]) && same(I[0][2], I[2][0]) && same(I[1][2], I[2][1])) {
    const std::array<mechanism::Value, 6> six{I[0][0], I[1][1], I[2][2], I[0][1], I[0][2], I[1][2]};
    node.text().set(value_list_text(six).c_str());
    return;
  }
  set(node, "x", value_list_text(I[0]));
  set(node, "y", value_list_text(I[1]));
  set(node, "z", value_list_text(I[2]));
}

void write_natural(xml_node node, const mechanism::NaturalBody& natural) {
  if (natural.coordinates != mechanism::NaturalBody().coordinates) {
    for (const auto& [name, choice] : mechanism::body_coordinates_names()) {
      if (choice == natural.coordinates) set(node, "coordinates", std::string(name));
    }
  }
  if (!natural.released.any()) return;
  std::string released;
  for (const auto& [name, flag] : mechanism::released_names()) {
    if (natural.released.*flag) released += (released.empty() ? "" : " ") + std::string(name);
  }
  set(node, "release", released);
}

void write_shape(xml_node parent, const mechanism::Shape& shape) {
  using Kind = mechanism::Shape::Kind;
  if (shape.kind == Kind::kOther) {
    parent.append_buffer(shape.text.data(), shape.text.size());
    return;
  }
  xml_node node = parent.append_child("shape");
  for (const auto& [name, kind] : mechanism::shape_kind_names()) {
    if (kind == shape.kind) set(node, "kind", std::string(name));
  }
  if (!is_zero(shape.size)) set(node, "size", value_list_text(shape.size));
  if (shape.radius > 0) set(node, "radius", shape.radius);
  if (shape.kind == Kind::kCylinder || shape.kind == Kind::kCapsule) {
    set(node, "from", value_list_text(shape.from));
    set(node, "to", value_list_text(shape.to));
  }
  if (!shape.file.empty()) set(node, "file", shape.file);
  if (shape.scale != 1) set(node, "scale", shape.scale);
  if (!is_zero(shape.o)) set(node, "o", value_list_text(shape.o));
  if (shape.x) set(node, "x", value_list_text(*shape.x));
  if (shape.z) set(node, "z", value_list_text(*shape.z));
  if (!shape.color.empty()) set(node, "color", shape.color);
  if (shape.opacity != 1) set(node, "opacity", shape.opacity);
}

void write_body(xml_node model, const mechanism::Body& body,
                const mechanism::NaturalBody& natural) {
  xml_node node = model.append_child("body");
  set(node, "id", body.id);
  set(node, "mass", value_text(body.mass));
  if (!is_zero(body.center_of_mass))
    set(node, "center_of_mass", value_list_text(body.center_of_mass));
  write_natural(node, natural);
  xml_node position = node.append_child("position");
  set(position, "o", value_list_text(body.o));
  set(position, "x", value_list_text(body.x));
  set(position, "y", value_list_text(body.y));
  set(position, "z", value_list_text(body.z));
  write_velocity(node, body);
  write_inertia(node, body);
  for (const auto& marker : body.markers) {
    xml_node child = node.append_child("marker");
    set(child, "id", marker.id);
    write_frame(child, marker.frame);
  }
  for (const auto& shape : body.shapes) write_shape(node, shape);
}

void write_end(xml_node element, const char* name, const mechanism::Marker& marker) {
  xml_node node = element.append_child(name);
  set(node, "body", marker.body);
  if (!marker.reference.empty()) {
    set(node, "marker", marker.reference);
  } else {
    write_frame(node, marker.frame);
  }
}

void write_constants(xml_node node, const std::vector<mechanism::NamedValue>& constants) {
  std::vector<mechanism::Value> by_position;
  for (const auto& constant : constants) {
    if (constant.name == fmt::format("Constant_{}", by_position.size())) {
      by_position.push_back(constant.value);
    } else {
      set(node, constant.name.c_str(), value_text(constant.value));
    }
  }
  if (!by_position.empty()) set(node, "constants", value_list_text(by_position));
}

void write_coordinate_function(xml_node node, const mechanism::CoordinateFunction& f) {
  if (f.is_identity()) return;
  if (f.kind == mechanism::CoordinateFunction::Kind::kFormula) {
    set(node, "formula", f.formula);
    return;
  }
  for (const auto& [name, kind] : mechanism::function_kind_names()) {
    if (kind == f.kind) set(node, "function", std::string(name));
  }
  if (!f.knots.empty()) set(node, "knots", list_text(f.knots));
  set(node, "constants", list_text(f.constants));
}

void write_motion(xml_node joint, const mechanism::JointMotion& motion) {
  for (const auto& c : motion.coordinates) {
    xml_node node = joint.append_child("coordinate");
    set(node, "id", c.id);
    for (const auto& [name, kind] : mechanism::coordinate_kind_names()) {
      if (kind == c.kind && kind != mechanism::Coordinate::Kind::kRotation) {
        set(node, "kind", std::string(name));
      }
    }
    if (c.initial != 0) set(node, "initial", c.initial);
    if (c.rate != 0) set(node, "rate", c.rate);
    if (std::isfinite(c.lower)) set(node, "lower", c.lower);
    if (std::isfinite(c.upper)) set(node, "upper", c.upper);
    if (c.clamped) set(node, "clamped", std::string("true"));
    if (c.locked) set(node, "locked", std::string("true"));
  }
  for (const auto& axis : motion.axes) {
    xml_node node = joint.append_child("axis");
    set(node, axis.turns ? "turn" : "slide", value_list_text(axis.axis));
    if (axis.coordinate.empty()) {
      set(node, "value", axis.function.constants[1]);
    } else {
      set(node, "coordinate", axis.coordinate);
      write_coordinate_function(node, axis.function);
    }
  }
}

void write_coupling(xml_node model, const mechanism::Coupling& coupling) {
  xml_node node = model.append_child("coupling");
  set(node, "coordinate", coupling.coordinate);
  set(node, "follows", coupling.follows);
  write_coordinate_function(node, coupling.function);
}

void write_skin_marker(xml_node model, const mechanism::SkinMarker& marker) {
  xml_node node = model.append_child("skin_marker");
  set(node, "name", marker.name);
  set(node, "body", marker.body);
  set(node, "o", value_list_text(marker.o));
  if (marker.fixed) set(node, "fixed", std::string("true"));
}

void write_joint(xml_node model, const mechanism::Joint& joint) {
  xml_node node = model.append_child("joint");
  set(node, "key", joint.key);
  set(node, "id", joint.id);
  write_constants(node, joint.constants);
  write_end(node, "begin", joint.begin);
  write_end(node, "end", joint.end);
  write_motion(node, joint.motion);
}

void write_constraint(xml_node model, const mechanism::Constraint& constraint) {
  xml_node node = model.append_child("constraint");
  set(node, "key", constraint.key);
  set(node, "id", constraint.id);
  const auto* type = mechanism::find_constraint(constraint.key);
  if (type && type->has_begin_axis()) {
    set(node, "begin_axis", std::string(1, constraint.begin_axis));
  }
  if (type && type->has_end_axis()) set(node, "end_axis", std::string(1, constraint.end_axis));
  set(node, "offset", value_text(constraint.offset));
  write_end(node, "begin", constraint.begin);
  write_end(node, "end", constraint.end);
}

void write_force(xml_node model, const mechanism::Force& force) {
  xml_node node = model.append_child("force");
  set(node, "key", force.key);
  set(node, "id", force.id);
  write_constants(node, force.constants);
  if (force.law.is_formula()) set(node, "law", force.law.formula);
  if (force.side != mechanism::Side::kBoth) {
    set(node, "side", std::string(force.side == mechanism::Side::kPush ? "push" : "pull"));
  }
  if (force.adhesion) set(node, "adhesion", std::string("true"));
  if (force.begin) write_end(node, "begin", *force.begin);
  for (const auto& via : force.via) write_end(node, "via", via);
  if (force.end) write_end(node, "end", *force.end);
}

void write_state(xml_node model, const mechanism::State& state) {
  xml_node node = model.append_child("state");
  set(node, "id", state.id);
  set(node, "initial", state.initial);
  if (state.derivative.is_formula()) set(node, "derivative", state.derivative.formula);
}

void write_event(xml_node model, const mechanism::Event& event,
                 const std::vector<std::string>& states) {
  xml_node node = model.append_child("event");
  if (event.key != "General") set(node, "key", event.key);
  set(node, "id", event.id);
  write_constants(node, event.constants);
  write_event_parts(node, event);
  if (event.begin) write_end(node, "begin", *event.begin);
  if (event.end) write_end(node, "end", *event.end);
  write_assignments(node, event, states);
}

void write_parameter(xml_node model, const mechanism::Parameter& parameter) {
  xml_node node = model.append_child("parameter");
  if (!parameter.id.empty()) set(node, "id", parameter.id);
  if (parameter.id.empty() && !parameter.targets.empty()) {
    // Kraus's form: the constant is the key, the element the text.
    const std::string& target = parameter.targets.front();
    const auto dot = target.find('.');
    set(node, "key", target.substr(dot + 1));
    node.text().set(target.substr(0, dot).c_str());
  } else if (!parameter.targets.empty()) {
    std::string drives;
    for (const auto& target : parameter.targets) drives += (drives.empty() ? "" : " ") + target;
    set(node, "drives", drives);
  }
  write_parameter_numbers(node, parameter);
}

}  // namespace

std::string model_text(const mechanism::Description& description) {
  pugi::xml_document document;
  xml_node model = document.append_child("model");
  if (!description.id.empty()) set(model, "id", description.id);
  if (description.natural.rank_tolerance != mechanism::NaturalCoordinates().rank_tolerance) {
    set(model, "rank_tolerance", number_text(description.natural.rank_tolerance));
  }
  for (const auto& remark : description.remarks) {
    model.append_child("remark").text().set(remark.c_str());
  }
  write_simulation(model, description.simulation);
  for (const auto& shape : description.shapes) write_shape(model, shape);
  for (const auto& body : description.bodies) {
    write_body(model, body, description.natural.of(body.id));
  }
  for (const auto& joint : description.joints) write_joint(model, joint);
  for (const auto& coupling : description.couplings) write_coupling(model, coupling);
  for (const auto& constraint : description.constraints) write_constraint(model, constraint);
  for (const auto& force : description.forces) write_force(model, force);
  for (const auto& state : description.states) write_state(model, state);
  for (const auto& input : description.inputs) write_input(model, input);
  std::vector<std::string> states;
  for (const auto& state : description.states) states.push_back(state.id);
  for (const auto& event : description.events) write_event(model, event, states);
  for (const auto& parameter : description.parameters) write_parameter(model, parameter);
  for (const auto& marker : description.skin_markers) write_skin_marker(model, marker);
  std::ostringstream out;
  document.save(out, "  ", pugi::format_default, pugi::encoding_utf8);
  return out.str();
}

mechanism::Description moved_model(const mechanism::Description& description,
                                   const std::filesystem::path& file) {
  mechanism::Description moved = description;
  move_inputs(moved.inputs, description.file, file);
  const auto move = [&](std::vector<mechanism::Shape>& shapes) {
    for (auto& shape : shapes) shape.file = moved_path(shape.file, description.file, file);
  };
  move(moved.shapes);
  for (auto& body : moved.bodies) move(body.shapes);
  return moved;
}

void write_model(const mechanism::Description& description, const std::filesystem::path& file) {
  write_text_file(file, model_text(moved_model(description, file)));
}

}  // namespace parfait::io
