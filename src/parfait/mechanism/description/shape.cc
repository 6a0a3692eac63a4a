#include "parfait/mechanism/description/shape.h"

#include <cmath>

namespace parfait::mechanism {
namespace shape_axes {
namespace {

using Number3 = Shape::Number3;

double dot(const Number3& a, const Number3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

Number3 cross(const Number3& a, const Number3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Number3 unit(const Number3& a) {
  const double length = std::sqrt(dot(a, a));
  return {a[0] / length, a[1] / length, a[2] / length};
}

/// The axis of the world that is farthest from `a`, made perpendicular to it.
Number3 any_normal(const Number3& a) {
  Number3 e{0, 0, 0};
  std::size_t least = 0;
  for (std::size_t i = 1; i < 3; ++i) {
    if (std::abs(a[i]) < std::abs(a[least])) least = i;
  }
  e[least] = 1;
  return unit(cross(cross(a, e), a));
}

}  // namespace
}  // namespace shape_axes

std::span<const ShapeKindName> shape_kind_names() {
  static constexpr ShapeKindName kNames[] = {{"box", Shape::Kind::kBox},
                                             {"sphere", Shape::Kind::kSphere},
                                             {"ellipsoid", Shape::Kind::kEllipsoid},
                                             {"cylinder", Shape::Kind::kCylinder},
                                             {"capsule", Shape::Kind::kCapsule},
                                             {"mesh", Shape::Kind::kMesh}};
  return kNames;
}

std::array<Shape::Number3, 3> axes_of(const Shape& shape) {
  using shape_axes::cross;
  using shape_axes::unit;
  if (!shape.x && !shape.z) return {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  if (!shape.z) {
    const auto x = unit(*shape.x), z = shape_axes::any_normal(x);
    return {x, cross(z, x), z};
  }
  const auto z = unit(*shape.z);
  // x x z x x keeps the part of x that is perpendicular to z.
  const auto x = shape.x ? unit(cross(cross(z, *shape.x), z)) : shape_axes::any_normal(z);
  return {x, cross(z, x), z};
}

}  // namespace parfait::mechanism
