#include "parfait/motion/quality/artefact.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace parfait::motion::artefact_test {
namespace {

TEST(MarkerArtefact, TellsWhatLastsFromWhatIsNew) {
  // Two markers: one with noise alone, one with an error that lasts 0.2 s and a little noise.
  constexpr int kFrames = 20000;
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  MatchedMarkers markers;
  markers.num_markers = 3;
  markers.num_frames = kFrames;
  TrialPoses poses;
  std::vector<double> t;
  const double keep = std::exp(-0.01 / 0.2);
  double state[3] = {normal(random), normal(random), normal(random)};
  for (int f = 0; f < kFrames; ++f) {
    t.push_back(0.01 * f);
    for (int k = 0; k < 3; ++k) markers.y.push_back(0.001 * normal(random));
    for (double& e : state) {
      e = keep * e + std::sqrt(1 - keep * keep) * normal(random);
      markers.y.push_back(0.005 * e + 0.001 * normal(random));
    }
    for (int k = 0; k < 3; ++k) markers.y.push_back(std::nan(""));
  }
  poses.markers.assign(markers.y.size(), 0.0);
  const auto found = marker_artefacts(markers, poses, t);
  ASSERT_EQ(found.size(), 2U);  // nobody saw the third
  EXPECT_NEAR(found[0].rms, 0.001 * std::sqrt(3), 2e-5);
  EXPECT_NEAR(found[0].noise, found[0].rms, 2e-5);
  EXPECT_NEAR(found[0].seconds, 0.005, 1e-4);
  EXPECT_NEAR(found[1].rms, std::sqrt(3 * 26e-6), 3e-4);
  EXPECT_NEAR(found[1].noise, 0.001 * std::sqrt(3), 4e-4);
  EXPECT_NEAR(found[1].seconds, 0.2, 0.03);
}

}  // namespace
}  // namespace parfait::motion::artefact_test
