#include "parfait/integrate/runge_kutta/tableau.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>
#include <ostream>
#include <string>
#include <vector>

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
    std::vector<double> phi(t.total_stages, 1.0);
    for (const auto& child : children) {
      const auto inner = child.weights(t);
      for (int i = 0; i < t.total_stages; ++i) {
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
  std::function<void(const Tree&, int, int)> extend = [&](const Tree& tree, int last, int left) {
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

/// The largest |sum_i w_i Phi_i - scale / gamma| over the trees with n nodes.
double worst_defect(const Tableau& t, const std::vector<double>& weights, int n, double scale) {
  double worst = 0;
  for (const auto& tree : trees_with(n)) {
    worst = std::max(worst, std::abs(condition(t, weights, tree) - scale / tree.density()));
  }
  return worst;
}

std::vector<double> dense_weights(const Tableau& t, double theta) {
  std::vector<double> weights(t.total_stages);
  t.dense_weights(theta, weights);
  return weights;
}

std::vector<double> dense_rate_weights(const Tableau& t, double theta) {
  std::vector<double> weights(t.total_stages);
  t.dense_rate_weights(theta, weights);
  return weights;
}

TEST(RootedTrees, AreAsManyAsCayleyCounted) {
  const std::vector<std::size_t> counts = {1, 1, 2, 4, 9, 20, 48, 115, 286};
  for (int n = 1; n <= 9; ++n) EXPECT_EQ(trees_with(n).size(), counts[n - 1]) << n << " nodes";
}

struct Method {
  std::string name;
  const Tableau* tableau;
  int e_order;       ///< of the solution that e compares with
  int e2_order;      ///< of the solution that e2 compares with
  double rounding;   ///< bounds the defect of a condition that holds
  double violation;  ///< bounds from below the defect of one that does not
};

std::ostream& operator<<(std::ostream& out, const Method& method) {
  return out << method.name;
}

class EveryTableau : public testing::TestWithParam<Method> {};

TEST_P(EveryTableau, HasTheSizesItsHeaderPromises) {
  const Tableau& t = *GetParam().tableau;
  EXPECT_EQ(std::ssize(t.c), t.total_stages);
  EXPECT_EQ(std::ssize(t.bubble), t.total_stages);
  EXPECT_EQ(std::ssize(t.b), t.stages);
  EXPECT_EQ(std::ssize(t.e), t.stages);
  EXPECT_TRUE(t.e2.empty() || std::ssize(t.e2) == t.stages);
  ASSERT_EQ(std::ssize(t.a), t.total_stages);
  for (int i = 0; i < t.total_stages; ++i) EXPECT_EQ(std::ssize(t.a[i]), i);
}

TEST_P(EveryTableau, NodesAreRowSums) {
  const Tableau& t = *GetParam().tableau;
  for (int i = 0; i < t.total_stages; ++i) {
    const double sum = std::accumulate(t.a[i].begin(), t.a[i].end(), 0.0);
    EXPECT_NEAR(sum, t.c[i], GetParam().rounding) << "row " << i;
  }
}

TEST_P(EveryTableau, MeetsTheOrderConditionsUpToItsOrderAndNoFurther) {
  const Tableau& t = *GetParam().tableau;
  for (int n = 1; n <= t.order; ++n) {
    EXPECT_LT(worst_defect(t, t.b, n, 1), GetParam().rounding) << n << " nodes";
  }
  // Otherwise the conditions above test nothing.
  EXPECT_GT(worst_defect(t, t.b, t.order + 1, 1), GetParam().violation);
}

TEST_P(EveryTableau, EstimatorsVanishUpToTheirOrdersAndNoFurther) {
  const Tableau& t = *GetParam().tableau;
  for (int n = 1; n <= GetParam().e_order; ++n) {
    EXPECT_LT(worst_defect(t, t.e, n, 0), GetParam().rounding) << n << " nodes";
  }
  // An estimate that never differs from zero estimates nothing.
  EXPECT_GT(worst_defect(t, t.e, GetParam().e_order + 1, 0), GetParam().violation);
  if (t.e2.empty()) return;
  for (int n = 1; n <= GetParam().e2_order; ++n) {
    EXPECT_LT(worst_defect(t, t.e2, n, 0), GetParam().rounding) << n << " nodes";
  }
  EXPECT_GT(worst_defect(t, t.e2, GetParam().e2_order + 1, 0), GetParam().violation);
}

// h |E| = O(h^(p + 1)) with one estimator; with two, h |E|^2 / |E2| = O(h^(1 + 2 p - p2)).
TEST_P(EveryTableau, ErrorOrderFollowsFromTheOrdersOfTheEstimators) {
  const Tableau& t = *GetParam().tableau;
  const int p = GetParam().e_order, p2 = GetParam().e2_order;
  EXPECT_EQ(t.error_order, t.e2.empty() ? p : 2 * p - p2);
}

TEST_P(EveryTableau, ContinuousExtensionMeetsItsOrderConditionsInsideTheStepAndNoFurther) {
  const Tableau& t = *GetParam().tableau;
  for (double theta : {0.1, 0.37, 0.5, 0.83, 1.0}) {
    const auto weights = dense_weights(t, theta);
    for (int n = 1; n <= t.dense_order; ++n) {
      EXPECT_LT(worst_defect(t, weights, n, std::pow(theta, n)), GetParam().rounding)
          << n << " nodes, theta = " << theta;
    }
  }
  const int n = t.dense_order + 1;
  EXPECT_GT(worst_defect(t, dense_weights(t, 0.5), n, std::pow(0.5, n)), GetParam().violation);
}

TEST_P(EveryTableau, RatesOfTheContinuousExtensionMeetTheDifferentiatedOrderConditions) {
  const Tableau& t = *GetParam().tableau;
  for (double theta : {0.0, 0.1, 0.37, 0.5, 0.83, 1.0}) {
    const auto weights = dense_rate_weights(t, theta);
    for (int n = 1; n <= t.dense_order; ++n) {
      EXPECT_LT(worst_defect(t, weights, n, n * std::pow(theta, n - 1)), 10 * GetParam().rounding)
          << n << " nodes, theta = " << theta;
    }
  }
}

TEST_P(EveryTableau, ContinuousExtensionJoinsValuesAndSlopesExactly) {
  const Tableau& t = *GetParam().tableau;
  const auto start = dense_weights(t, 0), end = dense_weights(t, 1);
  const auto start_rate = dense_rate_weights(t, 0), end_rate = dense_rate_weights(t, 1);
  for (int i = 0; i < t.total_stages; ++i) {
    EXPECT_EQ(start[i], 0) << "stage " << i;
    EXPECT_EQ(end[i], i < t.stages ? t.b[i] : 0) << "stage " << i;
    EXPECT_EQ(start_rate[i], i == 0 ? 1 : 0) << "stage " << i;
    EXPECT_EQ(end_rate[i], i == t.fsal_stage ? 1 : 0) << "stage " << i;
  }
}

TEST_P(EveryTableau, FsalStageIsTheRightHandSideAtTheNewPoint) {
  const Tableau& t = *GetParam().tableau;
  ASSERT_LT(t.fsal_stage, t.total_stages);
  EXPECT_EQ(t.c[t.fsal_stage], 1);
  for (int j = 0; j < t.stages; ++j) {
    EXPECT_EQ(j < t.fsal_stage ? t.a[t.fsal_stage][j] : 0, t.b[j]) << "stage " << j;
  }
}

// Measured: conditions that hold, at most 1e-15 and 6e-15 (the entries of a reach 12 and 43), for
// the rates 1e-15 and 3e-14; conditions that do not hold, at least 3e-4 and 3e-5.
INSTANTIATE_TEST_SUITE_P(DormandPrince, EveryTableau,
                         testing::Values(Method{"Five", &dormand_prince_5(), 4, 0, 2e-15, 1e-5},
                                         Method{"Eight", &dormand_prince_8(), 5, 3, 2e-14, 1e-5}),
                         [](const testing::TestParamInfo<Method>& method) {
                           return method.param.name;
                         });

}  // namespace
}  // namespace parfait::integrate
