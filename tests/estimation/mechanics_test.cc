#include <gtest/gtest.h>

#include <cmath>

#include "parfait/estimate/fit/synthesize.h"
#include "parfait/io/model/any_model_file.h"
#include "parfait/mbs/model.h"
#include "problems.h"

// Parameters of mechanisms in natural coordinates.
namespace parfait::estimation {
namespace {

using namespace estimate;  // NOLINT(google-build-using-namespace): tests of this room

std::shared_ptr<const dynamics::System> example(const std::string& file) {
  const auto model = io::read_any_model(std::string(PARFAIT_SOURCE_DIR) + "/examples/" + file);
  return mbs::build(std::get<mechanism::Description>(model));
}

/// Kraus 2006, section 13.3: the load's centre at 20 times in 0.5 s, initial state known, five
/// intervals.
Problem hexapod() {
  Problem problem;
  ExperimentDescription& e = problem.experiments.emplace_back();
  e.id = "run";
  e.system = example("hexapod/hexapod.xml");
  e.data.header = {"t", "x", "y", "z"};
  e.data.columns.resize(4);
  for (int i = 1; i <= 20; ++i) {
    e.data.columns[0].push_back(0.025 * i);
    for (int k = 1; k < 4; ++k) e.data.columns[static_cast<std::size_t>(k)].push_back(1);
  }
  for (const char* c : {"x", "y", "z"}) {
    e.observations.push_back({.column = c,
                              .quantity = std::string("Load.com.") + c,
                              .sigma = {.absolute = 0, .relative = 0.01}});
  }
  e.grid.intervals = 5;
  for (int i = 1; i <= 6; ++i) {
    Estimate c;
    c.parameter = "c" + std::to_string(i);
    c.truth = 300 + 100 * i;
    c.initial = *c.truth;
    c.scale = 500;
    problem.estimates.push_back(c);
  }
  problem.options.iteration.tolerance = 1e-3;
  problem.options.integrator.rtol = 1e-6;
  problem.options.integrator.atol = 1e-8;
  return problem;
}

Eigen::VectorXd increment_of(Problem problem, ReductionMethod reduction, const Eigen::VectorXd& x,
                             int* directions = nullptr) {
  problem.options.reduction = reduction;
  Team alone;
  const auto ensemble = make_ensemble(problem, alone);
  if (!ensemble->linearize(x).exists) throw std::runtime_error(ensemble->why());
  if (directions != nullptr) *directions = static_cast<int>(ensemble->work().directions);
  return ensemble->increment();
}

Problem double_pendulum() {
  Problem problem;
  ExperimentDescription& e = problem.experiments.emplace_back();
  e.id = "run";
  e.system = example("double_pendulum/double_pendulum.xml");
  e.data.header = {"t", "x", "z"};
  e.data.columns.resize(3);
  for (int i = 1; i <= 10; ++i) {
    e.data.columns[0].push_back(0.05 * i);
    for (int k = 1; k < 3; ++k) e.data.columns[static_cast<std::size_t>(k)].push_back(1);
  }
  for (const char* c : {"x", "z"}) {
    e.observations.push_back(
        {.column = c, .quantity = std::string("Lower.com.") + c, .sigma = {.absolute = 0.01}});
  }
  e.grid.intervals = 4;
  Estimate mass;
  mass.parameter = "mass_of_lower";
  mass.truth = 2;
  mass.initial = 1.5;
  problem.estimates.push_back(mass);
  return problem;
}

TEST(MechanicalFit, AllReductionsGiveTheSameIncrement) {
  for (bool free : {false, true}) {
    for (int which : {0, 1}) {
      Problem problem = synthesize(which == 0 ? double_pendulum() : hexapod(), 3);
      problem.options.integrator.rtol = 1e-9;
      problem.options.integrator.atol = 1e-11;
      if (free) problem.experiments[0].initial = {{.kind = InitialState::Kind::kFree}};
      if (which == 1) problem.experiments[0].grid.intervals = 2;  // 312 directions take their time
      Team alone;
      Eigen::VectorXd x;
      ASSERT_TRUE(make_ensemble(problem, alone)->initialize(x));
      // Away from the solution, off the manifold, nothing matches.
      const int np = static_cast<int>(problem.estimates.size());
      x.head(np) *= 1.02;
      for (Eigen::Index i = np; i < x.size(); ++i)
        x[i] += 1e-3 * std::sin(7.0 * static_cast<double>(i));
      const Eigen::VectorXd full = increment_of(problem, ReductionMethod::kNone, x);
      ASSERT_GT(full.norm(), 1e-2);
      for (auto reduction : {ReductionMethod::kFixedFit, ReductionMethod::kTangentDirections,
                             ReductionMethod::kTangentNodes}) {
        int directions = 0;
        const Eigen::VectorXd dx = increment_of(problem, reduction, x, &directions);
        std::printf("%s, %s, reduction %d: |dx| = %.3e, difference %.1e, directions %d\n",
                    which == 0 ? "double pendulum" : "hexapod", free ? "free" : "fixed",
                    static_cast<int>(reduction), full.norm(), (dx - full).norm(), directions);
        EXPECT_LT((dx - full).norm(), 1e-9 * full.norm());
      }
    }
  }
}

// Kraus 2006, section 9.1, Remark 5: once an equation is known, fixfit has a direction less to
// integrate.
TEST(MechanicalFit, FixfitUsesEquationsAsTheyBecomeAvailable) {
  Problem problem = synthesize(double_pendulum(), 3);
  problem.options.integrator.rtol = 1e-9;
  problem.options.integrator.atol = 1e-11;
  auto& e = problem.experiments[0];
  e.initial = {{.kind = InitialState::Kind::kFree}};
  e.requirements.push_back({.terms = {{.at = 0.1, .formula = "Lower.com.x - 1.48"}}});
  e.requirements.push_back({.terms = {{.at = 0.05, .formula = "Upper.com.z"},
                                      {.at = 0.2, .formula = "Lower.com.z - mass_of_lower"}}});
  Team alone;
  Eigen::VectorXd x;
  ASSERT_TRUE(make_ensemble(problem, alone)->initialize(x));
  for (Eigen::Index i = 0; i < x.size(); ++i) x[i] += 1e-3 * std::sin(7.0 * static_cast<double>(i));
  Eigen::VectorXd at_x[2], at_trial[2];
  for (int k : {0, 1}) {
    problem.options.reduction = k == 0 ? ReductionMethod::kNone : ReductionMethod::kFixedFit;
    const auto ensemble = make_ensemble(problem, alone);
    ASSERT_TRUE(ensemble->linearize(x).exists) << ensemble->why();
    // Two degrees of freedom make four directions, then three, then two; mass and defects.
    if (k == 1) {
      EXPECT_EQ(ensemble->work().directions, 6 + 5 + 4 + 4);
    }
    at_x[k] = ensemble->increment();
    const Eigen::VectorXd trial = x + 0.1 * at_x[0];
    ASSERT_TRUE(ensemble->evaluate(trial).exists) << ensemble->why();
    at_trial[k] = ensemble->increment();
  }
  ASSERT_GT(at_x[0].norm(), 1e-2);
  ASSERT_GT((at_trial[0] - at_x[0]).norm(), 1e-3);
  EXPECT_LT((at_x[1] - at_x[0]).norm(), 1e-9 * at_x[0].norm());
  EXPECT_LT((at_trial[1] - at_trial[0]).norm(), 1e-9 * at_trial[0].norm());
}

// Kraus 2006, section 13.3: from 600 N/m for all, give or take a little, with 1 % noise.
TEST(MechanicalFit, HexapodStiffnessesFromAFarStart) {
  Problem problem = synthesize(hexapod(), 1);
  for (int i = 0; i < 6; ++i) problem.estimates[static_cast<std::size_t>(i)].initial = 590 + 5 * i;
  const FitResult result = fit(problem);
  print("hexapod", result);
  ASSERT_TRUE(result.converged()) << result.iteration.message;
  EXPECT_LE(result.iteration.iterations, 6);  // K: 10
  for (const auto& e : result.estimates) {
    EXPECT_LT(std::abs(e.statistics.value - *e.truth), 3.5 * e.statistics.sd) << e.id;
  }
  // Seven directions per interval, and one per interval and trial where there are defects.
  EXPECT_EQ(result.work.linearizations, result.iteration.iterations + 1);
  EXPECT_LE(result.work.directions,
            7 * 5 * result.work.linearizations + 5 * result.work.evaluations);
}

TEST(MechanicalFit, ExactDataGiveTheTrueStiffnesses) {
  Problem problem = hexapod();
  problem.options.integrator.rtol = 1e-11;
  problem.options.integrator.atol = 1e-13;
  for (auto& o : problem.experiments[0].observations) o.sigma = {.absolute = 1e-12};
  problem = synthesize(problem, 1);
  for (auto& o : problem.experiments[0].observations) o.sigma = {.absolute = 0.01};
  for (auto& e : problem.estimates) e.initial = 600;
  problem.options.iteration.tolerance = 1e-9;
  const FitResult result = fit(problem);
  ASSERT_TRUE(result.converged()) << result.iteration.message;
  for (const auto& e : result.estimates) {
    EXPECT_NEAR(e.statistics.value, *e.truth, 1e-8 * *e.truth) << e.id;
  }
}

}  // namespace
}  // namespace parfait::estimation
