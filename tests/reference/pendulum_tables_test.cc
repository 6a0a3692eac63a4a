#include <gtest/gtest.h>

#include <cmath>

#include "motion.h"
#include "testing/model_gallery.h"

// The pendulums of Kraus (2006, sections 12.1 and 13.1) in both readings of their inertia, to all
// digits of the tables.
namespace parfait::reference {
namespace {

using testing_support::frame;
using testing_support::marker;

struct Reading {
  mechanism::InertiaPoint about;
  std::string suffix;
};
const Reading kReadings[] = {{mechanism::InertiaPoint::kCenterOfMass, "_c"},
                             {mechanism::InertiaPoint::kOrigin, "_o"}};

mechanism::Description chain(int n, mechanism::InertiaPoint about) {
  auto d = testing_support::revolute_chain(n);
  for (auto& body : d.bodies) body.about = about;
  return d;
}

TEST(PendulumTables, SinglePendulumHasAllDigitsUpToTenSeconds) {
  const auto table = read_table("single_pendulum.csv");
  for (const auto& reading : kReadings) {
    const auto model = mbs::build(chain(1, reading.about));
    const auto samples =
        simulate(*model, {.quantities = {"body_1.com.x", "body_1.com.z", "body_1.wy"},
                          .times = table.column("t"),
                          .options = tolerances(1e-12, 1e-13)});
    const char* const names[] = {"x", "z", "rate"};
    for (int i = 0; i < 3; ++i) {
      for (int s = 0; s < table.num_rows(); ++s) {
        const double t = table.column("t")[s];
        const double half_digit = t < 1 ? 5.1e-10 : 5.1e-9;  // nine digits, at 10 s eight
        EXPECT_NEAR(samples.values[i][s], table.column(names[i] + reading.suffix)[s], half_digit)
            << names[i] << reading.suffix << ", t = " << t;
      }
    }
    report("single pendulum" + reading.suffix, samples);
    EXPECT_LT(samples.energy_drift, 1e-10 * samples.largest_kinetic_energy);
  }
}

TEST(PendulumTables, DoublePendulumWithSpringDamperHasAllDigits) {
  const auto table = read_table("spring_double_pendulum.csv");
  for (const auto& reading : kReadings) {
    auto d = chain(2, reading.about);
    mechanism::Force force;
    force.key = "Spring_Damper";
    force.id = "spring";
    force.begin = marker(mechanism::kInertial, frame({1.5, 0, 1}));
    force.end = marker("body_2", frame({0.5, 0, 0}));
    force.constants = {{"rest_length", 1.0}, {"stiffness", 10.0}, {"damping", 10.0}};
    d.forces.push_back(force);
    const auto model = mbs::build(d);
    const auto samples = simulate(*model, {.quantities = {"body_2.com.x", "body_2.com.z"},
                                           .times = table.column("t"),
                                           .options = tolerances(1e-12, 1e-13)});
    for (int s = 0; s < table.num_rows(); ++s) {
      EXPECT_NEAR(samples.values[0][s], table.column("x" + reading.suffix)[s], 5.1e-10);
      EXPECT_NEAR(samples.values[1][s], table.column("z" + reading.suffix)[s], 5.1e-10);
    }
  }
}

}  // namespace
}  // namespace parfait::reference
