#include "parfait/motion/dynamics/plate_assignment.h"

#include <gtest/gtest.h>

#include <cmath>

namespace parfait::motion::plate_assignment_test {
namespace {

/// Two feet on rails along x, 0.2 m apart in z.
mechanism::Description two_feet() {
  mechanism::Description d;
  for (const char* id : {"left", "right"}) {
    mechanism::Body body;
    body.id = id;
    body.mass = 1;
    for (std::size_t i = 0; i < 3; ++i) body.inertia[i][i] = 0.01;
    d.bodies.push_back(body);
    mechanism::Joint joint;
    joint.key = mechanism::kAxesJoint;
    joint.id = std::string("rail_") + id;
    joint.begin.body = mechanism::kInertial;
    joint.begin.frame.o = {0.0, 0.0, id[0] == 'l' ? -0.1 : 0.1};
    joint.end.body = id;
    mechanism::Coordinate c;
    c.id = std::string("x_") + id;
    c.kind = mechanism::Coordinate::Kind::kTranslation;
    joint.motion.coordinates = {c};
    mechanism::MotionAxis axis;
    axis.turns = false;
    axis.axis = {1, 0, 0};
    axis.coordinate = c.id;
    joint.motion.axes = {axis};
    d.joints.push_back(joint);
  }
  return d;
}

TEST(PlateAssignment, EachContactBelongsToTheFootThatStandsThere) {
  const auto d = two_feet();
  const tree::MechanismTree mechanism(d);
  // The left foot stands at x = 0 until 1 s, the right one at x = 0.6 from 1.2 s on; then the left
  // one comes to the first plate again.
  std::vector<double> t, left, right;
  for (int i = 0; i <= 300; ++i) {
    t.push_back(0.01 * i);
    left.push_back(t.back() < 1 ? 0 : t.back() > 2.2 ? 0.02 : 1.0);
    right.push_back(t.back() < 1.2 ? -0.5 : 0.6);
  }
  const auto plate = [&](const char* name, double x, auto&& pushes) {
    PlateRecord record;
    record.name = name;
    for (int i = 0; i <= 3000; ++i) {
      const double s = 0.001 * i;
      const double z = pushes(s);
      record.time.push_back(s);
      record.force.push_back({0, z != 0 ? 500.0 : 3.0, 0});
      const Vec3<double> p{x, 0, z};
      record.pressure.push_back(z != 0 ? p : Vec3<double>{NAN, NAN, NAN});
      record.moment.push_back(cross(p, record.force.back()));
    }
    return record;
  };
  const auto first = plate("first", 0.05, [](double s) {
    return s > 0.1 && s < 0.9 ? -0.1 : s > 2.3 ? -0.08 : s > 1.5 && s < 1.52 ? 0.1 : 0.0;
  });
  const auto second = plate("second", 0.65, [](double s) { return s > 1.3 && s < 2 ? 0.1 : 0.0; });
  const auto found = assign_plates(mechanism, t, {left, right}, {first, second}, {0, 1});
  ASSERT_EQ(found.contacts.size(), 3U);  // 20 ms are no contact
  EXPECT_EQ(found.contacts[0].foot, 0);
  EXPECT_EQ(found.contacts[1].foot, 0);
  EXPECT_EQ(found.contacts[2].foot, 1);
  EXPECT_NEAR(found.contacts[0].distance, 0.05, 1e-9);
  EXPECT_GT(found.contacts[0].other_distance, 0.5);
  EXPECT_NEAR(found.contacts[2].start, 1.301, 1e-9);
  ASSERT_EQ(found.loads.size(), 2U);
  EXPECT_EQ(found.loads[0].body, 0);
  EXPECT_EQ(found.loads[0].force[500].y, 500);
  EXPECT_EQ(found.loads[0].force[1510].y, 0);  // too short
  EXPECT_EQ(found.loads[0].force[2500].y, 500);
  // The moment is about the world's origin: z for a force along y at x.
  EXPECT_NEAR(found.loads[1].moment[1500].z, 0.65 * 500, 1e-9);
}

}  // namespace
}  // namespace parfait::motion::plate_assignment_test
