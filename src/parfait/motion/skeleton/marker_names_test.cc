#include "parfait/motion/skeleton/marker_names.h"

#include <gtest/gtest.h>

namespace parfait::motion::marker_names_test {
namespace {

TEST(MarkerNames, LaboratoriesNameTheSameLandmarks) {
  for (const char* name :
       {"LASI", "L.ASIS", "l asis", "LIAS", "Anna:LASI", "left_asis", "ASIS_L"}) {
    EXPECT_EQ(landmark_of(name), "lasi") << name;
  }
  for (const char* name : {"RANK", "r mall", "R.Ankle.Lat", "RFAL"}) {
    EXPECT_EQ(landmark_of(name), "rank") << name;
  }
  EXPECT_EQ(landmark_of("CV7"), "c7");
  EXPECT_EQ(landmark_of("V.Sacral"), "sacr");
  // Neither side nor landmark.
  for (const char* name : {"", "L", "knee", "RSK1", "0001", "*45", "R.Knee.Med"}) {
    EXPECT_EQ(landmark_of(name), "") << name;
  }
}

TEST(MarkerNames, OnlyPairsThatAreTheOnlyOnesBelongTogether) {
  const auto pairs = same_landmarks({"LASI", "RKNE", "RANK", "r_thigh1", "RTHI"},
                                    {"L.ASIS", "R.Knee", "r knee 1", "R.Ankle", "R_THIGH1", "x"});
  // Two labels may be the right knee; nothing is the right thigh.
  EXPECT_EQ(pairs, (std::vector<NamePair>{
                       {"LASI", "L.ASIS"}, {"RANK", "R.Ankle"}, {"r_thigh1", "R_THIGH1"}}));
}

}  // namespace
}  // namespace parfait::motion::marker_names_test
