#include "parfait/run/scene/made_up_shapes.h"

#include <algorithm>
#include <cmath>

#include "parfait/math/dense_solves.h"

namespace parfait::run {
namespace made_up_shapes {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

result::Point3 point3(const Vector3d& v) {
  return {v.x(), v.y(), v.z()};
}

/// Points that are not the same.
std::vector<Vector3d> distinct(const std::vector<Vector3d>& points, double tolerance) {
  std::vector<Vector3d> out;
  for (const auto& p : points) {
    const bool known = std::any_of(out.begin(), out.end(),
                                   [&](const Vector3d& q) { return (p - q).norm() <= tolerance; });
    if (!known) out.push_back(p);
  }
  return out;
}

result::SceneShape rod(const Vector3d& from, const Vector3d& to, double extent) {
  result::SceneShape shape;
  shape.kind = "capsule";
  shape.from = point3(from);
  shape.to = point3(to);
  const double length = (to - from).norm();
  shape.radius = std::clamp(0.04 * length, 0.006 * extent, 0.02 * extent);
  shape.made_up = true;
  return shape;
}

/// Principal axes: the columns of `axes`, right-handed, by ascending extent.
struct Principal {
  Vector3d values;
  Matrix3d axes;
};
Principal principal(const Matrix3d& A) {
  const auto pairs = math::symmetric_eigen_pairs(A);
  Principal out{pairs.values, pairs.vectors};
  if (out.axes.determinant() < 0) out.axes.col(2) *= -1;
  return out;
}

void turn(const Matrix3d& axes, result::SceneShape& shape) {
  shape.x = point3(axes.col(0));
  shape.y = point3(axes.col(1));
  shape.z = point3(axes.col(2));
}

/// The box with the mass and the principal moments of the body: along axis i,
/// a_i^2 = 6 (I_j + I_k - I_i) / m.
result::SceneShape box(const BodyOutline& body, double extent) {
  result::SceneShape shape;
  shape.made_up = true;
  shape.o = point3(body.com);
  const auto [I, axes] = principal(body.inertia);
  Vector3d size;
  for (int i = 0; i < 3; ++i) {
    const double rest = I[(i + 1) % 3] + I[(i + 2) % 3] - I[i];
    size[i] = body.mass > 0 ? std::sqrt(std::max(0.0, 6 * rest / body.mass)) : 0;
  }
  // A box without inertia, or one that would fill the picture, is a ball.
  if (!(size.maxCoeff() > 1e-3 * extent) || size.maxCoeff() > 3 * extent) {
    shape.kind = "sphere";
    shape.radius = 0.03 * extent;
    return shape;
  }
  shape.kind = "box";
  size = size.cwiseMax(0.05 * size.maxCoeff());
  shape.size = point3(size);
  turn(axes, shape);
  return shape;
}

/// The convex hull of points of a plane (A. M. Andrew, 1979), as indices against the clock.
std::vector<std::size_t> hull(const std::vector<Eigen::Vector2d>& points) {
  std::vector<std::size_t> order(points.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return points[a].x() != points[b].x() ? points[a].x() < points[b].x()
                                          : points[a].y() < points[b].y();
  });
  const auto turns_left = [&](std::size_t a, std::size_t b, std::size_t c) {
    const Eigen::Vector2d u = points[b] - points[a], v = points[c] - points[a];
    return u.x() * v.y() - u.y() * v.x() > 0;
  };
  std::vector<std::size_t> out;
  for (int half = 0; half < 2; ++half) {
    const std::size_t start = out.size();
    for (const std::size_t i : order) {
      while (out.size() >= start + 2 && !turns_left(out[out.size() - 2], out.back(), i)) {
        out.pop_back();
      }
      out.push_back(i);
    }
    out.pop_back();
    std::reverse(order.begin(), order.end());
  }
  return out;
}

/// A plate through points that lie near a plane; otherwise rods from the centre of mass to each.
std::vector<result::SceneShape> plate(const BodyOutline& body, const std::vector<Vector3d>& points,
                                      double extent) {
  Vector3d middle = Vector3d::Zero();
  for (const auto& p : points) middle += p / static_cast<double>(points.size());
  Matrix3d scatter = Matrix3d::Zero();
  for (const auto& p : points) {
    const Vector3d d = p - middle;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) scatter(i, j) += d[i] * d[j];
    }
  }
  const auto [spread, axes] = principal(scatter);
  constexpr double kFlat = 0.02, kLine = 0.003;  // of squares
  if (spread[1] <= kLine * spread[2]) {          // on a line: a rod between the farthest
    const auto along = [&axes = axes](const Vector3d& p) { return p.dot(axes.col(2)); };
    const auto [a, b] = std::minmax_element(
        points.begin(), points.end(),
        [&](const Vector3d& p, const Vector3d& q) { return along(p) < along(q); });
    return {rod(*a, *b, extent)};
  }
  if (spread[0] > kFlat * spread[2]) {
    std::vector<result::SceneShape> star;
    for (const auto& p : points) {
      if ((p - body.com).norm() > 1e-6 * extent) star.push_back(rod(body.com, p, extent));
    }
    return star;
  }
  std::vector<Eigen::Vector2d> flat;
  flat.reserve(points.size());
  for (const auto& p : points) {
    flat.emplace_back((p - middle).dot(axes.col(1)), (p - middle).dot(axes.col(2)));
  }
  result::SceneShape shape;
  shape.kind = "plate";
  shape.made_up = true;
  shape.radius = 0.012 * extent;
  // x and y along the plate, z across it.
  Matrix3d turned;
  turned.col(0) = axes.col(1);
  turned.col(1) = axes.col(2);
  turned.col(2) = axes.col(0);
  turn(turned, shape);
  shape.o = point3(middle);
  for (const std::size_t i : hull(flat)) shape.points.push_back({flat[i].x(), flat[i].y(), 0});
  return {shape};
}

}  // namespace
}  // namespace made_up_shapes

std::vector<result::SceneShape> make_up_shapes(const BodyOutline& body, double extent) {
  const double close = 1e-6 * extent;
  const auto points = made_up_shapes::distinct(body.points, close);
  if (points.size() >= 3) return made_up_shapes::plate(body, points, extent);
  if (points.size() == 2) return {made_up_shapes::rod(points[0], points[1], extent)};
  if (points.size() == 1 && (body.com - points[0]).norm() > 0.02 * extent) {
    return {made_up_shapes::rod(points[0], 2 * body.com - points[0], extent)};
  }
  return {made_up_shapes::box(body, extent)};
}

}  // namespace parfait::run
