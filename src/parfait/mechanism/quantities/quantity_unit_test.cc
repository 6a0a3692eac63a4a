#include "parfait/mechanism/quantities/quantity_unit.h"

#include <gtest/gtest.h>

namespace parfait::mechanism {
namespace {

TEST(QuantityUnit, FollowsTheTableOfQuantities) {
  Description model;
  model.bodies.emplace_back().id = "Arm";
  model.joints.emplace_back().id = "Elbow";
  model.forces.emplace_back().id = "S";
  auto& parameter = model.parameters.emplace_back();
  parameter.id = "k", parameter.unit = "N/m";
  EXPECT_EQ(quantity_unit(model, "Arm.com.x"), "m");
  EXPECT_EQ(quantity_unit(model, "Arm.tip.vz"), "m/s");
  EXPECT_EQ(quantity_unit(model, "Arm.wx"), "rad/s");
  EXPECT_EQ(quantity_unit(model, "Arm.e2.x"), "1");
  EXPECT_EQ(quantity_unit(model, "Elbow.angle"), "rad");
  EXPECT_EQ(quantity_unit(model, "Elbow.reaction.tx"), "N m");
  EXPECT_EQ(quantity_unit(model, "S.length"), "m");
  EXPECT_EQ(quantity_unit(model, "S.force"), "") << "N or N m";
  EXPECT_EQ(quantity_unit(model, "energy.total"), "J");
  EXPECT_EQ(quantity_unit(model, "t"), "s");
  EXPECT_EQ(quantity_unit(model, "k"), "N/m");
}

TEST(QuantityUnit, IsThatOfTheFirstElementWhoseIdFits) {
  Description model;
  model.bodies.emplace_back().id = "Arm.com";
  model.bodies.emplace_back().id = "Arm";
  EXPECT_EQ(quantity_unit(model, "Arm.com.wx"), "rad/s");
  EXPECT_EQ(quantity_unit(model, "Arm.com.x"), "") << "no quantity of the first";
  std::swap(model.bodies[0].id, model.bodies[1].id);
  EXPECT_EQ(quantity_unit(model, "Arm.com.x"), "m");
}

TEST(QuantityUnit, IsNotKnownOfFormulasAndStrangers) {
  Description model;
  model.bodies.emplace_back().id = "Arm";
  EXPECT_EQ(quantity_unit(model, "2*Arm.com.x"), "");
  EXPECT_EQ(quantity_unit(model, "Arm.com.x + 1"), "");
  EXPECT_EQ(quantity_unit(model, "Armature.com.x"), "");
  EXPECT_EQ(quantity_unit(model, "Arm."), "");
}

}  // namespace
}  // namespace parfait::mechanism
