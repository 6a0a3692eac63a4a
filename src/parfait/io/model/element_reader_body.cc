#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "parfait/io/model/element_reader.h"
#include "parfait/io/model/vocabulary_reader.h"
#include "parfait/io/text/value_reader.h"

namespace parfait::io {
namespace {

void read_position(Element element, mechanism::Body& body) {
  body.position_place = element.place();
  if (const auto o = element.field("o")) body.o = read_number3(element, *o, "position o");
  const auto axes = read_angles(element);
  if (axes) {
    body.x = (*axes)[0];
    body.y = (*axes)[1];
    body.z = (*axes)[2];
  }
  const auto read_axis = [&](const char* name, mechanism::Number3& axis) {
    const auto text = element.field(name);
    if (!text) return;
    if (axes) element.fail(text->place, fmt::format("give the axis {} or angles, not both.", name));
    axis = read_number3(element, *text, fmt::format("position {}", name));
  };
  read_axis("x", body.x);
  read_axis("y", body.y);
  read_axis("z", body.z);
  element.finish();
}

void read_velocity(Element element, mechanism::Body& body) {
  std::optional<Text> rate;  // the last one given
  const auto read_rate = [&](const char* name, mechanism::Number3& value) {
    const auto text = element.field(name);
    if (!text) return;
    rate = text;
    value = read_number3(element, *text, fmt::format("velocity {}", name));
  };
  read_rate("o", body.o_rate);
  read_rate("x", body.x_rate);
  read_rate("y", body.y_rate);
  read_rate("z", body.z_rate);
  if (const auto v = element.field("v")) body.v = read_number3(element, *v, "velocity v");
  if (const auto omega = read_field_with_unit(element, "omega")) {
    body.omega = read_number3(element, omega->text, "velocity omega");
    const bool degrees = omega->unit && read_choice<bool>(element, *omega->unit, "unit",
                                                          {{"rad/s", false}, {"deg/s", true}});
    if (degrees) {
      for (double& component : *body.omega) component *= std::numbers::pi / 180;
    }
  }
  if (rate && (body.v || body.omega)) {
    element.fail(rate->place, "velocity: give the rates o, x, y, z or v and omega, not both.");
  }
  element.finish();
}

/// "ixx iyy izz" or "ixx iyy izz ixy ixz iyz".
void read_compact_inertia(const Element& at, const Text& text, mechanism::Body& body) {
  constexpr const char* kWhat = "moment_of_inertia";
  const auto words = split_list(text);
  if (words.size() != 3 && words.size() != 6) {
    at.fail(text.place,
            fmt::format("{} needs 3 numbers (xx yy zz) or 6 (xx yy zz xy xz yz), found {}.", kWhat,
                        words.size()));
  }
  constexpr std::size_t kRow[] = {0, 1, 2, 0, 0, 1};
  constexpr std::size_t kColumn[] = {0, 1, 2, 1, 2, 2};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto value = read_value(at, words[i], kWhat);
    body.inertia[kRow[i]][kColumn[i]] = value;
    body.inertia[kColumn[i]][kRow[i]] = value;
  }
}

void read_inertia(Element element, mechanism::Body& body) {
  if (const auto about = element.attribute("about")) {
    body.about = read_choice<mechanism::InertiaPoint>(
        element, *about, "about",
        {{"center_of_mass", mechanism::InertiaPoint::kCenterOfMass},
         {"origin", mechanism::InertiaPoint::kOrigin}});
  }
  const Text compact = element.text();
  if (!compact.text.empty()) {
    read_compact_inertia(element, compact, body);
  } else {
    constexpr const char* kRows[] = {"x", "y", "z"};
    for (std::size_t i = 0; i < 3; ++i) {
      const auto what = fmt::format("moment_of_inertia {}", kRows[i]);
      body.inertia[i] = read_value3(element, element.required_field(kRows[i]), what);
    }
  }
  element.finish();
}

mechanism::BodyCoordinates read_coordinates(const Element& at, const Text& text) {
  std::vector<std::pair<std::string, mechanism::BodyCoordinates>> choices;
  for (const auto& [name, choice] : mechanism::body_coordinates_names()) {
    choices.emplace_back(name, choice);
  }
  return read_choice(at, text, "coordinates", choices);
}

mechanism::Released read_released(const Element& at, const Text& text) {
  std::vector<std::pair<std::string, bool mechanism::Released::*>> flags;
  for (const auto& [name, flag] : mechanism::released_names()) flags.emplace_back(name, flag);
  mechanism::Released released;
  for (const auto& word : split_names(text)) {
    released.*read_choice(at, word, "release", flags) = true;
  }
  return released;
}

mechanism::Marker read_body_marker(Element element, const mechanism::Body& body) {
  mechanism::Marker marker;
  marker.place = element.place();
  marker.id = element.required_field("id").text;
  marker.body = body.id;
  element.set_context(fmt::format("{}: marker \"{}\"", element.context(), marker.id));
  marker.frame = read_frame(element);
  element.finish();
  return marker;
}

}  // namespace

mechanism::Body read_body(Element& element, mechanism::NaturalCoordinates& natural,
                          const std::filesystem::path& folder) {
  mechanism::Body body;
  body.place = element.place();
  body.id = read_id(element);
  if (auto position = element.child("position")) read_position(std::move(*position), body);
  if (auto velocity = element.child("velocity")) read_velocity(std::move(*velocity), body);
  body.mass = read_value(element, element.required_field("mass"), "mass");
  if (const auto center = element.field("center_of_mass")) {
    body.center_of_mass = read_value3(element, *center, "center_of_mass");
  }
  if (const auto compact = element.attribute("moment_of_inertia")) {
    read_compact_inertia(element, *compact, body);
    if (const auto also = element.child("moment_of_inertia")) {
      element.fail(also->place(), "<moment_of_inertia> is given twice: it is an attribute too.");
    }
  } else if (auto inertia = element.child("moment_of_inertia")) {
    read_inertia(std::move(*inertia), body);
  }
  if (const auto coordinates = element.field("coordinates")) {
    auto& own = natural.bodies[body.id];
    own.coordinates = read_coordinates(element, *coordinates);
    own.coordinates_place = coordinates->place;
  }
  if (const auto release = element.field("release")) {
    auto& own = natural.bodies[body.id];
    own.released = read_released(element, *release);
    own.released_place = release->place;
  }
  for (auto& marker : element.children("marker")) {
    body.markers.push_back(read_body_marker(std::move(marker), body));
  }
  for (auto& shape : element.children("shape")) body.shapes.push_back(read_shape(shape, folder));
  element.finish();
  return body;
}

}  // namespace parfait::io
