#include <gtest/gtest.h>

#include <fmt/format.h>

#include <set>

#include "parfait/mbs/build/test_state.h"
#include "parfait/mbs/model.h"
#include "parfait/mechanism/checks/check_description.h"
#include "parfait/mechanism/constants/element_constants.h"
#include "parfait/mechanism/elements/constraint_row.h"
#include "parfait/mechanism/elements/constraint_types.h"
#include "parfait/mechanism/elements/registry.h"
#include "testing/differences.h"
#include "testing/driven_models.h"
#include "testing/model_gallery.h"
#include "testing/random_models.h"

// Every constant of every element as a parameter, all of them at once: none may be left out, and
// the right-hand side has the directions of each. All axes are given, so all twelve numbers of a
// frame can be driven.
namespace parfait::mbs {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using math::Directions;
using testing_support::Random;
using testing_support::RandomModelOptions;

/// The description with a parameter for every constant of the element, and how many there are.
int drive_all(Description& d, const std::string& element, bool cholesky = false) {
  int count = 0;
  for (const auto& constant : constant_names(d, element)) {
    const bool inertial =
        constant == "mass" || constant.starts_with("com.") || constant.starts_with("inertia.");
    if (cholesky ? inertial : constant.starts_with("cholesky.")) continue;
    Parameter p;
    p.targets = {fmt::format("{}.{}", element, constant)};
    d.parameters.push_back(p);
    ++count;
  }
  return count;
}

struct Outcome {
  int tested = 0;
  int moving = 0;  ///< those that change the accelerations
};

/// Directions of all parameters in one call against differences of each.
Outcome expect_exact(const Description& d, double bound) {
  const Model model(d);
  const int np = model.sizes().np, ny = model.sizes().ny();
  const VectorXd p = start_parameters(model);
  const VectorXd y = start_state(model) + Random(17).vector(ny, 0.02);
  auto ws = model.make_workspace(np);
  Directions dp(np, np), out(ny, np);
  for (int i = 0; i < np; ++i) dp(i, i) = 1;
  model.bind(*ws, view(p));
  model.bind_directions(*ws, dp);
  rates(model, *ws, 0.3, y);
  model.directions(*ws, {}, out, nullptr);
  Outcome outcome;
  auto plain = model.make_workspace(0);
  for (int i = 0; i < np; ++i) {
    const auto reference = testing_support::differentiate(
        [&](double h) -> VectorXd {
          model.bind(*plain, view(VectorXd(p + h * VectorXd::Unit(np, i))));
          return rates(model, *plain, 0.3, y);
        },
        0.01);
    VectorXd result(ny);
    for (int r = 0; r < ny; ++r) result[r] = out(r, i);
    EXPECT_LT(relative_difference(result, reference.value), bound) << model.parameters()[i].id;
    ++outcome.tested;
    outcome.moving += reference.value.cwiseAbs().maxCoeff() > 1e-6;
  }
  return outcome;
}

Frame full_frame(Random& random) {
  return testing_support::axes_frame(random.vector(0.4), random.rotation());
}

/// Two bodies joined by the key with all axes given; not consistent before it is assembled.
Description joined(const std::string& key) {
  RandomModelOptions options;
  options.bodies = 2;
  options.joints = {key};
  options.free_root = true;
  for (unsigned seed = 1;; ++seed) {
    auto d = testing_support::random_model(seed, options).description;
    const auto all = [](const Marker& m) {
      return m.reference.empty() && m.frame.has_x && m.frame.has_y && m.frame.has_z;
    };
    if (all(d.joints[0].begin) && all(d.joints[0].end)) return d;
  }
}

/// How many constants of its markers change the accelerations of a joint: three numbers for each
/// point or axis that a row feels. In BBDX the begin point only shifts the row by a constant of its
/// own rigid body, and so does a fixed distance: no acceleration knows.
int num_felt(const std::vector<Row>& rows) {
  std::set<std::string> used;
  for (const auto& row : rows) {
    if (row.kind != RowKind::kDDX) used.insert("end.o");
    if (row.kind != RowKind::kDDX && row.kind != RowKind::kBBDX) used.insert("begin.o");
    if (row.a_axis) used.insert(std::string("begin.") + row.a_axis);
    if (row.b_axis) used.insert(std::string("end.") + row.b_axis);
  }
  return 3 * static_cast<int>(used.size());
}

TEST(Constants, EveryJointConstantCanBeDriven) {
  for (const auto& type : registry().joints()) {
    if (type.key == mechanism::kAxesJoint) continue;  // of joint coordinates only
    auto d = joined(type.key);
    const int count = drive_all(d, d.joints[0].id);
    EXPECT_EQ(count, 24 + static_cast<int>(type.constants.size())) << type.key;
    const auto outcome = expect_exact(d, 1e-7);
    EXPECT_EQ(outcome.tested, count) << type.key;
    EXPECT_EQ(outcome.moving, num_felt(type.rows)) << type.key;
  }
}

TEST(Constants, EveryConstraintConstantCanBeDriven) {
  for (const auto& type : mechanism::constraint_types()) {
    auto [d, functions] = testing_support::driven_models(type.key)[0];
    Constraint& c = d.constraints[0];
    d.parameters.clear();
    c.offset = functions.offsets.at(c.id)(0)[0];
    const int count = drive_all(d, c.id);
    EXPECT_EQ(count, 25) << type.key;  // the offset and two frames
    const auto outcome = expect_exact(d, 1e-7);
    EXPECT_EQ(outcome.tested, count) << type.key;
    const Row row{type.kind, uses_a(type.kind) ? c.begin_axis : '\0',
                  uses_b(type.kind) ? c.end_axis : '\0'};
    EXPECT_EQ(outcome.moving, num_felt({row})) << type.key;
  }
}

TEST(Constants, EveryForceConstantCanBeDriven) {
  for (const auto& type : registry().forces()) {
    if (type.measure.empty()) continue;
    auto d = joined("Spherical");
    Random random(18);
    Force f;
    f.key = type.key;
    f.id = "f";
    f.begin = testing_support::marker("body_1", full_frame(random));
    f.end = testing_support::marker("body_2", full_frame(random));
    for (const auto& info : type.constants) f.constants.push_back({info.name, Value(1.7)});
    if (type.has_law) {
      f.law.formula =
          type.key == "General_Rotational" ? "2*sin(angle) + 0.3*rate" : "2*length + rate";
    }
    d.forces.push_back(f);
    const int count = drive_all(d, "f");
    EXPECT_EQ(count, 24 + static_cast<int>(type.constants.size())) << type.key;
    const auto outcome = expect_exact(d, 1e-7);
    EXPECT_EQ(outcome.tested, count) << type.key;
    EXPECT_GE(outcome.moving, 5 + static_cast<int>(type.constants.size())) << type.key;
  }
}

/// The same body with its inertia written about its origin.
void write_about_origin(Body& body) {
  Eigen::Vector3d c;
  for (int i = 0; i < 3; ++i) c[i] = body.center_of_mass[i].number;
  const Eigen::Matrix3d shift =
      body.mass.number * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose());
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) body.inertia[i][j].number += shift(i, j);
  }
  body.about = InertiaPoint::kOrigin;
}

