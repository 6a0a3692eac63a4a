#include "parfait/integrate/tableau.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>

namespace parfait::integrate {
namespace {

/// A rooted tree: the children of the root. Butcher's theory: a Runge-Kutta method has order p if
///   sum_i b_i Phi_i(tree) = 1 / gamma(tree)   for every tree with at most p nodes.
struct Tree {
  std::vector<Tree> children;

  int nodes() const {
    int n = 1;
    for (const auto& child : children) n += child.nodes();
    return n;
  }
  double density() const {
    double gamma = nodes();
    for (const auto& child : children) gamma *= child.density();
    return gamma;
  }
  /// Phi_i = prod over children of sum_j a_ij Phi_j(child).
  std::vector<double> weights(const Tableau& t) const {
    std::vector<double> phi(t.stages, 1.0);
    for (const auto& child : children) {
      const auto inner = child.weights(t);
      for (int i = 0; i < t.stages; ++i) {
        double sum = 0;
        for (int j = 0; j < i; ++j) sum += t.a[i][j] * inner[j];
        phi[i] *= sum;
      }
    }
    return phi;
  }
};

/// All rooted trees with n nodes, each once: the children are chosen in non-increasing order from
/// the list of all smaller trees.
std::vector<Tree> trees_with(int n) {
  if (n == 1) return {Tree{}};
  std::vector<Tree> smaller;
  for (int m = 1; m < n; ++m) {
    for (auto& tree : trees_with(m)) smaller.push_back(tree);
  }
  std::vector<Tree> found;
  std::function<void(Tree, int, int)> extend = [&](Tree tree, int last, int left) {
    if (left == 0) {
      found.push_back(tree);
      return;
    }
    for (int k = last; k >= 0; --k) {
      if (smaller[k].nodes() > left) continue;
      Tree larger = tree;
      larger.children.push_back(smaller[k]);
      extend(larger, k, left - smaller[k].nodes());
    }
  };
  extend(Tree{}, static_cast<int>(smaller.size()) - 1, n - 1);
  return found;
}

double condition(const Tableau& t, const std::vector<double>& weights, const Tree& tree) {
  const auto phi = tree.weights(t);
  return std::inner_product(weights.begin(), weights.end(), phi.begin(), 0.0);
}

TEST(RootedTrees, AreAsManyAsCayleyCounted) {
  EXPECT_EQ(trees_with(1).size(), 1u);
  EXPECT_EQ(trees_with(2).size(), 1u);
  EXPECT_EQ(trees_with(3).size(), 2u);
  EXPECT_EQ(trees_with(4).size(), 4u);
  EXPECT_EQ(trees_with(5).size(), 9u);
  EXPECT_EQ(trees_with(6).size(), 20u);
}

class EveryTableau : public testing::TestWithParam<const Tableau*> {};

TEST_P(EveryTableau, NodesAreRowSums) {
  const Tableau& t = *GetParam();
  for (int i = 0; i < t.stages; ++i) {
    EXPECT_NEAR(std::accumulate(t.a[i].begin(), t.a[i].end(), 0.0), t.c[i], 2e-15) << "row " << i;
  }
}

TEST_P(EveryTableau, MeetsTheOrderConditionsUpToItsOrderAndNoFurther) {
  const Tableau& t = *GetParam();
  for (int n = 1; n <= t.order; ++n) {
    for (const auto& tree : trees_with(n)) {
      EXPECT_NEAR(condition(t, t.b, tree), 1 / tree.density(), 1e-15) << n << " nodes";
    }
  }
  double worst = 0;
  for (const auto& tree : trees_with(t.order + 1)) {
    worst = std::max(worst, std::abs(condition(t, t.b, tree) - 1 / tree.density()));
  }
  EXPECT_GT(worst, 1e-4);  // otherwise the conditions above test nothing
}

TEST_P(EveryTableau, EmbeddedSolutionMeetsTheConditionsOfItsOwnOrder) {
  const Tableau& t = *GetParam();
  std::vector<double> b_hat(t.stages);
  for (int i = 0; i < t.stages; ++i) b_hat[i] = t.b[i] - t.e[i];
  for (int n = 1; n <= t.error_order; ++n) {
    for (const auto& tree : trees_with(n)) {
      EXPECT_NEAR(condition(t, b_hat, tree), 1 / tree.density(), 1e-15) << n << " nodes";
    }
  }
  double worst = 0;
  for (const auto& tree : trees_with(t.error_order + 1)) {
    worst = std::max(worst, std::abs(condition(t, b_hat, tree) - 1 / tree.density()));
  }
  EXPECT_GT(worst, 1e-4);  // an estimate that never differs estimates nothing
}

TEST_P(EveryTableau, ContinuousExtensionMeetsItsOrderConditionsInsideTheStep) {
  const Tableau& t = *GetParam();
  for (double theta : {0.1, 0.37, 0.5, 0.83, 1.0}) {
    const auto weights = t.dense_weights(theta);
    for (int n = 1; n <= t.dense_order; ++n) {
      for (const auto& tree : trees_with(n)) {
        EXPECT_NEAR(condition(t, weights, tree), std::pow(theta, n) / tree.density(), 2e-15)
            << n << " nodes, theta = " << theta;
      }
    }
  }
}

TEST_P(EveryTableau, ContinuousExtensionJoinsValuesAndSlopes) {
  const Tableau& t = *GetParam();
  const auto start = t.dense_weights(0), end = t.dense_weights(1);
  for (int i = 0; i < t.stages; ++i) {
    EXPECT_EQ(start[i], 0);
    EXPECT_NEAR(end[i], t.b[i], 5e-15);
    double slope_end = 0;
    for (std::size_t j = 0; j < t.dense[i].size(); ++j) slope_end += (j + 1) * t.dense[i][j];
    EXPECT_EQ(t.dense[i][0], i == 0 ? 1 : 0);
    EXPECT_NEAR(slope_end, i == t.stages - 1 ? 1 : 0, 1e-14);
  }
}

TEST_P(EveryTableau, LastStageIsTheFirstOfTheNextStep) {
  const Tableau& t = *GetParam();
  ASSERT_TRUE(t.fsal);
  EXPECT_EQ(t.c.back(), 1);
  EXPECT_EQ(t.b.back(), 0);
  for (int j = 0; j + 1 < t.stages; ++j) EXPECT_EQ(t.a.back()[j], t.b[j]);
}

INSTANTIATE_TEST_SUITE_P(DormandPrince5, EveryTableau, testing::Values(&dormand_prince_5()));

}  // namespace
}  // namespace parfait::integrate
