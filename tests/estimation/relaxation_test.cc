#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "parfait/base/error.h"
#include "parfait/estimate/fit/fit.h"
#include "parfait/estimate/fit/synthesize.h"
#include "parfait/estimate/shooting/relaxed_mechanics.h"
#include "parfait/estimate/shooting/shooting_experiment.h"
#include "parfait/integrate/driver/integrator.h"
#include "parfait/mbs/model.h"
#include "testing/model_gallery.h"
#include "testing/system_laws.h"

// Mechanics from nodes off the constraints: limit, standard, Baumgarte (Kraus 2006,
// sections 8.1-8.4, 13.2.1).
namespace parfait::estimation {
namespace {

using namespace estimate;  // NOLINT(google-build-using-namespace): tests of this room
using Eigen::VectorXd;
using ::testing::IsEmpty;

constexpr Relaxation kAll[] = {Relaxation::kLimit, Relaxation::kStandard, Relaxation::kBaumgarte};
constexpr const char* kNames[] = {"limit", "standard", "baumgarte"};

const char* name(Relaxation relaxation) {
  return kNames[static_cast<int>(relaxation)];
}

VectorXd random_vector(Eigen::Index n, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  VectorXd x(n);
  for (double& value : x) value = normal(random);
  return x;
}

/// Kraus 2006, section 12.1: the bar starts horizontally, at rest. Gravity and the place of the
/// hinge are parameters.
std::shared_ptr<const mbs::Model> single_pendulum() {
  mechanism::Description d = testing_support::revolute_chain(1);
  mechanism::Parameter g, hinge;
  g.id = "g";
  g.targets = {d.forces[0].id + ".g"};
  hinge.id = "hinge";
  hinge.targets = {d.joints[0].id + ".end.o.x"};
  d.parameters = {g, hinge};
  return mbs::build(d);
}

/// Kraus 2006, section 13.1: x and z of the centre of mass at ten times in 0.5 s, relative error 1
/// %, five intervals, initial state known, unknown gravity.
Problem pendulum_problem(double start) {
  Problem problem;
  ExperimentDescription& e = problem.experiments.emplace_back();
  e.id = "run";
  e.system = single_pendulum();
  e.data.header = {"t", "x", "z"};
  e.data.columns.resize(3);
  for (int i = 1; i <= 10; ++i) {
    e.data.columns[0].push_back(0.05 * i);
    for (std::size_t k = 1; k < 3; ++k) e.data.columns[k].push_back(1);
  }
  for (const char* c : {"x", "z"}) {
    e.observations.push_back({.column = c,
                              .quantity = std::string("body_1.com.") + c,
                              .sigma = {.absolute = 0, .relative = 0.01}});
  }
  e.grid.intervals = 5;
  Estimate g;
  g.parameter = "g";
  g.truth = -9.81;
  g.initial = -9.81;
  problem.estimates.push_back(g);
  problem.options.iteration.tolerance = 1e-3;
  problem = synthesize(problem, 1);
  problem.estimates[0].initial = start;
  return problem;
}

TEST(RelaxedOffset, IsTheNodesDefectAtItsBeginning) {
  for (double alpha : {0.0, 0.7, 40.0}) {
    const RelaxedOffset at = relaxed_offset(alpha, 0);
    EXPECT_EQ(at.a[0], 1);  // phi = g_0
    EXPECT_EQ(at.b[0], 0);
    EXPECT_EQ(at.a[1], 0);  // phi' = g'_0
    EXPECT_EQ(at.b[1], 1);
    EXPECT_EQ(at.a[2], 0);  // phi'' = 0: accelerations begin as they are
    EXPECT_EQ(at.b[2], 0);
  }
}

TEST(RelaxedOffset, HasTheDerivativesItSays) {
  constexpr double kTau = 0.3, kStep = 1e-5;  // differences good to 1e-10 and alpha^3 step^2
  for (double alpha : {0.0, 0.7, 5.0}) {
    const auto plus = relaxed_offset(alpha, kTau + kStep);
    const auto minus = relaxed_offset(alpha, kTau - kStep);
    const auto at = relaxed_offset(alpha, kTau);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR((plus.a[k] - minus.a[k]) / (2 * kStep), at.a[k + 1], 1e-7);
      EXPECT_NEAR((plus.b[k] - minus.b[k]) / (2 * kStep), at.b[k + 1], 1e-7);
    }
  }
  const auto standard = relaxed_offset(0, kTau);
  EXPECT_EQ(standard.a[0], 1);
  EXPECT_EQ(standard.b[0], kTau);
}

/// A state off the manifold in positions and velocities.
std::vector<double> off_manifold(const dynamics::System& system, double distance) {
  std::vector<double> y = system.initial_state();
  const VectorXd away = random_vector(system.sizes().ny(), 3);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += distance * away[static_cast<int>(i)];
  return y;
}

std::vector<double> invariants_at(const dynamics::System& system, double t,
                                  const std::vector<double>& y, std::vector<double>& p) {
  p.clear();
  for (const auto& info : system.parameters()) p.push_back(info.initial);
  const auto ws = system.make_workspace(0);
  system.bind(*ws, p);
  std::vector<double> g(static_cast<std::size_t>(system.sizes().num_pos + system.sizes().num_vel));
  system.invariants(*ws, t, y, g);
  return g;
}

std::vector<std::shared_ptr<const mbs::Model>> mechanisms() {
  return {single_pendulum(), mbs::build(testing_support::revolute_chain(2)),
          mbs::build(testing_support::skate())};
}

TEST(RelaxedMechanics, ConstraintsFollowTheOffset) {
  constexpr double kBegin = 0.2, kLength = 0.1;
  for (const auto& model : mechanisms()) {
    for (double alpha : {0.0, -std::log(0.01) / kLength}) {
      std::vector<double> p;
      const std::vector<double> y = off_manifold(*model, 0.01);
      const std::vector<double> g_0 = invariants_at(*model, kBegin, y, p);
      p.insert(p.end(), g_0.begin(), g_0.end());
      const RelaxedMechanics relaxed(*model, kBegin, alpha);
      const auto ws = relaxed.make_workspace(0);
      relaxed.bind(*ws, p);
      integrate::Options options;
      options.rtol = 1e-11;
      options.atol = 1e-13;
      integrate::State state;
      state.t = kBegin;
      state.y = y;
      integrate::Integrator integrator(relaxed, *ws, options);
      ASSERT_EQ(integrator.run(state, kBegin + kLength).outcome, integrate::Outcome::kFinished);
      const std::vector<double> g = invariants_at(*model, state.t, state.y, p);
      const RelaxedOffset phi = relaxed_offset(alpha, kLength);
      const auto num_pos = static_cast<std::size_t>(model->sizes().num_pos);
      const auto rows = model->position_rows();
      double largest_0 = 0, largest = 0;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const bool holonomic = rows[i] >= 0;
        const auto row = static_cast<std::size_t>(std::max(rows[i], 0));
        const double position = holonomic ? g_0[row] : 0, velocity = g_0[num_pos + i];
        EXPECT_NEAR(g[num_pos + i], phi.a[1] * position + phi.b[1] * velocity, 1e-8);
        if (!holonomic) continue;
        EXPECT_NEAR(g[row], phi.a[0] * position + phi.b[0] * velocity, 1e-8);
        largest_0 = std::max(largest_0, std::abs(position));
        largest = std::max(largest, std::abs(g[row]));
      }
      ASSERT_GT(largest_0, 1e-3);
      // What is left at the end: (1 + L + L^2/2) e^-L = 0.16 for e^-L = 0.01, and of velocities.
      if (alpha > 0) {
        EXPECT_LT(largest, 0.3 * largest_0);
      }
    }
  }
}

