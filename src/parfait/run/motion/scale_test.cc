#include "parfait/run/motion/scale.h"

#include <gtest/gtest.h>

#include <cmath>

#include "parfait/io/foreign/osim.h"
#include "parfait/io/foreign/osim_writer.h"
#include "parfait/io/text/text_file.h"
#include "parfait/motion/scaling/body_scaling.h"
#include "parfait/motion/skeleton/mechanism_skeleton.h"

namespace parfait::run::scale_test {
namespace {

using motion::Vec3;

std::string generic_text() {
  return io::read_text_file(PARFAIT_SOURCE_DIR "/examples/subject_calibration/generic.osim");
}

/// Places of all markers in a pose, with a geometry.
std::vector<Vec3<double>> markers_at(const motion::Skeleton& skeleton,
                                     const motion::Geometry& geometry) {
  motion::BoundGeometry bound;
  motion::bind(skeleton, geometry, bound);
  const motion::MarkerPlan plan(skeleton);
  motion::MarkerKinematics kinematics(skeleton, plan);
  kinematics.bind(bound);
  std::vector<double> q = skeleton.initial_position();
  for (std::size_t j = 0; j < q.size(); ++j) q[j] += 0.3 * std::sin(1.0 + static_cast<double>(j));
  kinematics.place(q);
  return kinematics.positions();
}

double distance(const std::vector<Vec3<double>>& a, const std::vector<Vec3<double>>& b) {
  double most = 0;
  for (std::size_t m = 0; m < a.size(); ++m) {
    const auto d = a[m] - b[m];
    most = std::max(most, std::sqrt(dot(d, d)));
  }
  return most;
}

/// Other factors for every body and axis.
motion::Geometry scaled(const motion::Skeleton& skeleton) {
  motion::Geometry geometry(skeleton);
  for (std::size_t b = 0; b < geometry.scale.size(); ++b) {
    const auto k = static_cast<double>(b);
    geometry.scale[b] = {1 + 0.2 * std::sin(k + 1), 1 + 0.15 * std::cos(2 * k),
                         1 - 0.1 * std::sin(3 * k + 2)};
  }
  return geometry;
}

// The knees of this model slide along polynomials in frames that are turned on the femur.
TEST(BodyScaling, ScaledDescriptionMovesLikeTheScaledGeometry) {
  const auto original = io::read_osim_text(generic_text(), "generic.osim");
  const auto skeleton = motion::make_skeleton(original);
  const auto geometry = scaled(skeleton);
  auto description = original;
  motion::scale_geometry(description, motion::factors_of(skeleton, geometry));
  const auto rebuilt = motion::make_skeleton(description);
  const auto expected = markers_at(skeleton, geometry);
  ASSERT_GT(distance(expected, markers_at(skeleton, motion::Geometry(skeleton))), 0.05);
  EXPECT_LT(distance(markers_at(rebuilt, motion::Geometry(rebuilt)), expected), 1e-12);

  // The displacements matter, and OpenSim's rule is another one: the test would see it.
  auto theirs = original;
  motion::scale_geometry(theirs, motion::factors_of(skeleton, geometry),
                         motion::ScalingRule::kOpenSim);
  const auto other = motion::make_skeleton(theirs);
  EXPECT_GT(distance(markers_at(other, motion::Geometry(other)), expected), 1e-4);
}

TEST(BodyScaling, WrittenModelMovesLikeTheGeometryWithMovedJointsAndMarkers) {
  const auto text = generic_text();
  const auto original = io::read_osim_text(text, "generic.osim");
  const auto skeleton = motion::make_skeleton(original);
  auto geometry = scaled(skeleton);
  const auto femur = static_cast<std::size_t>(skeleton.find_body("femur_r"));
  const auto tibia = static_cast<std::size_t>(skeleton.find_body("tibia_r"));
  geometry.parent_place[femur] += Vec3<double>{0.01, -0.02, 0.005};
  geometry.parent_turn[tibia] = {0.1, -0.05, 0.2};
  geometry.place[3] += Vec3<double>{0.02, 0.01, -0.03};
  auto description = original;
  motion::set_geometry(description, skeleton, geometry, 70);
  EXPECT_NEAR(motion::total_mass(description), 70, 1e-12);
  std::vector<std::string> told;
  const auto written = io::osim_text(text, "generic.osim", description,
                                     motion::factors_of(skeleton, geometry), told);
  const auto again = motion::make_skeleton(io::read_osim_text(written, "written.osim"));
  EXPECT_LT(distance(markers_at(again, motion::Geometry(again)), markers_at(skeleton, geometry)),
            1e-12);
}

/// A body of points: mass, centre, inertia about the centre.
mechanism::Description points_body(const std::vector<std::array<double, 4>>& points) {
  mechanism::Description out;
  auto& body = out.bodies.emplace_back();
  body.id = "b";
  double mass = 0, c[3] = {};
  for (const auto& p : points) {
    mass += p[3];
    for (int k = 0; k < 3; ++k) c[k] += p[3] * p[k];
  }
  body.mass.number = mass;
  for (int k = 0; k < 3; ++k) body.center_of_mass[k].number = c[k] / mass;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      double sum = 0;
      for (const auto& p : points) {
        double r[3], square = 0;
        for (int k = 0; k < 3; ++k) {
          r[k] = p[k] - c[k] / mass;
          square += r[k] * r[k];
        }
        sum += p[3] * ((i == j ? square : 0) - r[i] * r[j]);
      }
      body.inertia[i][j].number = sum;
    }
  }
  return out;
}

