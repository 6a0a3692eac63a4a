#include <fmt/format.h>

#include "parfait/io/model/element_reader.h"
#include "parfait/io/text/value_reader.h"

// Joints by axes, couplings and skin markers.
namespace parfait::io {
namespace {

std::vector<double> read_number_list(const Element& at, const Text& text, const char* what) {
  std::vector<double> out;
  for (const auto& word : split_list(text)) out.push_back(read_number(at, word, what));
  return out;
}

/// function="…" with its knots and constants, or formula="…".
mechanism::CoordinateFunction read_coordinate_function(Element& element) {
  using Kind = mechanism::CoordinateFunction::Kind;
  mechanism::CoordinateFunction f;
  f.place = element.place();
  const auto name = element.field("function");
  const auto knots = element.field("knots"), constants = element.field("constants");
  const auto formula = element.field("formula");
  if (name) {
    std::vector<std::pair<std::string, Kind>> choices;
    for (const auto& [word, kind] : mechanism::function_kind_names())
      choices.emplace_back(word, kind);
    f.kind = read_choice<Kind>(element, *name, "function", choices);
    f.place = name->place;
  } else if (formula) {
    f.kind = Kind::kFormula;
  }
  if (formula) {
    if (f.kind != Kind::kFormula) {
      element.fail(formula->place, "give a formula or another function, not both.");
    }
    f.formula = formula->text;
    f.place = formula->place;
  } else if (f.kind == Kind::kFormula) {
    element.fail_missing("formula");
  }
  if (knots) f.knots = read_number_list(element, *knots, "knots");
  if (constants) {
    f.constants = read_number_list(element, *constants, "constants");
  } else if (f.kind != Kind::kLinear) {
    f.constants.clear();
  }
  return f;
}

mechanism::Coordinate read_coordinate(Element& element) {
  using Kind = mechanism::Coordinate::Kind;
  mechanism::Coordinate c;
  c.place = element.place();
  c.id = element.required_field("id").text;
  element.set_context(fmt::format("coordinate \"{}\"", c.id));
  if (const auto kind = element.field("kind")) {
    std::vector<std::pair<std::string, Kind>> choices;
    for (const auto& [word, each] : mechanism::coordinate_kind_names()) {
      choices.emplace_back(word, each);
    }
    c.kind = read_choice<Kind>(element, *kind, "kind", choices);
  }
  c.initial = read_optional_number(element, "initial").value_or(0.0);
  c.rate = read_optional_number(element, "rate").value_or(0.0);
  c.lower = read_optional_number(element, "lower").value_or(c.lower);
  c.upper = read_optional_number(element, "upper").value_or(c.upper);
  c.clamped = read_flag(element, "clamped");
  c.locked = read_flag(element, "locked");
  element.finish();
  return c;
}

/// turn="x y z" or slide="x y z", by a function of a coordinate or by a constant `value`.
mechanism::MotionAxis read_motion_axis(Element& element) {
  mechanism::MotionAxis axis;
  axis.place = element.place();
  const auto turn = element.field("turn"), slide = element.field("slide");
  if (static_cast<bool>(turn) == static_cast<bool>(slide)) {
    element.fail(element.place(), "<axis> needs either \"turn\" or \"slide\", a direction.");
  }
  axis.turns = static_cast<bool>(turn);
  axis.axis = read_number3(element, turn ? *turn : *slide, turn ? "turn" : "slide");
  const auto coordinate = element.field("coordinate"), value = element.field("value");
  if (static_cast<bool>(coordinate) == static_cast<bool>(value)) {
    element.fail(element.place(), "<axis> needs either \"coordinate\" or \"value\".");
  }
  if (coordinate) {
    axis.coordinate = coordinate->text;
    axis.function = read_coordinate_function(element);
  } else {
    axis.function = mechanism::CoordinateFunction::constant(read_number(element, *value, "value"));
  }
  element.finish();
  return axis;
}

}  // namespace

mechanism::JointMotion read_motion(Element& joint) {
  mechanism::JointMotion motion;
  for (auto& element : joint.children("coordinate")) {
    motion.coordinates.push_back(read_coordinate(element));
  }
  for (auto& element : joint.children("axis")) motion.axes.push_back(read_motion_axis(element));
  return motion;
}

mechanism::Coupling read_coupling(Element& element) {
  mechanism::Coupling coupling;
  coupling.place = element.place();
  coupling.coordinate = element.required_field("coordinate").text;
  element.set_context(fmt::format("coupling \"{}\"", coupling.coordinate));
  coupling.follows = element.required_field("follows").text;
  coupling.function = read_coordinate_function(element);
  element.finish();
  return coupling;
}

mechanism::SkinMarker read_skin_marker(Element& element) {
  mechanism::SkinMarker marker;
  marker.place = element.place();
  marker.name = element.required_field("name").text;
  element.set_context(fmt::format("skin_marker \"{}\"", marker.name));
  marker.body = element.required_field("body").text;
  if (const auto o = element.field("o")) marker.o = read_number3(element, *o, "o");
  marker.fixed = read_flag(element, "fixed");
  element.finish();
  return marker;
}

}  // namespace parfait::io
