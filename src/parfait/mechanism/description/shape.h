#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>

#include "parfait/base/error.h"

namespace parfait::mechanism {

/// How a body looks: no mechanics. Lengths in m, in the frame of the body (of the world, where it
/// belongs to the model).
struct Shape {
  enum class Kind {
    kBox,        ///< edges `size` along x, y, z, about o
    kSphere,     ///< `radius` about o
    kEllipsoid,  ///< diameters `size` along x, y, z, about o
    kCylinder,   ///< `radius` about the line between `from` and `to`
    kCapsule,    ///< the same with a half sphere at each end
    kMesh,       ///< triangles of `file`, times `scale`, in the frame o, x, y, z
    kOther       ///< an element without `kind`: kept as it was written, not drawn
  };
  using Number3 = std::array<double, 3>;

  Kind kind = Kind::kOther;
  Number3 size{0, 0, 0};
  double radius = 0;
  Number3 from{0, 0, 0}, to{0, 0, 0};
  std::string file{};  ///< OBJ or STL, as seen from the folder of the model file
  double scale = 1;
  Number3 o{0, 0, 0};
  /// Axes, of any length; x is made perpendicular to z, and y = z x x. Default: those of the body.
  std::optional<Number3> x{}, z{};
  std::string color{};  ///< "#rrggbb"; empty: the viewer chooses
  double opacity = 1;
  std::string text{};  ///< kOther: the element as XML
  base::Place place{};
};

/// The names of the kinds in a model file.
struct ShapeKindName {
  const char* name;
  Shape::Kind kind;
};
std::span<const ShapeKindName> shape_kind_names();

/// The axes x, y, z of the shape in the body's frame, orthonormal.
std::array<Shape::Number3, 3> axes_of(const Shape& shape);

}  // namespace parfait::mechanism
