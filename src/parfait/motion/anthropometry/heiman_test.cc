#include "parfait/motion/anthropometry/heiman.h"

#include <gtest/gtest.h>

#include <cmath>

#include "parfait/base/error.h"
#include "parfait/motion/skeleton/mechanism_skeleton.h"

namespace parfait::motion::heiman_test {
namespace {

HeiManRequest person(double height, double mass) {
  HeiManRequest request;
  request.height = height;
  request.mass = mass;
  return request;
}

double value(const HeiMan& heiman, const std::string& name) {
  for (const auto& parameter : heiman.parameters) {
    if (parameter.name == name) return parameter.value;
  }
  return std::nan("");
}

const mechanism::Body& body(const HeiMan& heiman, const std::string& id) {
  for (const auto& each : heiman.model.bodies) {
    if (each.id == id) return each;
  }
  throw base::InputError(id);
}

int degrees_of_freedom(const HeiMan& heiman) {
  return make_skeleton(heiman.model).num_coordinates();
}

/// Felis (2015), table 6.1: value and deviation from the uniform default [m], left = right.
struct Row {
  const char* name;
  double value[2], deviation[2];
};
constexpr Row kTable61[] = {{"ClaviculaLength", {0.1799, 0.1749}, {-0.0385, -0.0483}},
                            {"FootHeight", {0.0852, 0.0870}, {0, 0}},
                            {"FootLength", {0.2661, 0.2719}, {0, 0}},
                            {"FootPosteriorPoint", {0.0728, 0.0744}, {0, 0}},
                            {"HandLength", {0.1432, 0.1432}, {-0.0532, -0.0575}},
                            {"HeadLength", {0.2497, 0.2197}, {0.0372, 0.0025}},
                            {"HipWidth", {0.0832, 0.0832}, {-0.0007, -0.0025}},
                            {"LowerArmLength", {0.2764, 0.2714}, {-0.0047, -0.0159}},
                            {"LowerTrunkHeight", {0.1498, 0.1098}, {-0.0025, -0.0459}},
                            {"MiddleTrunkHeight", {0.1716, 0.2216}, {-0.0537, -0.0087}},
                            {"NeckLength", {0.0258, 0.0358}, {-0.0902, -0.0828}},
                            {"ShankLength", {0.4827, 0.4627}, {0.0224, -0.0077}},
                            {"ShoulderHeight", {0.2239, 0.2289}, {0.0455, 0.0465}},
                            {"SuprasternaleHeight", {0.2239, 0.2339}, {0.0455, 0.0515}},
                            {"ThighLength", {0.4141, 0.4441}, {-0.0273, -0.0070}},
                            {"UpperArmLength", {0.3596, 0.3796}, {0.0651, 0.0786}},
                            {"UpperTrunkHeight", {0.2389, 0.2339}, {0.0605, 0.0515}}};

TEST(HeiMan, BothSubjectsOfTable61Reproduce) {
  const double heights[] = {1.82, 1.86};
  for (int subject = 0; subject < 2; ++subject) {
    auto request = person(heights[subject], 75);
    for (const Row& row : kTable61) request.set[row.name] = row.value[subject];
    const HeiMan heiman = make_heiman(request);
    int compared = 0;
    for (const auto& parameter : heiman.parameters) {
      if (parameter.name.ends_with("Mass")) continue;
      for (const Row& row : kTable61) {
        std::string name = parameter.name == "PelvisHeight" ? "LowerTrunkHeight" : parameter.name;
        for (const std::string side : {"Left", "Right"}) {
          if (const auto at = name.find(side); at != std::string::npos) name.erase(at, side.size());
        }
        if (name != row.name) continue;
        ++compared;
        EXPECT_EQ(parameter.value, row.value[subject]) << parameter.name;
        // Both numbers of the table have four decimals.
        EXPECT_NEAR(parameter.value - parameter.uniform, row.deviation[subject], 1.0001e-4)
            << parameter.name;
      }
    }
    EXPECT_EQ(compared, 28);
    // The joints are where the lengths say.
    const auto place = [&](const std::string& joint, std::size_t k) {
      for (const auto& each : heiman.model.joints) {
        if (each.id == joint + "_joint") return each.begin.frame.o[k].number;
      }
      return std::nan("");
    };
    EXPECT_EQ(place("KneeLeft", 2), -kTable61[14].value[subject]);
    EXPECT_EQ(place("HipLeft", 1), kTable61[6].value[subject]);
    EXPECT_EQ(place("HipRight", 1), -kTable61[6].value[subject]);
    EXPECT_EQ(place("ShoulderRight", 1), -kTable61[0].value[subject]);
    EXPECT_EQ(place("Lumbar", 2), kTable61[8].value[subject]);
  }
}

TEST(HeiMan, TheUpperTrunkOfTheTextIsReproduced) {
  const HeiMan heiman = make_heiman(person(1.79, 76));
  const auto& trunk = body(heiman, "UpperTrunk");
  EXPECT_NEAR(value(heiman, "UpperTrunkHeight"), 0.1755,
              5e-5);  // the text leaves digits away: 0.175
  EXPECT_NEAR(trunk.mass.number, 12.13, 5e-3);
  EXPECT_NEAR(trunk.center_of_mass[2].number, 0.123, 5e-4);
  const double m = trunk.mass.number, l = value(heiman, "UpperTrunkHeight");
  EXPECT_NEAR(trunk.inertia[0][0].number, m * std::pow(0.716 * l, 2), 1e-12);
  EXPECT_NEAR(trunk.inertia[1][1].number, m * std::pow(0.454 * l, 2), 1e-12);
  EXPECT_NEAR(trunk.inertia[2][2].number, m * std::pow(0.659 * l, 2), 1e-12);
}

TEST(HeiMan, CorrectsWhatIsPrintedUnlessAskedNotTo) {
  auto request = person(1.80, 80);
  const HeiMan corrected = make_heiman(request);
  request.as_published = true;
  const HeiMan printed = make_heiman(request);
  EXPECT_NEAR(value(corrected, "MiddleTrunkHeight"), 0.1238 * 1.80, 1e-4);
  EXPECT_EQ(value(printed, "MiddleTrunkHeight"), 0.3752 * 1.80);
  const auto &pelvis = body(corrected, "Pelvis"), &wrong = body(printed, "Pelvis");
  EXPECT_NEAR(wrong.inertia[0][0].number / pelvis.inertia[0][0].number, std::pow(1.615 / 0.615, 2),
              0.01);
  // The centre of a foot lies between heel and toes, not below the ankle.
  EXPECT_GT(body(corrected, "FootLeft").center_of_mass[0].number, 0.03);
  EXPECT_EQ(body(printed, "FootLeft").center_of_mass[0].number, 0);
  EXPECT_LT(body(corrected, "FootLeft").inertia[0][0].number,
            0.5 * body(corrected, "FootLeft").inertia[1][1].number);
  // Knee to ankle joint, as its length is.
  EXPECT_NEAR(body(corrected, "ShankLeft").center_of_mass[2].number,
              -0.4395 * value(corrected, "ShankLeftLength"), 1e-9);
}

TEST(HeiMan, MassesAddUpForBothSexes) {
  for (const Sex sex : {Sex::kFemale, Sex::kMale}) {
    auto request = person(1.70, 65);
    request.sex = sex;
    double sum = 0;
    for (const auto& each : make_heiman(request).model.bodies) sum += each.mass.number;
    EXPECT_NEAR(sum, 65, 1e-10);
  }
}

TEST(HeiMan, DegreesOfFreedomAreChosen) {
  auto request = person(1.80, 75);
  EXPECT_EQ(degrees_of_freedom(make_heiman(request)), 34);
  request.dimensions = 2;
  EXPECT_EQ(degrees_of_freedom(make_heiman(request)), 15);
  request.dimensions = 1;
  EXPECT_EQ(degrees_of_freedom(make_heiman(request)), 1);
  request.dimensions = 3;
  request.joints = {{"Wrist", "ry,rx"}, {"AnkleLeft", "ry"}, {"Head", "fixed"}};
  EXPECT_EQ(degrees_of_freedom(make_heiman(request)), 34 + 4 - 2 - 3);
  request.joints = {{"Neck", "ry"}};
  EXPECT_THROW(make_heiman(request), base::InputError);
  request.set["NeckMass"] = 0.5;
  EXPECT_EQ(degrees_of_freedom(make_heiman(request)), 35);
}

TEST(HeiMan, StandsWithItsFeetOnTheGround) {
  const HeiMan heiman = make_heiman(person(1.80, 75));
  ASSERT_EQ(heiman.points.size(), 6U);
  for (const auto& point : heiman.points) {
    const double z = body(heiman, point.segment).o[2] + point.place[2] - point.radius;
    EXPECT_NEAR(z, 0, 1e-12) << point.name;
    // Hallux is the medial one.
    if (point.name.starts_with("Hallux")) {
      EXPECT_GT(point.place[1] * (point.name.ends_with("Right") ? 1 : -1), 0.01);
    }
  }
  for (const auto& [a, b] : heiman.kept_apart) {
    Capsule one, two;
    for (Capsule capsule : heiman.capsules) {
      if (capsule.segment != a && capsule.segment != b) continue;
      const auto& o = body(heiman, capsule.segment).o;
      for (std::size_t k = 0; k < 3; ++k) {
        capsule.from[k] += o[k];
        capsule.to[k] += o[k];
      }
      (capsule.segment == a ? one : two) = capsule;
    }
    // Legs hang parallel, as far apart as the hips.
    EXPECT_NEAR(distance(one, two), 2 * 0.0461 * 1.80 - one.radius - two.radius, 1e-12);
    EXPECT_GT(distance(one, two), 0);
  }
}

TEST(HeiMan, ContactSetsHaveTheRowsOfFelis) {
  const HeiMan heiman = make_heiman(person(1.80, 75));
  const std::map<std::string, std::size_t> expected{{"HeelRight", 3},
                                                    {"FlatRight", 6},
                                                    {"ForefootRight", 5},
                                                    {"HeelLeft", 3},
                                                    {"FlatLeft", 6},
                                                    {"ForefootLeft", 5},
                                                    {"ForefootRightHeelLeft", 8},
                                                    {"ForefootRightFlatLeft", 11},
                                                    {"ForefootLeftHeelRight", 8},
                                                    {"ForefootLeftFlatRight", 11}};
  EXPECT_EQ(heiman.contacts.size(), expected.size());
  for (const auto& set : heiman.contacts) {
    ASSERT_TRUE(expected.contains(set.name)) << set.name;
    EXPECT_EQ(set.rows.size(), expected.at(set.name)) << set.name;
  }
}

TEST(HeiMan, DistancesOfCapsulesAreThoseOfGeometry) {
  const Capsule x{"", {-1, 0, 0}, {1, 0, 0}, 0.1}, y{"", {0, -1, 2}, {0, 1, 2}, 0.2};
  EXPECT_NEAR(distance(x, y), 2 - 0.3, 1e-15);  // skew lines
  EXPECT_NEAR(distance(x, {"", {3, 4, 0}, {3, 9, 0}, 0}), std::hypot(2, 4) - 0.1, 1e-15);  // ends
  EXPECT_NEAR(distance(x, {"", {0.5, 2, 0}, {5, 2, 0}, 0}), 2 - 0.1, 1e-15);  // parallel
  EXPECT_NEAR(distance(x, {"", {5, 0, 0}, {5, 0, 0}, 1}), 4 - 1.1, 1e-15);    // a sphere
  EXPECT_LT(distance(x, {"", {0, 0, 0.05}, {0, 1, 0.05}, 0.1}), 0);           // they overlap
}

TEST(HeiMan, WhatMakesNoSenseIsRefused) {
  const auto complaint = [](const HeiManRequest& request) -> std::string {
    try {
      make_heiman(request);
    } catch (const base::InputError& error) {
      return error.what();
    }
    return "";
  };
  auto request = person(1.80, 75);
  request.set["ThighLenght"] = 0.4;
  EXPECT_NE(complaint(request).find("Did you mean \"ThighLength\"?"), std::string::npos);
  request.set = {{"ThighLength", -1}};
  EXPECT_NE(complaint(request).find("more than 0"), std::string::npos);
  request.set = {};
  request.joints = {{"Hip", "ry,ry"}};
  EXPECT_NE(complaint(request).find("each once"), std::string::npos);
  request.joints = {{"Hipp", "ry"}};
  EXPECT_NE(complaint(request).find("Did you mean"), std::string::npos);
  request = person(1.80, 75);
  request.as_published = true;
  request.sex = Sex::kFemale;
  EXPECT_NE(complaint(request).find("those of men"), std::string::npos);
}

}  // namespace
}  // namespace parfait::motion::heiman_test
