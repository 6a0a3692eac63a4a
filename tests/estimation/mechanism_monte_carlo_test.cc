#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>

#include "build.h"
#include "parfait/io/model/model_file.h"
#include "parfait/mbs/model.h"
#include "problems.h"
#include "repeated.h"

// Covariances and intervals of a mechanism against what happens when its experiment is repeated.
namespace parfait::estimation {
namespace {

using namespace estimate;  // NOLINT(google-build-using-namespace): tests of this room

constexpr double kMarkerSigma = 0.005;

/// The pendulum of examples/pendulum: gravity, the place of the hinge on the bar (which changes the
/// constraints) and the initial angle and rate are unknown; the centre is measured 15 times.
Problem hinged_pendulum() {
  mechanism::Description d =
      io::read_model(std::string(PARFAIT_SOURCE_DIR) + "/examples/pendulum/pendulum.xml");
  mechanism::Parameter hinge;
  hinge.id = "hinge";
  hinge.targets = {"Hinge.end.o.x"};
  d.parameters.push_back(hinge);
  d.bodies[0].x = {0.8, 0, -0.6};
  d.bodies[0].z = {0.6, 0, 0.8};
  Problem problem;
  problem.estimates = {{.parameter = "gravity", .initial = -9.81, .truth = -9.81},
                       {.parameter = "hinge", .initial = 0.1, .truth = 0.1}};
  ExperimentDescription& e = problem.experiments.emplace_back();
  e.id = "swing";
  e.system = mbs::build(d);
  e.data = empty_data(times(0, 1.4, 15), {"x", "z"});
  for (const char* c : {"x", "z"}) {
    e.observations.push_back({.column = c,
                              .quantity = std::string("Bar.com.") + c,
                              .sigma = {.absolute = kMarkerSigma}});
  }
  free_start(e);
  e.grid.intervals = 2;
  problem.options.integrator.method = integrate::Method::kDopri5;
  problem.options.integrator.rtol = 1e-6;
  problem.options.integrator.atol = 1e-7;
  return problem;
}

TEST(MonteCarlo, CovarianceAndIntervalsOfAMechanismWithUnknownGeometryAreRight) {
  const Problem problem = hinged_pendulum();
  const FitResult truth = fit_exact_data(problem);
  ASSERT_TRUE(truth.converged()) << truth.iteration.message;
  // 26 unknowns, of which the constraints leave an angle and a rate; 30 data.
  EXPECT_EQ(truth.scale.num_free, 4);
  EXPECT_EQ(truth.scale.degrees_of_freedom, 26);

  // The parameters, the initial angle and rate in e1 = (cos, 0, -sin), and where the bar begins:
  // o = -hinge e1 depends on both.
  std::vector<Eigen::Index> watched;
  for (const char* id : {"gravity", "hinge", "Bar.e1.z", "Bar.e1.vz", "Bar.o.z"}) {
    watched.push_back(&find(truth, id) - truth.estimates.data());
  }
  // The share has a standard error of 1 %; beta^2 has 26 degrees of freedom, sd of its mean
  // sqrt(2 / 26 / runs) = 1.2 %.
  expect_repetitions_agree(problem, truth, watched, 500, {.coverage = 0.03, .covariance = 0.04});
  EXPECT_GT(std::abs(truth.correlation(watched[0], watched[1])), 0.05);  // not vacuous
}

}  // namespace
}  // namespace parfait::estimation
