#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parfait/mbs/build/test_state.h"
#include "parfait/mbs/model.h"
#include "parfait/mechanism/constants/element_constants.h"
#include "testing/driven_models.h"
#include "testing/model_gallery.h"
#include "testing/random_models.h"
#include "testing/system_laws.h"

// Pull-backs against the directions they transpose, with every constant of a model a parameter and
// every quantity observed. The directions have tests of their own, against differences.
namespace parfait::mbs::pull_back_test {
namespace {

using ::testing::IsEmpty;
using testing_support::LawReport;
using testing_support::Random;

/// Axes that follow from others and offsets with formulas cannot be driven.
bool can_be_driven(Description d, const Parameter& p) {
  d.parameters = {p};
  try {
    Model model(d);
  } catch (const base::InputError&) {
    return false;
  }
  return true;
}

/// The description with a parameter for every number of it.
void drive_all(Description& d, bool cholesky) {
  std::vector<std::string> ids;
  for (const auto& body : d.bodies) ids.push_back(body.id);
  for (const auto& joint : d.joints) ids.push_back(joint.id);
  for (const auto& force : d.forces) ids.push_back(force.id);
  for (const auto& constraint : d.constraints) ids.push_back(constraint.id);
  for (const auto& id : ids) {
    for (const auto& constant : constant_names(d, id)) {
      const bool inertial =
          constant == "mass" || constant.starts_with("com.") || constant.starts_with("inertia.");
      if (cholesky ? inertial : constant.starts_with("cholesky.")) continue;
      Parameter p;
      p.targets = {std::string(id).append(".").append(constant)};
      if (can_be_driven(d, p)) d.parameters.push_back(p);
    }
  }
}

LawReport pull_backs(const Model& model, double off) {
  testing_support::LawPoint point;
  point.t = 0.3;
  const Eigen::VectorXd y = start_state(model) + Random(7).vector(model.sizes().ny(), 1.0) * off;
  const Eigen::VectorXd p = start_parameters(model);
  point.y.assign(y.begin(), y.end());
  point.p.assign(p.begin(), p.end());
  testing_support::LawOptions options;
  options.quantities = model.quantity_names();
  return testing_support::check_pull_backs(model, point, options);
}

void expect_transposed(Description d, const std::string& what, bool cholesky = false) {
  drive_all(d, cholesky);
  const Model model(d);
  EXPECT_TRUE(model.has_pull_backs()) << what;
  for (const double off : {0.0, 0.02}) {
    const auto report = pull_backs(model, off);
    EXPECT_THAT(report.violations, IsEmpty()) << what << ", off " << off;
    EXPECT_GT(report.num_nonzero, 200) << what;
  }
}

TEST(PullBacks, TransposeTheDirectionsOfTheGallery) {
  expect_transposed(testing_support::revolute_chain(3), "chain");
  expect_transposed(testing_support::revolute_chain(2), "cholesky", true);
  expect_transposed(testing_support::spherical_chain(5), "spherical");
  expect_transposed(testing_support::driven_pendulum().description, "driven");
  expect_transposed(testing_support::skate(), "skate");
  expect_transposed(testing_support::constant_speed_pair(), "speed");
}

TEST(PullBacks, TransposeTheDirectionsOfRandomModels) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    testing_support::RandomModelOptions options;
    options.tree = seed % 2 == 0;
    options.free_root = seed % 3 == 0;
    options.general_frames = seed % 2 == 1;
    options.mixed_coordinates = seed > 3;
    options.forces = 6;
    expect_transposed(testing_support::random_model(seed, options).description,
                      "seed " + std::to_string(seed));
  }
}

/// Loops with redundant rows: what one row loses another takes over, on the manifold.
TEST(PullBacks, TransposeTheDirectionsOfLoops) {
  for (const auto& d :
       {testing_support::four_bar(), testing_support::bricard(), testing_support::hexapod()}) {
    const Model model(d);
    const auto report = pull_backs(model, 0.0);
    EXPECT_THAT(report.violations, IsEmpty());
    EXPECT_GT(report.num_nonzero, 200);
  }
}

/// Released bodies have no pull-back of their own: that of any system serves.
TEST(PullBacks, ExistForReleasedBodiesToo) {
  testing_support::RandomModelOptions options;
  options.release_constraints = true;
  options.forces = 2;
  options.bodies = 3;
  int released = 0;
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const Model model(testing_support::random_model(seed, options).description);
    released += !model.has_pull_backs();
    EXPECT_THAT(pull_backs(model, 0.0).violations, IsEmpty()) << seed;
  }
  EXPECT_GT(released, 0);
}

}  // namespace
}  // namespace parfait::mbs::pull_back_test
