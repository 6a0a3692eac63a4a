#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <span>

#include "parfait/io/model/element_reader.h"
#include "parfait/io/text/value_reader.h"

namespace parfait::io {
namespace shape_reader {
namespace {

using mechanism::Number3;
using mechanism::Shape;
using Kind = Shape::Kind;

double length_squared(const Number3& a) {
  return a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
}

Number3 cross(const Number3& a, const Number3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

double read_positive(Element& element, const char* name) {
  const Text text = element.required_field(name);
  const double value = read_number(element, text, name);
  if (!(value > 0)) element.fail(text.place, fmt::format("{} = {:g}: must be > 0.", name, value));
  return value;
}

/// o, and the axes x and z, or angles instead of them.
void read_place(Element& element, Shape& shape) {
  if (const auto o = element.field("o")) shape.o = read_number3(element, *o, "o");
  const auto angles = read_angles(element);
  if (angles) {
    shape.x = (*angles)[0];
    shape.z = (*angles)[2];
  }
  const auto read_axis = [&](const char* name, std::optional<Number3>& axis) {
    const auto text = element.field(name);
    if (!text) return;
    if (angles) {
      element.fail(text->place, fmt::format("give the axis {} or angles, not both.", name));
    }
    axis = read_number3(element, *text, name);
    if (length_squared(*axis) == 0) {
      element.fail(text->place, fmt::format("the axis {} must not be zero.", name));
    }
  };
  read_axis("x", shape.x);
  read_axis("z", shape.z);
  if (!shape.x || !shape.z) return;
  const double sine_squared = length_squared(cross(*shape.x, *shape.z)) /
                              (length_squared(*shape.x) * length_squared(*shape.z));
  if (sine_squared < 1e-12) element.fail(element.place(), "the axes x and z must not be parallel.");
}

void read_size(Element& element, Shape& shape) {
  const Text text = element.required_field("size");
  shape.size = read_number3(element, text, "size");
  if (std::any_of(shape.size.begin(), shape.size.end(), [](double x) { return !(x > 0); })) {
    element.fail(text.place, "size: all three lengths must be > 0.");
  }
}

/// The ends of an axis: `from` (default: the origin) and `to`.
void read_span(Element& element, Shape& shape) {
  shape.radius = read_positive(element, "radius");
  if (const auto from = element.field("from")) shape.from = read_number3(element, *from, "from");
  const Text to = element.required_field("to");
  shape.to = read_number3(element, to, "to");
  if (shape.from == shape.to) element.fail(to.place, "\"from\" and \"to\" are the same point.");
}

void read_mesh(Element& element, const std::filesystem::path& folder, Shape& shape) {
  const Text file = element.required_field("file");
  shape.file = file.text;
  std::string ending = std::filesystem::path(file.text).extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
  if (ending != ".obj" && ending != ".stl") {
    element.fail(file.place,
                 fmt::format("\"{}\": meshes are read from .obj and .stl files.", file.text));
  }
  if (!std::filesystem::is_regular_file(folder / file.text)) {
    element.fail(file.place,
                 fmt::format("there is no file \"{}\".", (folder / file.text).string()));
  }
  if (const auto scale = read_optional_number(element, "scale")) shape.scale = *scale;
  if (!(shape.scale > 0)) element.fail(element.place(), "scale: must be > 0.");
  read_place(element, shape);
}

void read_color(Element& element, Shape& shape) {
  const auto color = element.field("color");
  if (!color) return;
  const auto& text = color->text;
  const bool good = (text.size() == 7 || text.size() == 4) && text[0] == '#' &&
                    std::all_of(text.begin() + 1, text.end(),
                                [](unsigned char c) { return std::isxdigit(c) != 0; });
  if (!good) {
    element.fail(
        color->place,
        fmt::format("color \"{}\": must be written as #rrggbb, for example #0072b2.", text));
  }
  shape.color = text;
}

}  // namespace
}  // namespace shape_reader

mechanism::Shape read_shape(Element& element, const std::filesystem::path& folder) {
  using mechanism::Shape;
  using Kind = Shape::Kind;
  Shape shape;
  shape.place = element.place();
  const auto kind = element.field("kind");
  if (!kind) {
    shape.text = element.xml_text();
    return shape;
  }
  element.set_context(element.context() + ": shape");
  std::vector<std::pair<std::string, Kind>> kinds;
  for (const auto& [name, known] : mechanism::shape_kind_names()) kinds.emplace_back(name, known);
  shape.kind = read_choice(element, *kind, "kind", kinds);
  switch (shape.kind) {
    case Kind::kBox:
    case Kind::kEllipsoid:
      shape_reader::read_size(element, shape);
      shape_reader::read_place(element, shape);
      break;
    case Kind::kSphere:
      shape.radius = shape_reader::read_positive(element, "radius");
      if (const auto o = element.field("o")) shape.o = read_number3(element, *o, "o");
      break;
    case Kind::kCylinder:
    case Kind::kCapsule:
      shape_reader::read_span(element, shape);
      break;
    case Kind::kMesh:
      shape_reader::read_mesh(element, folder, shape);
      break;
    case Kind::kOther:
      break;
  }
  shape_reader::read_color(element, shape);
  if (const auto opacity = element.field("opacity")) {
    shape.opacity = read_number(element, *opacity, "opacity");
    if (!(shape.opacity > 0 && shape.opacity <= 1)) {
      element.fail(opacity->place, "opacity: must be > 0 and at most 1.");
    }
  }
  element.finish();
  return shape;
}

}  // namespace parfait::io
