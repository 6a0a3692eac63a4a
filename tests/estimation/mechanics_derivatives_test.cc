#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "parfait/estimate/shooting/shooting_experiment.h"
#include "parfait/io/problem/problem_file.h"
#include "problems.h"

// The shooting problem of mechanisms (a tree, a planar loop with redundant constraints and unknown
// geometry, Bricard's loop) in all its variants, against differences.
namespace parfait::estimation {
namespace {

using namespace estimate;  // NOLINT(google-build-using-namespace): tests of this room
using Eigen::VectorXd;

const char* const kMechanisms[] = {"spring_double_pendulum", "four_bar", "bricard_spring"};

/// Steps of the integrator that do not depend on the point, so that differences are those of the
/// very function whose derivative is tested.
Problem with_frozen_steps(const std::string& example, bool free) {
  Problem problem =
      io::read_problem(std::string(PARFAIT_SOURCE_DIR) + "/examples/" + example + "/problem.xml");
  problem.options.integrator.rtol = 1e-9;
  problem.options.integrator.atol = 1e6;
  problem.options.integrator.first_step = problem.options.integrator.max_step = 0.05;
  auto& e = problem.experiments[0];
  for (auto& column : e.data.columns) column.resize(10);
  if (free) e.initial = {{.kind = InitialState::Kind::kFree}};
  e.grid.intervals = 3;
  e.grid.nodes = Grid::Nodes::kIntegrate;
  return problem;
}

VectorXd waves(Eigen::Index size, double phase) {
  VectorXd x(size);
  for (Eigen::Index i = 0; i < size; ++i) x[i] = std::sin(7.0 * static_cast<double>(i) + phase);
  return x;
}

Eigen::Index states_of(const Problem& problem) {
  return problem.experiments[0].system->sizes().ny();
}

struct Variant {
  Relaxation relaxation;
  dynamics::Norm projection;
};
constexpr Variant kVariants[] = {{Relaxation::kLimit, dynamics::Norm::kMass},
                                 {Relaxation::kLimit, dynamics::Norm::kEuclidean},
                                 {Relaxation::kLimit, dynamics::Norm::kPartition},
                                 {Relaxation::kStandard, dynamics::Norm::kMass},
                                 {Relaxation::kBaumgarte, dynamics::Norm::kMass}};
constexpr ReductionMethod kReductions[] = {ReductionMethod::kNone, ReductionMethod::kFixedFit,
                                           ReductionMethod::kTangentDirections,
                                           ReductionMethod::kTangentNodes};

TEST(MechanicalShooting, BlocksAreDerivativesAlongFrozenSteps) {
  int compared = 0;
  double worst = 0;
  for (const char* mechanism : kMechanisms) {
    for (bool free : {false, true}) {
      Problem problem = with_frozen_steps(mechanism, free);
      const Unknowns shared(problem.estimates);
      for (const Variant& variant : kVariants) {
        for (ReductionMethod reduction : kReductions) {
          // The invariants reduce nodes that are projected.
          const bool projects = variant.relaxation == Relaxation::kLimit;
          if (!projects && reduction > ReductionMethod::kFixedFit) continue;
          SCOPED_TRACE(fmt::format("{} {} {} {} {}", mechanism, free ? "free" : "fixed",
                                   text(variant.relaxation), text(variant.projection),
                                   text(reduction)));
          problem.options.relaxation = variant.relaxation;
          problem.options.integrator.projection = variant.projection;
          problem.options.reduction = reduction;
          ShootingExperiment experiment(problem.experiments[0], shared, problem.options);
          ShootingExperiment other(problem.experiments[0], shared, problem.options);
          const VectorXd& p = shared.initial();
          VectorXd x;
          ASSERT_TRUE(experiment.initialize(p, x)) << experiment.why();
          x += 1e-3 * waves(x.size(), 0);  // off the constraints, nothing matches
          if (free) {                      // a free start is linearized at its projection
            const auto first = states_of(problem);
            x.head(first) = experiment.onto_manifold(x, p).head(first);
          }
          ASSERT_TRUE(experiment.linearize(x, p)) << experiment.why();
          const Block block = experiment.block();
          const VectorXd xi = waves(block.num_local(), 1);
          const VectorXd dp = waves(shared.size(), 2);
          const VectorXd dx = experiment.expand(xi, dp, false);
          constexpr double kStep = 1e-5;
          ASSERT_TRUE(other.evaluate(x + kStep * dx, p + kStep * dp)) << other.why();
          const VectorXd plus = other.residuals();
          ASSERT_TRUE(other.evaluate(x - kStep * dx, p - kStep * dp)) << other.why();
          const VectorXd difference = (plus - other.residuals()) / (2 * kStep);
          const VectorXd derivative = block.A * xi + block.B * dp;
          ASSERT_GT(derivative.norm(), 1e-2);
          const double error = (difference - derivative).norm() / derivative.norm();
          EXPECT_LT(error, 1e-6);
          worst = std::max(worst, error);
          ++compared;
        }
      }
    }
  }
  std::printf("%d blocks, worst relative difference %.1e\n", compared, worst);
  EXPECT_EQ(compared, 3 * 2 * (3 * 4 + 2 * 2));
}

TEST(MechanicalShooting, ReductionsAgreeInLoopsWithRedundantConstraints) {
  for (const char* mechanism : kMechanisms) {
    for (bool free : {false, true}) {
      Problem problem = with_frozen_steps(mechanism, free);
      Team alone;
      VectorXd x;
      ASSERT_TRUE(make_ensemble(problem, alone)->initialize(x));
      x += 1e-3 * waves(x.size(), 0);
      VectorXd full;
      for (ReductionMethod reduction : kReductions) {
        problem.options.reduction = reduction;
        const auto ensemble = make_ensemble(problem, alone);
        ASSERT_TRUE(ensemble->linearize(x).exists) << ensemble->why();
        const VectorXd dx = ensemble->increment();
        if (reduction == ReductionMethod::kNone) full = dx;
        std::printf("%s, %s, %s: |dx| %.2e, difference %.1e, directions %d\n", mechanism,
                    free ? "free" : "fixed", text(reduction), full.norm(), (dx - full).norm(),
                    static_cast<int>(ensemble->work().directions));
        EXPECT_LT((dx - full).norm(), 1e-9 * full.norm());
      }
    }
  }
}

}  // namespace
}  // namespace parfait::estimation
