#include "parfait/tree/build/described_motion.h"

#include <cmath>

namespace parfait::tree {
namespace {

Vec3<double> vec(const mechanism::Number3& a) {
  return {a[0], a[1], a[2]};
}
Vec3<double> unit_of(const Vec3<double>& a) {
  return (1 / std::sqrt(dot(a, a))) * a;
}

}  // namespace

DescribedMotion described_motion(const mechanism::Body& body) {
  DescribedMotion out;
  // Gram-Schmidt: x keeps its direction, y stays in the x-y plane.
  const Vec3<double> x = unit_of(vec(body.x));
  const Vec3<double> given_y = vec(body.y);
  const Vec3<double> y = unit_of(given_y - dot(given_y, x) * x);
  const Vec3<double> cross_xy = cross(x, y);
  const Vec3<double> z = dot(cross_xy, vec(body.z)) < 0 ? -cross_xy : cross_xy;
  out.X = {{x, y, z}, vec(body.o)};
  out.v = body.v ? vec(*body.v) : vec(body.o_rate);
  if (body.omega) {
    out.omega = vec(*body.omega);
    return out;
  }
  // The rotation that the rates of the axes contain: x' = omega x x + (stretch along x), and the
  // turn of y about x.
  const double length = std::sqrt(dot(vec(body.x), vec(body.x)));
  const Vec3<double> xd = (1 / length) * vec(body.x_rate);
  const Vec3<double> side = given_y - dot(given_y, x) * x;
  const double width = std::sqrt(dot(side, side));
  const Vec3<double> across = cross(x, y);
  const double turn_z = dot(y, xd), turn_y = -dot(across, xd);
  // Along `across`, y' = omega_x |side| and, from the part along x, (y . x) times that of x'.
  const double turn_x = (dot(across, vec(body.y_rate)) - dot(given_y, x) * dot(across, xd)) / width;
  out.omega = turn_x * x + turn_y * y + turn_z * across;
  return out;
}

RelativeMotion relative_motion(const DescribedMotion& parent, const Transform<double>& X_PJ,
                               const DescribedMotion& body, const Transform<double>& X_BJ) {
  const Transform<double> on_parent = parent.X * X_PJ, on_body = body.X * X_BJ;
  RelativeMotion out;
  out.X = inverse(on_parent) * on_body;
  out.omega = transposed_times(on_body.R, body.omega - parent.omega);
  const Vec3<double> velocity = body.v + cross(body.omega, on_body.p - body.X.p);
  const Vec3<double> carried = parent.v + cross(parent.omega, on_body.p - parent.X.p);
  out.v = transposed_times(on_parent.R, velocity - carried);
  return out;
}

void to_quaternion(const Mat3<double>& R, double* q) {
  // 4 q_i^2 of each entry; begin with the largest.
  const double xx = R.x.x, yy = R.y.y, zz = R.z.z;
  const double four[4] = {1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz};
  int largest = 0;
  for (int i = 1; i < 4; ++i) {
    if (four[i] > four[largest] * (1 + 1e-12)) largest = i;
  }
  const double s = std::sqrt(four[largest]);
  const double wx = R.y.z - R.z.y, wy = R.z.x - R.x.z, wz = R.x.y - R.y.x;
  const double xy = R.y.x + R.x.y, xz = R.z.x + R.x.z, yz = R.z.y + R.y.z;
  const double rows[4][4] = {
      {four[0], wx, wy, wz}, {wx, four[1], xy, xz}, {wy, xy, four[2], yz}, {wz, xz, yz, four[3]}};
  for (int i = 0; i < 4; ++i) q[i] = rows[largest][i] / (2 * s);
}

}  // namespace parfait::tree
