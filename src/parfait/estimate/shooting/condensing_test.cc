#include "parfait/estimate/shooting/condensing.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

#include "parfait/math/dense_solves.h"

namespace parfait::estimate {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd random_block(int rows, int cols, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  MatrixXd A(rows, cols);
  for (Eigen::Index i = 0; i < A.size(); ++i) A.data()[i] = normal(random);
  return A;
}

struct Chain {
  int num_first = 0, num_theta = 2, ns = 3;
  std::vector<Matching> matching;
  std::vector<VectorXd> h;
};

/// Intervals whose directions grow by about `growth` each.
Chain make_chain(int num_first, int intervals, double growth) {
  Chain chain;
  chain.num_first = num_first;
  for (int i = 0; i < intervals; ++i) {
    const auto seed = static_cast<unsigned>(10 * i + 1);
    Matching m;
    m.H = growth * random_block(chain.ns, i == 0 ? num_first : chain.ns, seed);
    m.P = random_block(chain.ns, chain.num_theta, seed + 1);
    m.h = random_block(chain.ns, 1, seed + 2);
    chain.h.push_back(m.h);
    chain.matching.push_back(m);
  }
  return chain;
}

class EveryCondensing : public testing::TestWithParam<Condensing> {};

TEST_P(EveryCondensing, KeepsTheMatchingConditionsForAllVariables) {
  for (int num_first : {0, 2, 3}) {
    Chain chain = make_chain(num_first, 6, 1);
    Condenser condenser;
    // The same with states in units far apart.
    Condenser::NodeUnits units{.first = VectorXd(num_first), .node = VectorXd(3)};
    units.node << 1, 0x1p20, 0x1p-20;
    units.first = units.node.tail(num_first);
    for (std::size_t i = 0; i < chain.matching.size(); ++i) {
      Matching& m = chain.matching[i];
      const VectorXd from = i == 0 ? units.first : units.node;
      m.H = units.node.asDiagonal() * m.H * from.cwiseInverse().asDiagonal();
      m.P = units.node.asDiagonal() * m.P;
    }
    condenser.factorize(chain.num_first, chain.num_theta, chain.matching, GetParam(), units);
    ASSERT_EQ(condenser.num_nodes(), 7);
    ASSERT_EQ(condenser.num_variables(), num_first);
    const VectorXd w = random_block(num_first, 1, 100);
    const VectorXd theta = random_block(chain.num_theta, 1, 101);
    // Other values of h than those of the linearization, as at a trial point.
    std::vector<VectorXd> h(6);
    for (unsigned i = 0; i < 6; ++i) {
      h[i] = units.node.cwiseProduct(random_block(chain.ns, 1, 200 + i).col(0));
    }
    const auto u = condenser.shift(chain.matching, h);
    std::vector<VectorXd> ds(7);
    for (int i = 0; i < 7; ++i) {
      const auto at = static_cast<std::size_t>(i);
      ds[at] = condenser.T(i) * w + condenser.U(i) * theta + u[at];
    }
    for (std::size_t i = 0; i < 6; ++i) {
      const Matching& m = chain.matching[i];
      const VectorXd defect = m.H * ds[i] + m.P * theta + h[i] - ds[i + 1];
      const VectorXd size = ds[i].cwiseQuotient(i == 0 ? units.first : units.node);
      EXPECT_LT(defect.cwiseQuotient(units.node).norm(), 1e-12 * (1 + size.norm()))
          << "interval " << i;
    }
  }
}

TEST_P(EveryCondensing, ReachesEverySolutionOfTheMatchingConditions) {
  const Chain chain = make_chain(3, 4, 1);
  Condenser condenser;
  condenser.factorize(chain.num_first, chain.num_theta, chain.matching, GetParam());
  // The solution that begins at ds_0 with theta must be one of those that w describes.
  const VectorXd theta = random_block(chain.num_theta, 1, 101);
  VectorXd ds = random_block(3, 1, 102);
  const auto u = condenser.shift(chain.matching, chain.h);
  const VectorXd w = math::solve_least_squares(condenser.T(0), ds - condenser.U(0) * theta - u[0]);
  for (int i = 0; i < 4; ++i) {
    const Matching& m = chain.matching[static_cast<std::size_t>(i)];
    ds = m.H * ds + m.P * theta + m.h;
    const VectorXd told =
        condenser.T(i + 1) * w + condenser.U(i + 1) * theta + u[static_cast<std::size_t>(i) + 1];
    EXPECT_LT((told - ds).norm(), 1e-10 * (1 + ds.norm()));
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, EveryCondensing,
                         testing::Values(Condensing::kGauss, Condensing::kOrthogonal));

TEST(Condensing, OrthogonalVariablesDescribeAllNodesWithOrthonormalColumns) {
  const Chain chain = make_chain(3, 8, 50);
  Condenser condenser;
  condenser.factorize(3, 2, chain.matching, Condensing::kOrthogonal);
  MatrixXd gram = MatrixXd::Zero(3, 3);
  for (int i = 0; i < condenser.num_nodes(); ++i) {
    gram += condenser.T(i).transpose() * condenser.T(i);
  }
  EXPECT_LT((gram - MatrixXd::Identity(3, 3)).norm(), 1e-13);
  for (const auto& u : condenser.shift(chain.matching, chain.h)) EXPECT_LT(u.norm(), 100);
}

TEST(Condensing, TheAutomaticChoiceFollowsTheGrowth) {
  Condenser condenser;
  condenser.factorize(3, 2, make_chain(3, 3, 1).matching, Condensing::kAutomatic);
  EXPECT_EQ(condenser.method(), Condensing::kGauss);
  condenser.factorize(3, 2, make_chain(3, 8, 50).matching, Condensing::kAutomatic);
  EXPECT_EQ(condenser.method(), Condensing::kOrthogonal);
  EXPECT_GT(condenser.growth(), 1e10);
}

}  // namespace
}  // namespace parfait::estimate
