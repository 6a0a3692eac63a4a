#include <gtest/gtest.h>

#include <cmath>

#include "parfait/base/error.h"
#include "parfait/io/model/model_file.h"
#include "parfait/run/simulation/simulation.h"

// energy.supplied and energy.dissipated, integrated with the motion.
namespace parfait::run {
namespace {

/// A sledge that is driven along x, a mass that a spring, a damper and an actuator tie to it, and a
/// floor that the mass falls on.
constexpr const char* kDriven = R"xml(<model id="driven">
  <body id="Sledge" mass="3" moment_of_inertia="1 1 1"/>
  <body id="Load" mass="2" moment_of_inertia="0.2 0.3 0.4"> <position o="0.2 0.1 0.5"/> </body>
  <joint key="Prismatic" id="Rail"> <begin body="Inertial" z="1 0 0"/> <end body="Sledge" z="1 0 0"/> </joint>
  <constraint key="BBDX" id="Drive" begin_axis="z" offset="-0.1*sin(7*t)">
    <begin body="Inertial" z="1 0 0"/> <end body="Sledge"/> </constraint>
  <force key="Gravitation" id="Gravity" g="-9.81"/>
  <force key="Spring_Damper" id="Rope" rest_length="0.3" stiffness="400" damping="5">
    <begin body="Sledge" o="0.1 0 0"/> <end body="Load" o="0.1 0.1 0"/> </force>
  <force key="Actuator" id="Motor" force="3*cos(5*t)"> <begin body="Sledge"/> <end body="Load" o="0 0.2 0"/> </force>
  <force key="Bushing" id="Disc" scale="0.001" damping="3" rotational_damping="0.2">
    <begin body="Sledge"/> <end body="Load"/> </force>
  <force key="Hertz_Plane" id="Floor" stiffness="2000" radius="0.05" friction="0.5" damping="0.3">
    <begin body="Inertial" o="0 0 0.45"/> <end body="Load"/> </force>
</model>)xml";

SimulationRequest request(const std::vector<std::string>& observe) {
  SimulationRequest out;
  out.model = make_model(io::read_model_text(kDriven, "driven.xml"));
  out.until = 2;
  out.step = 0.05;
  out.rtol = 1e-10;
  out.atol = 1e-12;
  out.observe = observe;
  return out;
}

TEST(EnergyAccount, TotalIsWhatCameInMinusWhatWasLost) {
  const auto run = simulate(request({"energy.total", "energy.supplied", "energy.dissipated",
                                     "energy.total - energy.supplied + energy.dissipated"}));
  ASSERT_TRUE(run.finished());
  const auto& table = run.trajectory;
  const auto n = static_cast<std::size_t>(table.num_rows());
  double supplied = 0;
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_NEAR(table.columns[4][i], table.columns[4][0], 1e-7) << "t = " << table.columns[0][i];
    supplied = std::max(supplied, std::abs(table.columns[2][i]));
  }
  EXPECT_GT(supplied, 1);                 // the drive works ...
  EXPECT_GT(table.columns[3][n - 1], 1);  // ... and dampers take it
  EXPECT_GT(std::abs(table.columns[1][n - 1] - table.columns[1][0]), 0.1);
  EXPECT_FALSE(run.result.events.empty());  // the floor was touched
}

TEST(EnergyAccount, CostsNoStatesUnlessItIsAskedFor) {
  const auto with = simulate(request({"energy.supplied"}));
  const auto without = simulate(request({"power.supplied", "power.dissipated"}));
  EXPECT_NE(with.contents, without.contents);
  EXPECT_TRUE(without.finished());
}

TEST(EnergyAccount, PowersDifferentiateTheEnergies) {
  auto asked = request({"energy.supplied", "power.supplied"});
  asked.step = 0.005;
  const auto run = simulate(asked);
  const auto& t = run.trajectory.columns[0];
  const auto &E = run.trajectory.columns[1], &P = run.trajectory.columns[2];
  for (std::size_t i = 1; i + 1 < t.size(); ++i) {
    // Simpson's rule over two steps; at 0.05 s it was 0.2 off, and the error falls as h^5.
    if (i % 2 == 0) continue;
    const double integral = (t[i + 1] - t[i - 1]) / 6 * (P[i - 1] + 4 * P[i] + P[i + 1]);
    EXPECT_NEAR(E[i + 1] - E[i - 1], integral, 1e-4) << t[i];
  }
}

}  // namespace
}  // namespace parfait::run
