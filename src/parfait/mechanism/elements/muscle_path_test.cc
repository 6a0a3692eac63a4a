#include "parfait/mechanism/elements/muscle_path.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>

#include "parfait/mechanism/elements/registry.h"
#include "testing/random_models.h"
#include "testing/virtual_points.h"

// Paths by geometry against virtual points, against drawings, and against their own derivatives.
namespace parfait::mechanism {
namespace {

using Eigen::Vector3d;
using testing_support::Random;
using testing_support::VirtualPoints;

Leg<double> leg_round_cylinder(const Vector3d& a, const Vector3d& b, double r, double sense = 1) {
  Leg<double> leg;
  paths::Cylinder::wrap(a.data(), b.data(), r, sense, leg);
  return leg;
}
Leg<double> leg_round_sphere(const Vector3d& a, const Vector3d& b, double r) {
  Leg<double> leg;
  paths::Sphere::wrap(a.data(), b.data(), r, 1, leg);
  return leg;
}

TEST(MusclePath, OverAPulleyIsTwoTangentsAndAnArc) {
  // By hand: radius 3, ends 5 from the centre: tangents of 4, each 53.13 degrees beyond its end.
  const double r = 0.03, turn = 2.5;
  const Vector3d a(0.05, 0, 0), b(0.05 * std::cos(turn), 0.05 * std::sin(turn), 0);
  const double beyond = std::acos(0.6);
  const auto leg = leg_round_cylinder(a, b, r);
  EXPECT_NEAR(leg.length, 0.04 + 0.04 + r * (turn - 2 * beyond), 1e-16);
  EXPECT_NEAR(leg.wrap, turn - 2 * beyond, 1e-15);
  // The other way round.
  const auto other = leg_round_cylinder(a, b, r, -1);
  EXPECT_NEAR(other.length, 0.08 + r * (2 * std::numbers::pi - turn - 2 * beyond), 1e-15);
}

TEST(MusclePath, AgreesWithVirtualPointsRoundACylinder) {
  Random random(11);
  int compared = 0;
  for (int i = 0; i < 200; ++i) {
    VirtualPoints witness;
    witness.r = random.uniform(0.02, 0.04);
    const Vector3d a = random.vector(0.08), b = random.vector(0.08);
    if (a.head<2>().norm() < 1.1 * witness.r || b.head<2>().norm() < 1.1 * witness.r) continue;
    const auto leg = leg_round_cylinder(a, b, witness.r);
    if (!(leg.wrap > 0.2)) continue;
    // A guess: above the two ends, a little towards the middle of the turn.
    const auto on = [&](double angle, double z) {
      return Vector3d(witness.r * std::cos(angle), witness.r * std::sin(angle), z);
    };
    const double fa = std::atan2(a.y(), a.x()) + std::acos(witness.r / a.head<2>().norm()) + 0.02;
    const double fb = std::atan2(b.y(), b.x()) - std::acos(witness.r / b.head<2>().norm()) - 0.02;
    const double z = 0.5 * (a.z() + b.z());
    const double length =
        witness.length(a, b, on(fa, 0.5 * (a.z() + z)), on(fb, 0.5 * (z + b.z())));
    EXPECT_NEAR(leg.length, length, 1e-9) << i;
    ++compared;
  }
  EXPECT_GT(compared, 30);
}

TEST(MusclePath, AgreesWithVirtualPointsRoundASphere) {
  Random random(12);
  int compared = 0;
  for (int i = 0; i < 400; ++i) {
    VirtualPoints witness;
    witness.is_sphere = true;
    witness.r = random.uniform(0.02, 0.04);
    const Vector3d a = random.vector(0.08), b = random.vector(0.08);
    if (a.norm() < 1.1 * witness.r || b.norm() < 1.1 * witness.r) continue;
    const auto leg = leg_round_sphere(a, b, witness.r);
    if (!(leg.wrap > 0.2)) continue;
    const Vector3d middle = (a.normalized() + b.normalized()).normalized();
    const auto guess = [&](const Vector3d& p) {
      return Vector3d(witness.r * (0.5 * p.normalized() + middle).normalized());
    };
    EXPECT_NEAR(leg.length, witness.length(a, b, guess(a), guess(b)), 1e-9) << i;
    ++compared;
  }
  EXPECT_GT(compared, 30);
}

TEST(MusclePath, OfAPulleyIsLongerThanTheGeodesicWhereTheEndsAreAside) {
  // (6.15) as printed keeps the path in the plane of the pulley: right in the plane only.
  VirtualPoints witness;
  witness.r = 0.03;
  witness.is_pulley = true;
  const Vector3d guess_a(0.0, 0.03, 0), guess_b(-0.03, 0, 0);
  const Vector3d a(0.05, 0.04, 0.02), b(-0.05, -0.04, -0.02);
  const double pulley = witness.length(a, b, guess_a, guess_b);
  const double geodesic = leg_round_cylinder(a, b, 0.03).length;
  EXPECT_GT(pulley - geodesic, 1e-4);
  EXPECT_LT(pulley - geodesic, 5e-3);
  const Vector3d flat_a(0.05, 0.04, 0), flat_b(-0.05, -0.04, 0);
  EXPECT_NEAR(witness.length(flat_a, flat_b, guess_a, guess_b),
              leg_round_cylinder(flat_a, flat_b, 0.03).length, 1e-12);
}

template <class Wrap>
void expect_gradient(const Wrap& wrap, const Vector3d& a, const Vector3d& b) {
  const auto leg = wrap(a, b);
  const double h = 1e-5;
  for (int i = 0; i < 3; ++i) {
    const Vector3d e = h * Vector3d::Unit(i);
    // Central differences with h and h/2, extrapolated: error of the order h^4.
    const auto slope = [&](const Vector3d& da, const Vector3d& db) {
      const double wide = (wrap(a + da, b + db).length - wrap(a - da, b - db).length) / (2 * h);
      const double near =
          (wrap(a + 0.5 * da, b + 0.5 * db).length - wrap(a - 0.5 * da, b - 0.5 * db).length) / h;
      return (4 * near - wide) / 3;
    };
    EXPECT_NEAR(leg.by_a[i], slope(e, Vector3d::Zero()), 1e-9);
    EXPECT_NEAR(leg.by_b[i], slope(Vector3d::Zero(), e), 1e-9);
  }
}

TEST(MusclePath, HasTheGradientOfItsLength) {
  const Vector3d a(0.5, 0.3, -0.2), b(-0.4, -0.1, 0.4);
  expect_gradient([](const auto& x, const auto& y) { return leg_round_cylinder(x, y, 0.2); }, a, b);
  expect_gradient([](const auto& x, const auto& y) { return leg_round_cylinder(x, y, 0.2, -1); }, a,
                  b);
  expect_gradient([](const auto& x, const auto& y) { return leg_round_sphere(x, y, 0.2); }, a, b);
}

TEST(MusclePath, LiftsOffWhereItIsStraight) {
  // At lift-off both roads have the same length and the same gradient.
  const double r = 0.03;
  const Vector3d a(0.05, 0, 0.01);
  const double beyond = std::acos(0.6);
  const Vector3d b(0.05 * std::cos(2 * beyond), 0.05 * std::sin(2 * beyond), -0.03);
  const auto round = leg_round_cylinder(a, b, r);
  Leg<double> straight;
  paths::set_straight(a.data(), b.data(), straight);
  EXPECT_NEAR(round.wrap, 0, 1e-15);
  EXPECT_NEAR(round.length, straight.length, 1e-15);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(round.by_a[i], straight.by_a[i], 1e-14);
}

}  // namespace
}  // namespace parfait::mechanism
