#include <gtest/gtest.h>

#include <fmt/format.h>

#include "parfait/mbs/build/test_state.h"
#include "parfait/mbs/model.h"
#include "parfait/mechanism/elements/constraint_types.h"
#include "parfait/mechanism/elements/registry.h"
#include "testing/differences.h"
#include "testing/driven_models.h"
#include "testing/model_gallery.h"
#include "testing/random_models.h"

// Directional derivatives of the right-hand side against extrapolated central differences of the
// right-hand side itself, on and off the manifold, for every kind of element and parameter.
namespace parfait::mbs {
namespace {

using Eigen::VectorXd;
using math::Directions;
using testing_support::differentiate;
using testing_support::Random;
using testing_support::RandomModelOptions;
using testing_support::TestModel;

struct Direction {
  double dt;
  VectorXd dy, dp;
};

/// y' directions for one direction, computed together with others in all lanes.
VectorXd direction_of(const Model& model, double t, const VectorXd& y, const VectorXd& p,
                      const Direction& d, int lane, int count) {
  auto ws = model.make_workspace(count);
  model.bind(*ws, view(p));
  Directions dp(model.sizes().np, count), dy(model.sizes().ny(), count),
      out(model.sizes().ny(), count);
  std::vector<double> dt(count, 0.0);
  for (int i = 0; i < dp.rows(); ++i) dp(i, lane) = d.dp[i];
  for (int i = 0; i < dy.rows(); ++i) dy(i, lane) = d.dy[i];
  dt[lane] = d.dt;
  model.bind_directions(*ws, dp);
  rates(model, *ws, t, y);
  dynamics::PointDirections at;
  at.dt = dt;
  at.dy = &dy;
  model.directions(*ws, at, out, nullptr);
  VectorXd result(out.rows());
  for (int i = 0; i < out.rows(); ++i) result[i] = out(i, lane);
  for (int k = 0; k < count; ++k) {  // the other lanes have no direction
    if (k == lane) continue;
    for (int i = 0; i < out.rows(); ++i) EXPECT_EQ(out(i, k), 0.0);
  }
  return result;
}

VectorXd initial_parameters(const Model& model) {
  VectorXd p(model.sizes().np);
  for (int i = 0; i < p.size(); ++i) p[i] = model.parameters()[i].initial;
  return p;
}

/// Relative error of the directions along (dt, dy, dp), of which some component must exceed
/// `least`.
double error(const Model& model, double t, const VectorXd& y, const VectorXd& p, const Direction& d,
             double h0 = 0.02, double least = 1e-6) {
  auto ws = model.make_workspace(0);
  const auto reference = differentiate(
      [&](double h) -> VectorXd {
        model.bind(*ws, view(VectorXd(p + h * d.dp)));
        return rates(model, *ws, t + h * d.dt, y + h * d.dy);
      },
      h0);
  EXPECT_GT(reference.value.cwiseAbs().maxCoeff(), least);
  return relative_difference(direction_of(model, t, y, p, d, 2, 6), reference.value);
}

Direction state_direction(const Model& model, unsigned seed, double dt) {
  Random random(seed);
  return {dt, random.vector(model.sizes().ny(), 1.0), VectorXd::Zero(model.sizes().np)};
}

/// On the manifold and away from it.
void expect_exact(const TestModel& test, unsigned seed, double dt, double bound,
                  const std::string& what) {
  const Model model(test.description);
  Random random(seed);
  const VectorXd y = VectorXd::Map(model.initial_state().data(), model.sizes().ny());
  const VectorXd off = y + random.vector(static_cast<int>(y.size()), 0.05);
  const VectorXd p = initial_parameters(model);
  const auto d = state_direction(model, seed, dt);
  EXPECT_LT(error(model, 0.3, y, p, d), bound) << what << " seed " << seed;
  EXPECT_LT(error(model, 0.3, off, p, d), bound) << what << " off the manifold, seed " << seed;
}

TEST(Directions, EveryJointTypeMatchesDifferences) {
  for (const auto& key : registry().joint_keys()) {
    if (key == "Free" || key == mechanism::kAxesJoint) continue;
    for (unsigned seed = 1; seed <= 3; ++seed) {
      RandomModelOptions options;
      options.bodies = 3;
      options.joints = {key};
      options.free_root = key == "Fixed";
      expect_exact(testing_support::random_model(seed, options), seed, 0, 1e-9, key);
    }
  }
}

TEST(Directions, TreesWithForcesMatchDifferences) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    RandomModelOptions options;
    options.bodies = 6;
    options.tree = true;
    options.forces = 5;
    options.general_laws = true;
    options.free_root = seed % 2 == 0;
    expect_exact(testing_support::random_model(seed, options), seed, 1, 1e-8, "tree");
  }
}

