#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parfait/mbs/model.h"
#include "parfait/mechanism/constants/element_constants.h"
#include "parfait/mechanism/description/name_pattern.h"
#include "parfait/mechanism/elements/constraint_types.h"
#include "parfait/mechanism/quantities/quantity_table.h"

// The tables that reading a model and `parfait elements` share.
namespace parfait::mbs {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Body unit_body() {
  Body body;
  body.id = "Arm";
  for (std::size_t i = 0; i < 3; ++i) body.inertia[i][i] = 1.0;
  body.v = Number3{1, 0, 0};
  return body;
}

TEST(NamePattern, ChangesTheLastChoiceFastest) {
  EXPECT_THAT(mechanism::names_of_pattern("mass"), ElementsAre("mass"));
  EXPECT_THAT(mechanism::names_of_pattern("{o,<x>}.{x,yy}"),
              ElementsAre("o.x", "o.yy", "<x>.x", "<x>.yy"));
}

TEST(ConstraintTypes, AreTheRowsThatTheirKeysBuild) {
  for (const auto& type : mechanism::constraint_types()) {
    EXPECT_EQ(key_of(type.kind), type.key);
    EXPECT_EQ(mechanism::find_constraint(type.key), &type);
    Description d;
    d.bodies = {unit_body()};
    Constraint c;
    c.key = type.key;
    c.id = "C";
    c.begin.body = kInertial;
    c.begin.frame.o = {1.0, 0.0, 0.0};
    c.end.body = "Arm";
    c.begin_axis = 'x';
    c.offset = type.offset.fallback.value_or(1.0);
    d.constraints = {c};
    const Model model(d);
    EXPECT_THAT(model.row_name(0), ::testing::StartsWith("C." + type.key));
  }
}

TEST(QuantityTable, SaysWhichAxisAndComponentANameMeans) {
  for (const auto& family : mechanism::quantity_families()) {
    for (const auto& member : members_of(family)) {
      if (family.pattern.ends_with("{x,y,z}")) {
        EXPECT_EQ(member.name.back(), "xyz"[member.component]) << member.name;
      }
      const auto digit = member.name.find_first_of("123");
      EXPECT_EQ(member.number, digit == std::string::npos ? 0 : member.name[digit] - '0');
    }
  }
}

std::string message_of_target(const std::string& target) {
  Description d;
  d.bodies = {unit_body()};
  try {
    static_cast<void>(resolve_constant(d, target));
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ResolveConstant, SuggestsTheConstantOfWhatTheFileCallsOtherwise) {
  const auto suggestion = [](const std::string& constant) {
    return HasSubstr("Did you mean \"Arm." + constant + "\"?");
  };
  EXPECT_THAT(message_of_target("Arm.center_of_mass.y"), suggestion("com.y"));
  EXPECT_THAT(message_of_target("Arm.center_of_mass"), suggestion("com.x"));
  EXPECT_THAT(message_of_target("Arm.moment_of_inertia.yz"), suggestion("inertia.yz"));
  EXPECT_THAT(message_of_target("Arm.moment_of_inertia"), suggestion("inertia.xx"));
  EXPECT_THAT(message_of_target("Arm.mas"), suggestion("mass"));
  EXPECT_THAT(message_of_target("Arm.temperature"), Not(HasSubstr("Did you mean")));
  EXPECT_EQ(message_of_target("Arm.com.y"), "");
}

}  // namespace
}  // namespace parfait::mbs
