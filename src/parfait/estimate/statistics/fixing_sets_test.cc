#include "parfait/estimate/statistics/fixing_sets.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>

namespace parfait::estimate::fixing_sets_test {
namespace {

using Eigen::MatrixXd;
using Places = std::vector<int>;

TEST(FixingSets, OneDirectionIsStoppedByAnyThatMoves) {
  MatrixXd U(4, 1);
  U << 1, 0, -0.5, 1e-6;
  const auto sets = fixing_sets(U, 10);
  ASSERT_EQ(sets.size(), 2U);  // the second does not move, the last moves a million times less
  EXPECT_EQ(sets[0].places, (Places{0}));
  EXPECT_NEAR(sets[0].amplification, 1, 1e-12);
  EXPECT_EQ(sets[1].places, (Places{2}));
  EXPECT_NEAR(sets[1].amplification, 2, 1e-12);
  EXPECT_EQ(fixing_sets(U, 10, 1e7).size(), 3U);
}

TEST(FixingSets, AreTheBasesThatLeaveNothingOpen) {
  // Two directions of four unknowns: (1, -1, 0, 0) and (0, 0, 1, -1), mixed.
  MatrixXd U(4, 2);
  U << 1, 2, -1, -2, 3, 1, -3, -1;
  const auto sets = fixing_sets(U, 10);
  ASSERT_EQ(sets.size(), 4U);
  std::vector<Places> places;
  for (const auto& set : sets) {
    EXPECT_NEAR(set.amplification, 1, 1e-12);
    places.push_back(set.places);
  }
  EXPECT_EQ(places, (std::vector<Places>{{0, 2}, {0, 3}, {1, 2}, {1, 3}}));
  EXPECT_EQ(fixing_sets(U, 3).size(), 3U);
  EXPECT_TRUE(fixing_sets(MatrixXd(4, 0), 3).empty());
}

TEST(FixingSets, OfTooManySubsetsOneGoodOneIsFound) {
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  MatrixXd U(40, 8);
  for (double& u : U.reshaped()) u = normal(random);
  const auto sets = fixing_sets(U, 3);
  ASSERT_EQ(sets.size(), 1U);
  ASSERT_EQ(sets[0].places.size(), 8U);
  const MatrixXd own = U(sets[0].places, Eigen::all), answer = U * own.inverse();
  EXPECT_NEAR(answer.cwiseAbs().maxCoeff(), sets[0].amplification, 1e-9);
  EXPECT_LT(sets[0].amplification, 256);  // measured 2.4
}

}  // namespace
}  // namespace parfait::estimate::fixing_sets_test