TEST(RelaxedMechanics, KeepsTheLawsOfSystems) {
  for (const auto& model : mechanisms()) {
    for (double alpha : {0.0, 6.0}) {
      const RelaxedMechanics relaxed(*model, 0.2, alpha);
      testing_support::LawPoint point;
      point.t = 0.27;
      point.y = off_manifold(*model, 0.01);
      const std::vector<double> g_0 = invariants_at(*model, 0.2, point.y, point.p);
      point.p.insert(point.p.end(), g_0.begin(), g_0.end());
      testing_support::LawOptions options;
      options.step = 2e-3;
      const std::string body = model->description().bodies[0].id;
      options.quantities = {body + ".com.x", body + ".com.az"};
      const auto report = check_system_laws(relaxed, point, options);
      EXPECT_THAT(report.violations, IsEmpty()) << alpha;
      EXPECT_GT(report.num_nonzero, 200);
    }
  }
}

FitOptions tight(Relaxation relaxation, ReductionMethod reduction) {
  FitOptions options;
  options.integrator.rtol = 1e-11;
  options.integrator.atol = 1e-13;
  options.relaxation = relaxation;
  options.reduction = reduction;
  return options;
}

/// With an unknown that changes the constraints, too.
ExperimentDescription moving_hinge(bool free) {
  ExperimentDescription e = pendulum_problem(-12).experiments[0];
  e.grid.intervals = 3;
  if (free) e.initial = {{.kind = InitialState::Kind::kFree}};
  return e;
}

Unknowns gravity_and_hinge() {
  return Unknowns({{.parameter = "g", .initial = -12}, {.parameter = "hinge", .initial = 0.01}});
}