TEST(BodyScaling, InertiaIsThatOfTheStretchedPoints) {
  const std::vector<std::array<double, 4>> points{
      {0.1, 0.4, -0.2, 1.5}, {-0.3, 0.2, 0.5, 2}, {0.2, -0.6, 0.1, 0.7}, {0, 0.3, 0.3, 1.1}};
  const std::array<double, 3> s{1.3, 0.8, 1.1};
  auto stretched = points;
  for (auto& p : stretched) {
    for (std::size_t k = 0; k < 3; ++k) p[k] *= s[k];
  }
  const auto expected = points_body(stretched).bodies[0];
  auto found = points_body(points);
  motion::scale_geometry(found, {{"b", s}});
  motion::scale_masses(found, {{"b", s}}, {});
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(found.bodies[0].center_of_mass[i].number, expected.center_of_mass[i].number, 1e-15);
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_NEAR(found.bodies[0].inertia[i][j].number, expected.inertia[i][j].number, 1e-14);
    }
  }
}

// OpenSim takes a body for a cylinder about its end: of such a one its rule is exact.
TEST(BodyScaling, OpenSimsInertiaIsThatOfTheScaledCylinder) {
  const double m = 3, r2 = 0.01, l2 = 0.16;
  const std::array<double, 3> s{1.2, 1.5, 1.2};
  mechanism::Description d;
  auto& body = d.bodies.emplace_back();
  body.id = "b";
  body.mass.number = m;
  body.inertia[1][1].number = m * r2 / 2;
  body.inertia[0][0].number = body.inertia[2][2].number = m * (l2 / 3 + r2 / 4);
  motion::scale_masses(d, {{"b", s}},
                       {.keep_distribution = false, .rule = motion::ScalingRule::kOpenSim});
  const double M = m * s[0] * s[1] * s[2], R2 = r2 * s[0] * s[2], L2 = l2 * s[1] * s[1];
  EXPECT_NEAR(body.mass.number, M, 1e-14);
  EXPECT_NEAR(body.inertia[1][1].number, M * R2 / 2, 1e-14);
  EXPECT_NEAR(body.inertia[0][0].number, M * (L2 / 3 + R2 / 4), 1e-14);
}

TEST(BodyScaling, MassesGrowWithVolumesUnlessTheirSharesAreKept) {
  mechanism::Description d;
  d.bodies.resize(2);
  d.bodies[0].id = "a";
  d.bodies[1].id = "b";
  d.bodies[0].mass.number = 2;
  d.bodies[1].mass.number = 6;
  const motion::ScaleFactors factors{{"a", {2, 1, 1.5}}};
  auto kept = d, grown = d;
  motion::scale_masses(kept, factors, {.total = 16});
  EXPECT_NEAR(kept.bodies[0].mass.number, 4, 1e-15);
  motion::scale_masses(grown, factors, {.total = 24, .keep_distribution = false});
  EXPECT_NEAR(grown.bodies[0].mass.number, 12, 1e-15);  // 6 of 12
}

}  // namespace
}  // namespace parfait::run::scale_test