TEST(Directions, GeneralFramesAndOtherCoordinatesMatchDifferences) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    RandomModelOptions options;
    options.bodies = 4;
    options.general_frames = true;
    options.mixed_coordinates = true;
    options.forces = 3;
    expect_exact(testing_support::random_model(seed, options), seed, 0, 1e-8, "general frames");
  }
}

TEST(Directions, ReleasedBodiesMatchDifferences) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    RandomModelOptions options;
    options.bodies = 4;
    options.release_constraints = true;
    options.general_frames = seed % 2 == 0;
    options.forces = 4;
    expect_exact(testing_support::random_model(seed, options), seed, 0, 1e-8, "released");
  }
}

TEST(Directions, DrivenAndVelocityConstraintsMatchDifferences) {
  expect_exact(testing_support::driven_pendulum(), 1, 1, 1e-8, "driven");
  expect_exact({testing_support::skate()}, 2, 0, 1e-8, "skate");
  expect_exact({testing_support::constant_speed_pair()}, 3, 0, 1e-8, "constant speed");
}

TEST(Directions, LoopsMatchDifferencesAlongTheManifold) {
  // With redundant rows the differences must stay on the manifold, where the rows stay redundant.
  for (const auto& description :
       {testing_support::four_bar(), testing_support::bricard(), testing_support::loop(1)}) {
    const Model model(description);
    const int ny = model.sizes().ny();
    auto ws = model.make_workspace(4);
    const VectorXd y = VectorXd::Map(model.initial_state().data(), ny);
    Random random(5);
    const VectorXd raw = random.vector(ny, 1.0);
    const auto on_manifold = [&](double h) -> VectorXd {
      VectorXd x = y + h * raw;
      EXPECT_EQ(model.project(*ws, 0, view(x), dynamics::Norm::kMass, 1e-13).status,
                dynamics::Status::kOk);
      return x;
    };
    const auto tangent = differentiate(on_manifold, 1e-3);
    const auto reference =
        differentiate([&](double h) { return rates(model, *ws, 0, on_manifold(h)); }, 1e-3);
    const VectorXd p = initial_parameters(model);
    const VectorXd result = direction_of(model, 0, y, p, {0, tangent.value, p}, 1, 4);
    EXPECT_GT(reference.value.cwiseAbs().maxCoeff(), 0.1);
    EXPECT_LT(relative_difference(result, reference.value), 1e-7);
  }
}

/// A model with every kind of element between two moving bodies and the ground.
Description parameter_model(const std::string& joint, const std::string& force) {
  RandomModelOptions options;
  options.bodies = 3;
  options.joints = {joint};
  options.free_root = joint == "Fixed";
  auto d = testing_support::random_model(11, options).description;
  Force f;
  f.key = force;
  f.id = "f";
  f.begin = testing_support::marker(
      d.bodies[0].id, testing_support::axes_frame({0.3, 0.1, -0.2}, Random(3).rotation()));
  f.end = testing_support::marker(
      d.bodies[2].id, testing_support::axes_frame({-0.1, 0.4, 0.2}, Random(4).rotation()));
  const ForceType& type = *registry().find_force(force);
  for (const auto& info : type.constants) f.constants.push_back({info.name, Value(1.7)});
  if (type.has_law) {
    f.law.formula = type.key == "General_Rotational" ? "k*sin(angle) + 0.3*rate*angle + cos(t)"
                                                     : "k*length^2 + 0.3*rate*length + cos(t)";
    Parameter k;
    k.id = "k";
    k.initial = 2.0;
    d.parameters.push_back(k);
  }
  d.forces.push_back(f);
  return d;
}

