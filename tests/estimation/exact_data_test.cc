#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "build.h"
#include "parfait/estimate/fit/synthesize.h"
#include "parfait/io/problem/problem_file.h"
#include "problems.h"

// The examples of mechanisms with measurements that have no noise: from the start of the example to
// the true parameters.
namespace parfait::estimation {
namespace {

using namespace estimate;  // NOLINT(google-build-using-namespace): tests of this room

/// What the model says at the true parameters, integrated with more care than the fit; sigmas as in
/// the file.
Problem without_noise(const std::string& file) {
  Problem problem = io::read_problem(std::string(PARFAIT_SOURCE_DIR) + "/examples/" + file);
  problem.options.integrator.rtol = 1e-13;
  problem.options.integrator.atol = 1e-15;
  Problem silent = problem;
  for (auto& e : silent.experiments) {
    for (auto& o : e.observations) o.sigma = {.absolute = 0};
  }
  const Problem measured = synthesize(silent, 1);
  for (std::size_t i = 0; i < problem.experiments.size(); ++i) {
    problem.experiments[i].data = measured.experiments[i].data;
  }
  problem.options.integrator.rtol = 1e-12;
  problem.options.integrator.atol = 1e-14;
  problem.options.iteration.tolerance = 1e-10;
  return problem;
}

FitResult fit_without_noise(const std::string& file) {
  FitResult result = fit(without_noise(file));
  EXPECT_TRUE(result.converged()) << file << ": " << result.iteration.message;
  return result;
}

/// How far an estimate is from the truth, relatively; the start was further away than that.
double relative_error(const EstimateResult& e) {
  EXPECT_TRUE(e.truth.has_value() && *e.truth != 0) << e.id;
  const double scale = std::abs(e.truth.value_or(1));
  return std::abs(e.statistics.value - e.truth.value_or(0)) / scale;
}

void expect_truth(const std::string& file) {
  const FitResult result = fit_without_noise(file);
  double worst = 0, start = 0;
  for (const auto& e : result.estimates) {
    if (e.is_state) continue;
    EXPECT_LT(relative_error(e), 1e-8) << file << ": " << e.id << " " << e.experiment;
    worst = std::max(worst, relative_error(e));
    start = std::max(start, std::abs(e.initial / *e.truth - 1));
  }
  std::printf("  %-36s start off by %5.1f %%, result by %.1e, %d iterations\n", file.c_str(),
              100 * start, worst, result.iteration.iterations);
  EXPECT_GT(start, 0.05) << file;
}

TEST(ExactData, GravityOfThePendulum) {
  expect_truth("pendulum/problem.xml");
}
TEST(ExactData, SpringOfTheDoublePendulum) {
  expect_truth("spring_double_pendulum/problem.xml");
}
TEST(ExactData, StiffnessesOfTheHexapodWithThirteenBodies) {
  expect_truth("hexapod/problem.xml");
}
TEST(ExactData, StiffnessesOfTheHexapodWithSevenBodies) {
  expect_truth("hexapod/problem_7.xml");
}
TEST(ExactData, SpringOfBricardsMechanism) {
  expect_truth("bricard_spring/problem.xml");
}

// Every guess of the lengths contradicts the position at the start; with a free start it is found,
// too.
TEST(ExactData, GeometryOfTheFourBar) {
  expect_truth("four_bar/problem.xml");
  expect_truth("four_bar/free.xml");
}

TEST(ExactData, SharedAndLocalParametersOfSeveralExperiments) {
  expect_truth("combined_experiments/problem.xml");
}

TEST(ExactData, InertiaFromTwoExperiments) {
  expect_truth("pendulum_inertia/both.xml");
}

// Mass and centre show only as their product, which is recovered all the same.
TEST(ExactData, InertiaAboutAJointAsFarAsItShows) {
  const FitResult result = fit_without_noise("pendulum_inertia/problem.xml");
  EXPECT_EQ(result.rank, 9);
  for (const char* id : {"Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"}) {
    EXPECT_LT(relative_error(find(result, id)), 1e-8) << id;
  }
  const double mass = value(result, "mass");
  EXPECT_GT(std::abs(mass - 3), 0.01);
  for (const char* id : {"center_x", "center_y", "center_z"}) {
    const double moment = 3 * *find(result, id).truth;
    EXPECT_NEAR(mass * value(result, id), moment, 1e-8 * std::abs(moment)) << id;
  }
}

}  // namespace
}  // namespace parfait::estimation
