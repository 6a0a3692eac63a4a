#include "parfait/mbs/build/check_natural.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parfait/mechanism/checks/check_description.h"

// The messages about files are tested with the files: io/model/broken_models_test.cc.
namespace parfait::mbs {
namespace {

Description rod_with_inertia(double along, double across) {
  Description d;
  Body body;
  body.id = "Rod";
  body.inertia[0][0] = along;
  body.inertia[1][1] = body.inertia[2][2] = across;
  d.bodies = {body};
  return d;
}

std::string natural_message(const Description& d) {
  mechanism::check(d);  // what it accepts
  try {
    check_natural(d);
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(CheckNatural, RefusesBodiesWithASingularMassMatrix) {
  EXPECT_EQ(natural_message(rod_with_inertia(0.01, 1.0)), "no error");
  EXPECT_THAT(natural_message(rod_with_inertia(0.0, 1.0)),
              ::testing::StartsWith("body \"Rod\": an infinitely thin body"));
  EXPECT_THAT(natural_message(rod_with_inertia(0.0, 0.0)),
              ::testing::StartsWith("body \"Rod\": a point mass"));
}

TEST(CheckNatural, RefusesChoicesForABodyThatDoesNotExist) {
  auto d = rod_with_inertia(0.1, 1.0);
  d.natural.bodies["Rod"].released.xx = true;
  EXPECT_EQ(natural_message(d), "no error");
  d.natural.bodies["Rot"].released.xx = true;
  EXPECT_EQ(natural_message(d),
            "natural coordinates of \"Rot\": not a body. Did you mean \"Rod\"? Bodies: Rod.");
}

TEST(CheckNatural, RefusesARankToleranceThatCallsEveryRowRedundant) {
  auto d = rod_with_inertia(0.1, 1.0);
  for (const double tolerance : {0.0, -1e-5, 0.02, std::nan("")}) {
    d.natural.rank_tolerance = tolerance;
    EXPECT_THAT(natural_message(d), ::testing::StartsWith("model: rank_tolerance = "));
  }
}

}  // namespace
}  // namespace parfait::mbs