TEST(Directions, ParameterOfAGeneralLawMatchesDifferences) {
  for (const char* key :
       {"General_Linear", "General_Z", "General_Direction", "General_Rotational"}) {
    const Model model(parameter_model("Spherical", key));
    VectorXd y = VectorXd::Map(model.initial_state().data(), model.sizes().ny());
    Direction d{1, Random(1).vector(static_cast<int>(y.size()), 1.0), VectorXd::Ones(1)};
    EXPECT_LT(error(model, 0.3, y, initial_parameters(model), d), 1e-8) << key;
  }
}

TEST(Directions, CoupledExternalStatesMatchDifferences) {
  auto d = parameter_model("Revolute", "General_Linear");
  State e1;
  e1.id = "e1";
  e1.initial = 0.4;
  e1.derivative.formula = "-k*e1 + f.length*" + d.bodies[1].id + ".com.vx + sin(t)";
  d.states.push_back(e1);
  d.forces.back().law.formula = "k*length*e1^2 + rate";
  const Model model(d);
  VectorXd y = VectorXd::Map(model.initial_state().data(), model.sizes().ny());
  Direction direction{1, Random(2).vector(static_cast<int>(y.size()), 1.0), VectorXd::Ones(1)};
  EXPECT_LT(error(model, 0.3, y, initial_parameters(model), direction), 1e-8);
}

TEST(Directions, AmplitudeOfADriveMatchesDifferences) {
  auto test = testing_support::driven_pendulum();
  auto& d = test.description;
  Parameter amplitude;
  amplitude.id = "amplitude";
  amplitude.initial = 0.1;
  d.parameters.push_back(amplitude);
  for (auto& c : d.constraints) {
    if (c.id == "pivot_z") c.offset.formula = "amplitude*sin(3*t)";
  }
  const Model model(d);
  VectorXd y = VectorXd::Map(model.initial_state().data(), model.sizes().ny());
  Direction direction{1, Random(2).vector(static_cast<int>(y.size()), 1.0), VectorXd::Ones(1)};
  EXPECT_LT(error(model, 0.3, y, initial_parameters(model), direction), 1e-8);
}

TEST(Directions, EveryDrivenConstraintKindMatchesDifferencesInStatesTimeAndParameters) {
  // Steps from 0.02 downwards, extrapolated: small against the lengths, speeds and periods near
  // one, so the series converges, and large enough for rounding to stay below 1e-10.
  constexpr double kTime = 0.7, kStep = 0.02;
  for (const auto& type : mechanism::constraint_types()) {
    for (const auto& test : testing_support::driven_models(type.key)) {
      const Model model(test.description);
      ASSERT_EQ(model.sizes().np, 2);  // amplitude, frequency
      auto ws = model.make_workspace(0);
      const int ny = model.sizes().ny();
      const VectorXd still = VectorXd::Zero(ny), p = initial_parameters(model), fixed = 0 * p;
      const VectorXd on = projected(model, *ws, kTime, start_state(model));
      const std::pair<const char*, Direction> directions[] = {
          {"states", {0, Random(1).vector(ny, 1.0), fixed}},
          {"time", {1, still, fixed}},
          {"amplitude", {0, still, VectorXd::Unit(2, 0)}},
          {"frequency", {0, still, VectorXd::Unit(2, 1)}}};
      for (const VectorXd& y : {on, VectorXd(on + Random(2).vector(ny, 0.05))}) {
        for (const auto& [name, d] : directions) {
          // Relative to one where the derivative is less, but it is never less than a tenth
          // (measured 0.101 to 88), so this is 1e-8 of the derivative itself.
          EXPECT_LT(error(model, kTime, y, p, d, kStep, 0.1), 1e-9)
              << test.description.id << ", " << name;  // measured 1.9e-11
        }
      }
    }
  }
}

}  // namespace
}  // namespace parfait::mbs
