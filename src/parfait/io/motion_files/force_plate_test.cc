#include "parfait/io/motion_files/force_plate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "parfait/io/motion_files/axes_units.h"
#include "parfait/io/motion_files/c3d.h"

namespace parfait::io {
namespace {

std::string plate_data(const std::string& name) {
  return PARFAIT_SOURCE_DIR "/tests/motion_files/data/" + name;
}

/// A plate of 400 x 600 mm whose centre is at (1000, 2000, 5), x and y axes as corners say: x = -Y
/// of the lab, y = -X, z down.
ForcePlate plate_of(int type, std::vector<int> channels) {
  ForcePlate plate;
  plate.type = type;
  plate.corners = {Vec3{700, 1800, 5}, Vec3{700, 2200, 5}, Vec3{1300, 2200, 5},
                   Vec3{1300, 1800, 5}};
  plate.channels = std::move(channels);
  return plate;
}

/// The wrench that somebody exerts who presses at plate coordinates (px, py) with force F and turns
/// with T about z.
struct Press {
  Vec3 F{-20, 30, 800};  ///< on the plate, whose z points down
  double px = 50, py = -120, T = 2500;
};

Trial trial_with(ForcePlate plate, const std::vector<double>& channels,
                 const char* moment_unit = "Nmm") {
  Trial trial;
  trial.length_unit = "mm";
  trial.metres_per_unit = 1e-3;
  trial.analog_rate = 1000;
  trial.up = {2, 1, "test"};
  for (std::size_t i = 0; i < channels.size(); ++i) {
    trial.analog.push_back(
        {"c" + std::to_string(i), "", "", i < 3 ? "N" : moment_unit, {channels[i], 0.0}});
  }
  trial.plates.push_back(std::move(plate));
  return trial;
}

void expect_press(const Press& press, const ForcePlate& plate) {
  ASSERT_EQ(plate.wrenches.size(), 2U);
  // On the subject, lab axes: the reaction, x_plate = -Y, y_plate = -X, z_plate = -Z.
  const Vec3 F{press.F[1], press.F[0], press.F[2]};
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(plate.wrenches.force[k], F[k], 1e-9) << k;
  const Vec3 p{1000 - press.py, 2000 - press.px, 5};
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(plate.wrenches.pressure[k], p[k], 1e-9) << k;
  EXPECT_NEAR(plate.wrenches.free_moment[0], press.T, 1e-6);
  const double M[3] = {p[1] * F[2] - p[2] * F[1], p[2] * F[0] - p[0] * F[2],
                       p[0] * F[1] - p[1] * F[0] + press.T};
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(plate.wrenches.moment[k], M[k], 1e-6) << k;
  EXPECT_TRUE(plate.reversed);
  EXPECT_TRUE(std::isnan(plate.wrenches.pressure[3])) << "nobody presses in the second sample";
  EXPECT_TRUE(std::isnan(plate.wrenches.free_moment[1]));
}

/// Moments about a point that is `above` the sensors' origin by -o.
std::vector<double> six_channels(const Press& press, const Vec3& o) {
  const auto& F = press.F;
  const Vec3 r{press.px + o[0], press.py + o[1], o[2]};  // from the sensors to the point
  return {F[0],
          F[1],
          F[2],
          r[1] * F[2] - r[2] * F[1],
          r[2] * F[0] - r[0] * F[2],
          r[0] * F[1] - r[1] * F[0] + press.T};
}

TEST(ForcePlate, AllTypesGiveTheWrenchThatSomebodyExerts) {
  const Press press;
  const Vec3 o{3, -4, -40};
  WarningLog log;
  {
    Trial trial = trial_with(plate_of(1, {0, 1, 2, 3, 4, 5}),
                             {press.F[0], press.F[1], press.F[2], press.px, press.py, press.T});
    trial.analog[3].unit = trial.analog[4].unit = "mm";
    compute_wrenches(trial, kLoadedPlate, log);
    expect_press(press, trial.plates[0]);
  }
  {
    ForcePlate plate = plate_of(2, {0, 1, 2, 3, 4, 5});
    plate.origin = o;
    Trial trial = trial_with(plate, six_channels(press, o));
    compute_wrenches(trial, kLoadedPlate, log);
    expect_press(press, trial.plates[0]);
    // The same with a positive origin, which programs write, and with moments in N m.
    plate.origin[2] = -o[2];
    auto channels = six_channels(press, o);
    for (std::size_t i = 3; i < 6; ++i) channels[i] *= 1e-3;
    Trial other = trial_with(plate, channels, "N-M");
    compute_wrenches(other, kLoadedPlate, log);
    expect_press(press, other.plates[0]);
  }
  {
    // Pillars at (+-a, +-b): any distribution with the right sums does.
    const double a = 120, b = 200, az = -58;
    ForcePlate plate = plate_of(3, {0, 1, 2, 3, 4, 5, 6, 7});
    plate.origin = {a, b, az};
    const auto m = six_channels(press, {0, 0, az});
    const double u = m[3] / b, v = m[4] / a, w = 10;  // z1+z2-z3-z4, -z1+z2+z3-z4
    const double z1 = (press.F[2] + u - v + w) / 4, z2 = (press.F[2] + u + v - w) / 4,
                 z3 = (press.F[2] - u + v + w) / 4, z4 = (press.F[2] - u - v - w) / 4;
    const double y14 = 10, y23 = press.F[1] - y14;
    const double x = (m[5] - a * (y14 - y23)) / b;  // -x12 + x34
    Trial trial =
        trial_with(plate, {(press.F[0] - x) / 2, (press.F[0] + x) / 2, y14, y23, z1, z2, z3, z4});
    compute_wrenches(trial, kLoadedPlate, log);
    expect_press(press, trial.plates[0]);
  }
  {
    // A calibration matrix that is not symmetric: channels = C^-1 of type 2, here for C = D + e
    // e_2^T.
    ForcePlate plate = plate_of(4, {0, 1, 2, 3, 4, 5});
    plate.origin = o;
    plate.calibration.assign(36, 0);
    for (std::size_t i = 0; i < 6; ++i) plate.calibration[7 * i] = 2;
    plate.calibration[6 * 2 + 3] = 5;  // row 3, column 2: the vertical channel leaks into Mx
    auto channels = six_channels(press, o);
    for (double& c : channels) c /= 2;
    channels[3] -= 5 * channels[2] / 2;
    Trial trial = trial_with(plate, channels, "V");
    compute_wrenches(trial, kLoadedPlate, log);
    expect_press(press, trial.plates[0]);
  }
}

// The worked example that comes with the C3D.ORG sample 10 (TYPE-4.XLS, Motion Lab Systems 2003):
// numbers of an analog card and the forces and moments that a type 4 plate makes of them.
TEST(ForcePlate, CalibrationMatrixAsInTheWorkedExample) {
  ForcePlate plate = plate_of(4, {0, 1, 2, 3, 4, 5});
  plate.calibration = {
      1.52665,  0.01398,   0.04552,  -4.28428,  -5.49421, 2.85602,  -0.00464, 1.53861,  -0.01851,
      17.15964, 5.66777,   -9.63894, 9e-05,     -0.00913, 5.98816,  13.23299, 13.25026, -4.6095,
      -1e-05,   0.00229,   -2e-05,   741.87129, -0.5394,  -0.59724, 0.00225,  -0.00115, 7e-05,
      -1.68202, 739.63077, 2.04164,  -0.00178,  -0.00485, -0.00234, -3.25034, -0.59382, 391.87917};
  const double scale[6] = {-0.12221, -0.12221, -0.12214, -0.12221, -0.12221, -0.12221};
  const double raw[6] = {3000, 2047, 3000, 2047, 3000, 2047};
  std::vector<double> channels;
  for (std::size_t i = 0; i < 6; ++i) channels.push_back((raw[i] - 2047) * scale[i]);
  Trial trial = trial_with(plate, channels);
  trial.up.axis = -1;
  WarningLog log;
  compute_wrenches(trial, kLoadedPlate, log);
  const auto& force = trial.plates[0].wrenches.force;
  // Printed: Fx -178.06974, Fy -0.43151, Fz -702.31814 in plate axes; a plate that pulls is not
  // turned round here, as its z points down and Fz is negative: the force on the subject. x_plate =
  // -Y, y_plate = -X, z_plate = -Z.
  EXPECT_NEAR(force[1], 178.06974, 0.01);  // the matrix is printed with five decimals
  EXPECT_NEAR(force[0], 0.43151, 0.01);
  EXPECT_NEAR(force[2], 702.31814, 0.02);
  EXPECT_FALSE(trial.plates[0].reversed);
}

double mean_up(const Trial& trial, std::size_t plate, std::size_t axis) {
  double sum = 0;
  const auto& wrenches = trial.plates[plate].wrenches;
  for (std::size_t s = 0; s < wrenches.size(); ++s) sum += wrenches.force[3 * s + axis];
  return sum / static_cast<double>(wrenches.size());
}

TEST(ForcePlate, SomebodyWhoStandsWeighsWhatTheFileSays) {
  const Trial trial = read_c3d(plate_data("type1_standing.c3d")).trial;
  EXPECT_EQ(trial.up.name(), "+y");
  EXPECT_NEAR(mean_up(trial, 0, 1) / 9.81, 59,
              0.05);  // 59 kg in the trial of the same session; measured 58.99
}

TEST(ForcePlate, TypeTwoAndFourOfOneTrialDifferOnlyByTheirCalibration) {
  const Trial two = read_c3d(plate_data("type2.c3d")).trial,
              four = read_c3d(plate_data("type4.c3d")).trial;
  // Diagonals: 0.37012 N per number against 5.988 * 0.06107; the rest of the matrix gives less than
  // 1 %.
  EXPECT_NEAR(mean_up(two, 0, 2) / mean_up(four, 0, 2), 0.37012 / (5.988 * 0.06107), 0.005);
  double largest = 0;
  for (std::size_t s = 0; s < two.plates[0].wrenches.size(); ++s) {
    if (!(two.plates[0].wrenches.force[3 * s + 2] > 200)) continue;
    for (std::size_t k = 0; k < 2; ++k) {
      largest = std::max(largest, std::abs(two.plates[0].wrenches.pressure[3 * s + k] -
                                           four.plates[0].wrenches.pressure[3 * s + k]));
    }
  }
  EXPECT_GT(largest, 0.1);
  EXPECT_LT(largest, 25);  // mm; measured 18.8
}

TEST(ForcePlate, ForcesOnThePlateAreTurnedRoundAndTold) {
  const Trial trial = read_c3d(plate_data("upside_down.c3d")).trial;
  EXPECT_GT(mean_up(trial, 2, 2), 10);
  int told = 0;
  for (const auto& warning : trial.warnings)
    told += warning.message.find("turned round") != std::string::npos;
  EXPECT_EQ(told, 4);
}

TEST(ForcePlate, WhatCannotBeComputedIsTold) {
  const auto told = [](ForcePlate plate) {
    Trial trial = trial_with(std::move(plate), {1, 2, 300, 4, 5, 6});
    WarningLog log;
    compute_wrenches(trial, kLoadedPlate, log);
    EXPECT_EQ(trial.plates[0].wrenches.size(), 0U);
    const auto warnings = log.take();
    return warnings.empty() ? std::string() : warnings.front().message;
  };
  EXPECT_EQ(told(plate_of(5, {0, 1, 2, 3, 4, 5})),
            "force plate 1: type 5 is not computed, only read");
  EXPECT_EQ(told(plate_of(2, {0, 1, 2, 3, 4, -1})),
            "force plate 1: no wrench, because channels are missing");
  EXPECT_EQ(told(plate_of(3, {0, 1, 2, 3, 4, 5})),
            "force plate 1: no wrench, because channels are missing");
  ForcePlate flat = plate_of(2, {0, 1, 2, 3, 4, 5});
  flat.corners[3] = flat.corners[1];
  EXPECT_EQ(told(flat), "force plate 1: no wrench, because its corners do not span a plate");
}

TEST(ForcePlate, WrenchesDoNotDependOnUnitsAndAxesOfTheTrial) {
  const Press press;
  ForcePlate plate = plate_of(2, {0, 1, 2, 3, 4, 5});
  plate.origin = {3, -4, -40};
  Trial trial = trial_with(plate, six_channels(press, plate.origin));
  WarningLog log;
  compute_wrenches(trial, kLoadedPlate, log);
  to_metres(trial, parse_axes("y,z,x"));
  const Trial turned = trial;
  compute_wrenches(trial, kLoadedPlate,
                   log);  // anew, from corners and origin in metres and new axes
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(trial.plates[0].wrenches.force[k], turned.plates[0].wrenches.force[k], 1e-9);
    EXPECT_NEAR(trial.plates[0].wrenches.moment[k], turned.plates[0].wrenches.moment[k], 1e-9);
    EXPECT_NEAR(trial.plates[0].wrenches.pressure[k], turned.plates[0].wrenches.pressure[k], 1e-9);
  }
  EXPECT_NEAR(turned.plates[0].wrenches.force[1], 800, 1e-9);  // old z is new y
  EXPECT_NEAR(turned.plates[0].wrenches.free_moment[0], 2.5, 1e-9);
  EXPECT_EQ(turned.up.name(), "+y");
}

}  // namespace
}  // namespace parfait::io
