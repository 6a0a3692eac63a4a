#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "build.h"
#include "parfait/estimate/fit/synthesize.h"
#include "parfait/io/model/any_model_file.h"
#include "parfait/mbs/model.h"
#include "problems.h"

// Models with jumps: the estimate lives on one sequence of events.
namespace parfait::estimation {
namespace {

using namespace estimate;  // NOLINT(google-build-using-namespace): tests of this room

constexpr double kGravity = 9.81, kRestitution = 0.8;

/// A ball dropped from 2 m, its height seen every 0.05 s for 2.5 s: three bounces.
Problem ball(int intervals) {
  dynamics::FormulaModel model;
  model.state("h", 2, "v");
  model.state("v", 0, "-g");
  model.parameter("g", kGravity);
  model.parameter("e", kRestitution);
  model.event("bounce", "h").set("v", "-e * v");
  Problem problem;
  problem.estimates = {{.parameter = "g", .initial = kGravity, .truth = kGravity},
                       {.parameter = "e", .initial = kRestitution, .truth = kRestitution}};
  auto& e = problem.experiments.emplace_back(
      dynamic_experiment("drop", model, times(0, 2.5, 51), {{"height", "h"}}, 0.01));
  e.grid.intervals = intervals;
  return synthesize(problem, 31);
}

int bounces_until(double T, double g, double e) {
  double t = std::sqrt(2 * 2 / g), v = e * g * t;
  int count = 0;
  // e^50 is nothing: bounces without end.
  for (; t <= T && count < 50; ++count, v *= e) t += 2 * v / g;
  return count;
}

bool mentions_events(const FitResult& result) {
  for (const auto& warning : result.warnings) {
    if (warning.find("sequence of events") != std::string::npos) return true;
  }
  return false;
}

TEST(BouncingBall, GravityAndRestitutionAreRecovered) {
  Problem problem = ball(1);
  problem.estimates[0].initial = 9.5;
  problem.estimates[1].initial = 0.78;
  ASSERT_EQ(bounces_until(2.5, 9.5, 0.78), bounces_until(2.5, kGravity, kRestitution));
  const FitResult result = fit(problem);
  print("bouncing ball", result);
  ASSERT_TRUE(result.converged()) << result.iteration.message;
  for (const auto& [id, truth] : {std::pair{"g", kGravity}, {"e", kRestitution}}) {
    const auto& s = find(result, id).statistics;
    EXPECT_NEAR(s.value, truth, 3 * s.sd) << id;
    EXPECT_LT(s.sd, 0.003 * truth) << id;
  }
  EXPECT_NEAR(result.scale.beta(), 1, 0.25);
  EXPECT_FALSE(mentions_events(result));
}

TEST(BouncingBall, ExactDataGiveExactParameters) {
  Problem problem = ball(1);
  problem.experiments[0].observations[0].sigma.absolute = 1e-11;
  problem = synthesize(problem, 1);
  problem.experiments[0].observations[0].sigma.absolute = 0.01;
  problem.estimates[0].initial = 9.6;
  problem.estimates[1].initial = 0.79;
  problem.options.iteration.tolerance = 1e-10;
  const FitResult result = fit(problem);
  ASSERT_TRUE(result.converged()) << result.iteration.message;
  // Only derivatives across the jumps that are right converge this fast.
  EXPECT_LE(result.iteration.iterations, 8);
  EXPECT_NEAR(value(result, "g"), kGravity, 1e-7);
  EXPECT_NEAR(value(result, "e"), kRestitution, 1e-8);
}

TEST(BouncingBall, AStartWithAnotherNumberOfBouncesConvergesWithARemarkOrSaysWhyNot) {
  int converged = 0;
  for (const auto& [g, e] : {std::pair{9.81, 0.6}, {8.0, 0.9}, {12.0, 0.7}, {9.0, 0.5}}) {
    Problem problem = ball(1);
    problem.estimates[0].initial = g;
    problem.estimates[1].initial = e;
    ASSERT_NE(bounces_until(2.5, g, e), bounces_until(2.5, kGravity, kRestitution));
    const FitResult result = fit(problem);
    std::printf("  g = %.2f, e = %.1f, %d bounces: %s, %s\n", g, e, bounces_until(2.5, g, e),
                text(result.iteration.status), result.iteration.message.c_str());
    EXPECT_FALSE(result.iteration.message.empty());
    const bool found = result.converged() && std::abs(value(result, "e") - kRestitution) < 0.01;
    converged += found;
    EXPECT_TRUE(!found || mentions_events(result));
  }
  EXPECT_GE(converged, 2);
}

TEST(BouncingBall, MultipleShootingAgreesWithSingleShooting) {
  Problem single = ball(1), multiple = ball(4);
  for (Problem* problem : {&single, &multiple}) {
    problem->estimates[0].initial = 9.6;
    problem->estimates[1].initial = 0.79;
    problem->options.iteration.tolerance = 1e-8;
  }
  const FitResult one = fit(single), four = fit(multiple);
  ASSERT_TRUE(one.converged()) << one.iteration.message;
  ASSERT_TRUE(four.converged()) << four.iteration.message;
  EXPECT_NEAR(value(one, "g"), value(four, "g"), 1e-6);
  EXPECT_NEAR(find(one, "e").statistics.sd, find(four, "e").statistics.sd, 1e-7);
}

/// A mechanism: the bar swings down on a soft floor, against a wall, and back.
Problem hitting_pendulum() {
  const auto model = io::read_any_model(std::string(PARFAIT_SOURCE_DIR) +
                                        "/tests/cases/models/hitting_pendulum.xml");
  Problem problem;
  problem.estimates = {{.parameter = "restitution", .initial = 0.7, .truth = 0.7},
                       {.parameter = "stiffness", .initial = 200, .truth = 200}};
  auto& e = problem.experiments.emplace_back();
  e.id = "swing";
  e.system = mbs::build(std::get<mechanism::Description>(model));
  e.data.header = {"t", "x", "z"};
  e.data.columns = {times(0.05, 1.5, 30), std::vector<double>(30, 1), std::vector<double>(30, 1)};
  e.begin = 0;
  e.observations = {{.column = "x", .quantity = "Bar.com.x", .sigma = {.absolute = 1e-300}},
                    {.column = "z", .quantity = "Bar.com.z", .sigma = {.absolute = 1e-300}}};
  problem.options.integrator.rtol = 1e-10;
  problem.options.integrator.atol = 1e-12;
  problem.options.iteration.tolerance = 1e-9;
  problem = synthesize(problem, 1);  // exact
  for (auto& o : problem.experiments[0].observations) o.sigma.absolute = 0.01;
  return problem;
}

TEST(HittingPendulum, ExactDataGiveRestitutionAndStiffnessOfContacts) {
  for (int intervals : {1, 3}) {
    for (ReductionMethod reduction :
         {ReductionMethod::kNone, ReductionMethod::kFixedFit, ReductionMethod::kTangentDirections,
          ReductionMethod::kTangentNodes}) {
      Problem problem = hitting_pendulum();
      problem.experiments[0].grid.intervals = intervals;
      problem.options.reduction = reduction;
      problem.estimates[0].initial = 0.6;
      problem.estimates[1].initial = 180;
      const FitResult result = fit(problem);
      ASSERT_TRUE(result.converged()) << text(reduction) << ": " << result.iteration.message;
      for (const auto& e : result.estimates) {
        EXPECT_NEAR(e.statistics.value, *e.truth, 1e-8 * *e.truth) << text(reduction) << e.id;
      }
    }
  }
}

}  // namespace
}  // namespace parfait::estimation