TEST(Constants, BodyConstantsCanBeDrivenDirectlyAndThroughTheCholeskyFactor) {
  for (bool cholesky : {false, true}) {
    for (bool about_origin : {false, true}) {
      auto d = joined("Revolute");
      if (about_origin && d.bodies[1].about != InertiaPoint::kOrigin) {
        write_about_origin(d.bodies[1]);
      }
      const int count = drive_all(d, "body_2", cholesky);
      EXPECT_EQ(count, 10);
      const auto outcome = expect_exact(d, 1e-7);
      EXPECT_EQ(outcome.moving, 10);
    }
  }
}

TEST(Constants, InertiaAboutTheOriginFollowsMassAndCentre) {
  // One body on a pivot in its origin, inertia Theta about it: alpha = m g c / Theta whatever the
  // mass does to the inertia about the centre.
  auto d = testing_support::revolute_chain(1);
  d.bodies[0].about = InertiaPoint::kOrigin;
  d.bodies[0].mass.formula = "m";
  Parameter m;
  m.id = "m";
  m.initial = 2.0;
  d.parameters.push_back(m);
  const Model model(d);
  auto ws = model.make_workspace(0);
  for (double mass : {1.5, 2.0, 2.5}) {
    model.bind(*ws, view(VectorXd(VectorXd::Constant(1, mass))));
    const double az = observed(model, *ws, 0, start_state(model), "body_1.com.az");
    EXPECT_NEAR(az, -0.5 * mass * 9.81 * 0.5 / 2.0, 1e-12);
  }
}

TEST(Constants, GravityAndConstraintOffsetsCanBeDriven) {
  auto d = testing_support::skate();
  int count = 0;
  for (const auto& c : d.constraints) {
    if (c.offset.is_formula()) continue;
    Parameter p;
    p.targets = {c.id + ".offset"};
    d.parameters.push_back(p);
    ++count;
  }
  for (auto& force : d.forces) {
    if (force.key == "Gravitation") force = testing_support::gravitation({0.3, -0.2, -9.81});
  }
  count += drive_all(d, "Gravitation");
  EXPECT_GE(count, 4);
  const auto outcome = expect_exact(d, 1e-7);
  EXPECT_EQ(outcome.tested, count);
}

}  // namespace
}  // namespace parfait::mbs