TEST(Relaxation, GivesTheSameTrajectoryAndIncrementAtConsistentNodes) {
  for (auto reduction : {ReductionMethod::kNone, ReductionMethod::kFixedFit}) {
    Problem problem = pendulum_problem(-12);
    problem.options.integrator.rtol = 1e-11;
    problem.options.integrator.atol = 1e-13;
    problem.options.reduction = reduction;
    VectorXd x, first;
    double objective = 0;
    for (Relaxation relaxation : kAll) {
      problem.options.relaxation = relaxation;
      Team alone;
      const auto ensemble = make_ensemble(problem, alone);
      if (x.size() == 0) {
        ASSERT_TRUE(ensemble->initialize(x));
      }
      const auto values = ensemble->linearize(x);
      ASSERT_TRUE(values.exists) << ensemble->why();
      const VectorXd dx = ensemble->increment();
      if (relaxation == Relaxation::kLimit) {
        first = dx;
        objective = values.objective;
        ASSERT_GT(dx.norm(), 0.1);
        continue;
      }
      EXPECT_NEAR(values.objective, objective, 1e-7 * objective) << name(relaxation);
      EXPECT_LT((dx - first).norm(), 1e-7 * first.norm()) << name(relaxation);
    }
  }
}

TEST(Relaxation, HasExactDerivativesAtInconsistentNodes) {
  const Unknowns shared = gravity_and_hinge();
  for (bool free : {false, true}) {
    const ExperimentDescription description = moving_hinge(free);
    for (Relaxation relaxation : kAll) {
      for (auto reduction : {ReductionMethod::kNone, ReductionMethod::kFixedFit}) {
        SCOPED_TRACE(std::string(name(relaxation)) +
                     (reduction == ReductionMethod::kNone ? " none" : " fixfit") +
                     (free ? " free" : " fixed"));
        const FitOptions options = tight(relaxation, reduction);
        ShootingExperiment experiment(description, shared, options);
        const VectorXd& p = shared.initial();
        VectorXd x;
        ASSERT_TRUE(experiment.initialize(p, x));
        // The first node, where it is free, moves on the manifold only.
        x = experiment.onto_manifold(x, p);
        const Eigen::Index first = free ? 24 : 0;
        x.tail(x.size() - first) += 0.01 * random_vector(x.size() - first, 4);
        ASSERT_TRUE(experiment.linearize(x, p)) << experiment.why();
        const Block block = experiment.block();
        ShootingExperiment other(description, shared, options);
        for (unsigned seed : {1u, 2u, 3u}) {
          const VectorXd xi = random_vector(block.num_local(), seed);
          const VectorXd dp = random_vector(shared.size(), seed + 10);
          const VectorXd dx = experiment.expand(xi, dp, false);
          constexpr double kStep = 1e-4;
          ASSERT_TRUE(other.evaluate(x + kStep * dx, p + kStep * dp)) << other.why();
          const VectorXd plus = other.residuals();
          const double defect = other.infeasibility();
          ASSERT_TRUE(other.evaluate(x - kStep * dx, p - kStep * dp)) << other.why();
          const VectorXd difference = (plus - other.residuals()) / (2 * kStep);
          const VectorXd derivative = block.A * xi + block.B * dp;
          ASSERT_GT(derivative.norm(), 1);
          EXPECT_LT((difference - derivative).norm(), 1e-6 * derivative.norm());
          // Nodes move such that matching conditions do not change.
          ASSERT_GT(defect, 1e-3);
          EXPECT_LT(std::abs(defect - other.infeasibility()), 1e-6 * 2 * kStep * (1 + dx.norm()));
        }
      }
    }
  }
}

TEST(Relaxation, WithoutProjectionLeavesNoDirectionsToReduce) {
  const Unknowns shared = gravity_and_hinge();
  for (auto reduction : {ReductionMethod::kTangentDirections, ReductionMethod::kTangentNodes}) {
    EXPECT_THROW(
        ShootingExperiment(moving_hinge(false), shared, tight(Relaxation::kStandard, reduction)),
        base::InputError);
  }
  for (bool free : {false, true}) {
    const ShootingExperiment experiment(moving_hinge(free), shared,
                                        tight(Relaxation::kBaumgarte, ReductionMethod::kAutomatic));
    EXPECT_EQ(experiment.reduction(), ReductionMethod::kFixedFit);
  }
}

// Kraus 2006, section 13.2.1, single pendulum from -30: two or three steps with each.
TEST(Relaxation, EachKindFindsTheGravityOfAPendulum) {
  for (Relaxation relaxation : kAll) {
    Problem problem = pendulum_problem(-30);
    problem.options.relaxation = relaxation;
    const FitResult result = fit(problem);
    ASSERT_TRUE(result.converged()) << name(relaxation) << ": " << result.iteration.message;
    EXPECT_LE(result.iteration.iterations, 5) << name(relaxation);
    const auto& g = result.estimates[0].statistics;
    EXPECT_LT(std::abs(g.value + 9.81), 3.5 * g.sd) << name(relaxation);
    EXPECT_LT(g.sd, 0.1);
  }
}

}  // namespace
}  // namespace parfait::estimation
