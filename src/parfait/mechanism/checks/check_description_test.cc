#include "parfait/mechanism/checks/check_description.h"
#include "parfait/mechanism/constants/element_constants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

#include "parfait/mechanism/description/body_inertia.h"
#include "parfait/mechanism/elements/registry.h"

// The messages about broken files are tested with the files: io/model/broken_models_test.cc.
namespace parfait::mechanism {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// The pendulum of Kraus 2006, section 12.1.1, built in code.
Description pendulum() {
  Description d;
  Body body;
  body.id = "Arm";
  body.mass = 2.0;
  body.center_of_mass[0] = 0.5;
  body.inertia[0][0] = 2.5;
  body.inertia[1][1] = 2.0;
  body.inertia[2][2] = 2.0;
  d.bodies.push_back(body);
  Joint joint;
  joint.id = "Hinge";
  joint.key = "Revolute";
  joint.begin.body = kInertial;
  joint.end.body = "Arm";
  d.joints.push_back(joint);
  Force gravity;
  gravity.id = "Gravity";
  gravity.key = "Gravitation";
  gravity.constants = {{"g", -9.81}};
  d.forces.push_back(gravity);
  return d;
}

Parameter parameter(std::string id, std::vector<std::string> targets) {
  Parameter p;
  p.id = std::move(id);
  p.targets = std::move(targets);
  return p;
}

std::string check_message(const Description& d) {
  try {
    check(d);
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(CheckDescription, AcceptsThePendulumWithoutWarnings) {
  EXPECT_THAT(check(pendulum()), IsEmpty());
}

TEST(CheckDescription, AModelBuiltInCodeGetsTheSameMessagesWithoutPlace) {
  auto d = pendulum();
  d.joints[0].end.body = "Amr";
  EXPECT_EQ(
      check_message(d),
      "joint \"Hinge\": end: \"Amr\" is not a body. Did you mean \"Arm\"? Bodies: Inertial, Arm.");
}

TEST(CheckDescription, WarnsAboutAParameterThatDoesNothing) {
  auto d = pendulum();
  d.parameters = {parameter("idle", {}), parameter("busy", {})};
  d.parameters[0].initial = d.parameters[1].initial = 3.0;
  d.bodies[0].mass.formula = "2*busy";
  EXPECT_THAT(check(d),
              ElementsAre("parameter \"idle\" drives no constant and no formula uses it."));
}

TEST(CheckDescription, UsesTheStartValuesOfParameters) {
  auto d = pendulum();
  d.parameters = {parameter("m", {"Arm.mass"})};
  EXPECT_THAT(check(d), IsEmpty());
  d.parameters[0].initial = -1.0;
  EXPECT_EQ(check_message(d), "body \"Arm\": mass = -1: must be > 0.");
  d.parameters = {parameter("Ixx", {"Arm.inertia.xx"})};
  d.parameters[0].initial = 4.5;
  EXPECT_EQ(
      check_message(d),
      "body \"Arm\": impossible inertia: the largest principal moment 4.5 exceeds the sum of the "
      "others 4 (triangle inequality).");
}

TEST(CheckDescription, AcceptsRodsWithoutThicknessThatSomeEnginesTake) {
  auto d = pendulum();
  d.bodies[0].inertia[0][0] = 0.0;
  EXPECT_THAT(check(d), IsEmpty());
}

TEST(CheckDescription, FormulasMayUseAParameterOfKsForm) {
  auto d = pendulum();
  d.parameters = {parameter("", {"Gravity.Constant_0"})};
  d.bodies[0].mass.formula = "-Gravity.g/9.81";
  EXPECT_THAT(check(d), IsEmpty());
  EXPECT_EQ(parameter_name(d, d.parameters[0]), "Gravity.g");
}

TEST(CheckDescription, KnowsTheTypesThatAPlugInRegistered) {
  auto d = pendulum();
  d.joints[0].key = "Sticky";
  EXPECT_THAT(check_message(d), ::testing::StartsWith("joint \"Hinge\": unknown key \"Sticky\"."));
  registry().add(JointType{"Sticky", "test", {}, {{"glue", "N", "how sticky", 1.0}}, 3, 3});
  EXPECT_THAT(check(d), IsEmpty());
  EXPECT_EQ(constant_number(d, "Hinge.glue"), 1.0);
}

TEST(ConstantNames, BodyNamesEndWithItsMarkers) {
  auto d = pendulum();
  Marker tip;
  tip.id = "tip";
  tip.body = "Arm";
  d.bodies[0].markers.push_back(tip);
  const auto names = constant_names(d, "Arm");
  ASSERT_EQ(names.size(), 4U + 6 + 10 + 12);
  EXPECT_EQ(names[0], "mass");
  EXPECT_EQ(names[1], "com.x");
  EXPECT_EQ(names[4], "inertia.xx");
  EXPECT_EQ(names[7], "inertia.xy");
  EXPECT_EQ(names[9], "inertia.yz");
  EXPECT_EQ(names[10], "cholesky.0");
  EXPECT_EQ(names[20], "tip.o.x");
  EXPECT_EQ(names[31], "tip.z.z");
}

TEST(ConstantNames, JointNamesAreThoseOfItsTypeThenItsFrames) {
  auto d = pendulum();
  d.joints[0].key = "FixedDistance";
  const auto names = constant_names(d, "Hinge");
  ASSERT_EQ(names.size(), 25U);
  EXPECT_EQ(names[0], "distance");
  EXPECT_EQ(names[1], "begin.o.x");
  EXPECT_EQ(names[24], "end.z.z");
}

TEST(ConstantNames, GravityHasOneOrThree) {
  auto d = pendulum();
  EXPECT_THAT(constant_names(d, "Gravity"), ElementsAre("g"));
  d.forces[0].constants = {{"Constant_0", 0.0}, {"Constant_1", 0.0}, {"Constant_2", -9.81}};
  EXPECT_THAT(constant_names(d, "Gravity"), ElementsAre("gx", "gy", "gz"));
  EXPECT_EQ(constant_number(d, "Gravity.gz"), -9.81);
}

TEST(ConstantNumber, InertiaAboutTheOriginIsMovedToTheCentreOfMass) {
  auto d = pendulum();
  d.bodies[0].about = InertiaPoint::kOrigin;
  // Steiner by hand: 2 - 2 * 0.5^2 = 1.5 across the offset, nothing along it.
  EXPECT_DOUBLE_EQ(constant_number(d, "Arm.inertia.xx").value(), 2.5);
  EXPECT_DOUBLE_EQ(constant_number(d, "Arm.inertia.yy").value(), 1.5);
  EXPECT_DOUBLE_EQ(constant_number(d, "Arm.inertia.zz").value(), 1.5);
  d.bodies[0].mass.formula = "m";
  EXPECT_FALSE(constant_number(d, "Arm.inertia.yy").has_value());
}

TEST(ConstantNumber, CholeskyFactorRebuildsThePseudoInertia) {
  auto d = pendulum();
  d.bodies[0].center_of_mass = {0.5, -0.2, 0.1};
  d.bodies[0].inertia[0][1] = d.bodies[0].inertia[1][0] = 0.3;
  Eigen::Matrix4d L = Eigen::Matrix4d::Zero();
  for (int i = 0, k = 0; i < 4; ++i) {
    for (int j = 0; j <= i; ++j, ++k) {
      L(i, j) = constant_number(d, "Arm.cholesky." + std::to_string(k)).value();
    }
  }
  const double m = 2;
  const Eigen::Vector3d c(0.5, -0.2, 0.1);
  Eigen::Matrix3d Theta;
  Theta << 2.5, 0.3, 0, 0.3, 2, 0, 0, 0, 2;
  Eigen::Matrix4d P;
  P.topLeftCorner<3, 3>() =
      0.5 * Theta.trace() * Eigen::Matrix3d::Identity() - Theta + m * c * c.transpose();
  P.topRightCorner<3, 1>() = m * c;
  P.bottomLeftCorner<1, 3>() = m * c.transpose();
  P(3, 3) = m;
  EXPECT_LT((L * L.transpose() - P).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(StartValue, IsThePresentNumberUnlessInitialIsGiven) {
  auto d = pendulum();
  auto p = parameter("c", {"Arm.com.x"});
  EXPECT_EQ(start_value(d, p), 0.5);
  p.initial = 0.7;
  EXPECT_EQ(start_value(d, p), 0.7);
}

/// Inertia about the centre of a cloud of point masses: whatever it is, it can exist.
Eigen::Matrix3d inertia_of_cloud(std::mt19937& random, const Eigen::Vector3d& extent) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<Eigen::Vector3d> points;
  Eigen::Vector3d center = Eigen::Vector3d::Zero();
  for (int i = 0; i < 6; ++i) {
    const Eigen::Vector3d direction(uniform(random), uniform(random), uniform(random));
    points.emplace_back(direction.cwiseProduct(extent));
    center += points.back() / 6;
  }
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();
  for (const auto& point : points) {
    const Eigen::Vector3d r = point - center;
    inertia += r.squaredNorm() * Eigen::Matrix3d::Identity() - r * r.transpose();
  }
  return inertia;
}

TEST(InertiaFault, AcceptsEveryCloudOfPointMassesInSpaceAndNoneInAPlane) {
  std::mt19937 random(20);
  for (int trial = 0; trial < 200; ++trial) {
    EXPECT_EQ(inertia_fault(inertia_of_cloud(random, {1, 1, 1})).message, "");
    EXPECT_EQ(inertia_fault(inertia_of_cloud(random, {1, 1e-4, 1e-4})).message, "");  // a real rod
    const auto plate = inertia_fault(inertia_of_cloud(random, {1, 1, 0}));
    EXPECT_THAT(plate.message, ::testing::StartsWith("an infinitely thin body"));
    EXPECT_FALSE(plate.is_impossible);
  }
}

}  // namespace
}  // namespace parfait::mechanism
