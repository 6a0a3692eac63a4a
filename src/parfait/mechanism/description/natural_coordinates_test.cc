#include "parfait/mechanism/description/natural_coordinates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parfait/mechanism/description/description.h"

namespace parfait::mechanism {
namespace {

/// Two bodies with nothing that another engine would not understand.
Description two_bodies() {
  Description d;
  for (const char* id : {"Rod", "Bob"}) {
    Body body;
    body.id = id;
    body.place = {"model.xml", static_cast<int>(d.bodies.size()) + 2, 3};
    d.bodies.push_back(body);
  }
  return d;
}

std::vector<std::string> feature_names(const Description& d) {
  std::vector<std::string> names;
  for (const auto& feature : natural_features(d)) names.push_back(feature.name);
  return names;
}

TEST(NaturalFeatures, AreNoneInAModelWithDefaults) {
  auto d = two_bodies();
  d.natural.bodies["Rod"] = NaturalBody();
  EXPECT_THAT(feature_names(d), ::testing::IsEmpty());
  EXPECT_NO_THROW(refuse_natural_features(d, "joint coordinates"));
}

TEST(NaturalFeatures, AreNamedAsInAModelFile) {
  auto d = two_bodies();
  d.natural.rank_tolerance = 1e-6;
  d.natural.bodies["Bob"].coordinates = BodyCoordinates::kFourPoints;
  d.natural.bodies["Bob"].released.xx = d.natural.bodies["Bob"].released.yz = true;
  EXPECT_THAT(feature_names(d), ::testing::ElementsAre("model: rank_tolerance=\"1e-06\"",
                                                       "body \"Bob\": coordinates=\"four_points\"",
                                                       "body \"Bob\": release=\"xx yz\""));
}

TEST(NaturalFeatures, EveryReleasedConstraintAndChoiceOfCoordinatesIsOne) {
  for (const auto& [name, flag] : released_names()) {
    auto d = two_bodies();
    d.natural.bodies["Rod"].released.*flag = true;
    EXPECT_THAT(feature_names(d),
                ::testing::ElementsAre("body \"Rod\": release=\"" + std::string(name) + "\""));
  }
  for (const auto& [name, choice] : body_coordinates_names()) {
    auto d = two_bodies();
    d.natural.bodies["Rod"].coordinates = choice;
    EXPECT_EQ(feature_names(d).size(), choice == BodyCoordinates::kOriginAndAxes ? 0U : 1U) << name;
  }
}

TEST(NaturalFeatures, AreRefusedAtTheFirstPlaceWithTheNamesOfAll) {
  auto d = two_bodies();
  d.natural.bodies["Rod"].released.xx = true;
  d.natural.bodies["Rod"].released_place = {"model.xml", 2, 20};
  d.natural.bodies["Bob"].coordinates = BodyCoordinates::kTwoPointsTwoVectors;
  try {
    refuse_natural_features(d, "joint coordinates");
    FAIL() << "a released body is no rigid body";
  } catch (const base::InputError& error) {
    EXPECT_STREQ(error.what(),
                 "model.xml:2:20: body \"Rod\": release=\"xx\" needs natural coordinates, and the "
                 "model is to run in joint coordinates. So do: body \"Bob\": "
                 "coordinates=\"two_points\".");
  }
}

}  // namespace
}  // namespace parfait::mechanism
