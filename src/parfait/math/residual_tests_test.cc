#include "parfait/math/residual_tests.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <random>
#include <vector>

#include "parfait/math/dense_solves.h"
#include "parfait/math/quantiles.h"

namespace parfait::math {
namespace {

// n1 positive and n2 negative signs in the given number of runs.
std::vector<double> signs_in_runs(int n1, int n2, int runs) {
  int left[2] = {n1, n2};
  const int starts_with = n1 >= n2 ? 0 : 1;
  std::vector<std::vector<double>> parts;
  for (int r = 0; r < runs; ++r) {
    const int kind = (starts_with + r) % 2;
    parts.push_back({kind == 0 ? 1.0 : -1.0});
    --left[kind];
  }
  std::vector<double> all;
  for (int r = 0; r < runs; ++r) {
    const int kind = (starts_with + r) % 2;
    all.push_back(parts[r][0]);
    for (; left[kind] > 0; --left[kind]) all.push_back(parts[r][0]);
  }
  return all;
}

TEST(RunsTest, CountsSignsAndRunsAndSkipsZeros) {
  const std::vector<double> r = {1, 2, 0, 0.5, -1, -3, 4, 0, -2};
  const RunsTest test = runs_test(r);
  EXPECT_EQ(test.positive, 4);
  EXPECT_EQ(test.negative, 3);
  EXPECT_EQ(test.runs, 4);
  EXPECT_NEAR(test.expected_runs, 1 + 2.0 * 4 * 3 / 7, 1e-15);
}

// F. S. Swed, C. Eisenhart, Ann. Math. Statist. 14 (1943) 66-87, tables for 0.025 in each tail: the
// largest number of runs that is too few, the smallest that is too many.
TEST(RunsTest, AgreesWithTheTablesOfSwedAndEisenhart) {
  struct Row {
    int n1, n2, too_few, too_many;
  };
  for (const Row& row :
       {Row{5, 5, 2, 10}, Row{10, 10, 6, 16}, Row{15, 15, 10, 22}, Row{20, 20, 14, 28}}) {
    const auto p = [&](int runs) { return runs_test(signs_in_runs(row.n1, row.n2, runs)).p_value; };
    EXPECT_LE(p(row.too_few), 0.05) << row.n1;
    EXPECT_GT(p(row.too_few + 1), 0.05) << row.n1;
    EXPECT_LE(p(row.too_many), 0.05) << row.n1;
    EXPECT_GT(p(row.too_many - 1), 0.05) << row.n1;
  }
}

TEST(RunsTest, IsExactForEveryOrderOfFewSigns) {
  for (const auto& [n1, n2] : {std::pair{6, 4}, std::pair{3, 7}, std::pair{5, 5}}) {
    std::vector<double> r(n1 + n2, -1.0);
    std::fill(r.begin() + n2, r.end(), 1.0);
    std::map<int, int> count;
    int all = 0;
    do {
      ++count[runs_test(r).runs];
      ++all;
    } while (std::next_permutation(r.begin(), r.end()));
    for (const auto& [runs, unused] : count) {
      int below = 0, above = 0;
      for (const auto& [other, times] : count) {
        if (other <= runs) below += times;
        if (other >= runs) above += times;
      }
      const double expected = std::min(1.0, 2.0 * std::min(below, above) / all);
      EXPECT_NEAR(runs_test(signs_in_runs(n1, n2, runs)).p_value, expected, 1e-13) << runs;
    }
  }
}

TEST(RunsTest, ContinuesSmoothlyIntoTheNormalApproximation) {
  // 2000 signs are exact, 2002 are not; the same number of standard deviations away.
  const double exact = runs_test(signs_in_runs(1000, 1000, 957)).p_value;
  const double approximate = runs_test(signs_in_runs(1001, 1001, 958)).p_value;
  EXPECT_GT(exact, 0.01);
  EXPECT_LT(exact, 0.1);
  EXPECT_NEAR(approximate / exact, 1, 5e-3);
}

TEST(RunsTest, SaysNothingWhereTheNumberOfRunsIsCertain) {
  EXPECT_EQ(runs_test(std::vector<double>{1, 2, 3}).p_value, 1);
  EXPECT_EQ(runs_test(std::vector<double>{}).runs, 0);
}

// D'Agostino and Stephens (1986), table 4.7, normal distribution with unknown mean and variance.
TEST(NormalityTest, HasThePrintedSignificancePoints) {
  EXPECT_NEAR(normality_p_value(0.631), 0.10, 1e-3);
  EXPECT_NEAR(normality_p_value(0.752), 0.05, 1e-3);
  EXPECT_NEAR(normality_p_value(0.873), 0.025, 5e-4);
  EXPECT_NEAR(normality_p_value(1.035), 0.01, 3e-4);
  EXPECT_NEAR(normality_p_value(0.470), 0.25, 5e-3);
  EXPECT_NEAR(normality_p_value(0.341), 0.50, 1e-2);
  EXPECT_EQ(normality_p_value(1e5), 0);
}

// A^2 = n int (F_n - Phi)^2 / (Phi (1 - Phi)) dPhi, integrated between the order statistics.
double anderson_darling_by_quadrature(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  const double n = static_cast<double>(x.size());
  double mean = 0, squares = 0;
  for (const double v : x) mean += v / n;
  for (const double v : x) squares += (v - mean) * (v - mean);
  const double s = std::sqrt(squares / (n - 1));
  std::vector<double> u = {0};
  for (const double v : x) u.push_back(normal_cdf((v - mean) / s));
  u.push_back(1);
  double sum = 0;
  for (std::size_t i = 0; i + 1 < u.size(); ++i) {
    const double step = static_cast<double>(i) / n;
    // With u = sin^2(phi / 2) the integrand has no pole: du / (u (1 - u)) = 2 dphi / sin(phi).
    const double a = 2 * std::asin(std::sqrt(u[i])), b = 2 * std::asin(std::sqrt(u[i + 1]));
    const int cells = 20000;
    for (int k = 0; k < cells; ++k) {
      const double phi = a + (b - a) * (k + 0.5) / cells;
      const double at = std::pow(std::sin(phi / 2), 2);
      sum += 2 * (step - at) * (step - at) / std::sin(phi) * (b - a) / cells;
    }
  }
  return n * sum * (1 + 0.75 / n + 2.25 / (n * n));
}

TEST(NormalityTest, IsTheIntegralThatDefinesIt) {
  // Weights of eleven men, S. S. Shapiro, M. B. Wilk, Biometrika 52 (1965) 606: W = 0.79, p near 1
  // %.
  const std::vector<double> weights = {148, 154, 158, 160, 161, 162, 166, 170, 182, 195, 236};
  const NormalityTest test = normality_test(weights);
  ASSERT_TRUE(test.valid);
  EXPECT_NEAR(test.statistic, anderson_darling_by_quadrature(weights), 1e-6);
  EXPECT_LT(test.p_value, 0.02);  // measured 0.0105
  EXPECT_GT(test.p_value, 0.005);
}

TEST(NormalityTest, RejectsNormalDataAsOftenAsItSaysAndOtherDataMoreOften) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal(3, 7);
  std::exponential_distribution<double> exponential(1);
  const int trials = 4000;
  int rejected = 0, rejected_other = 0;
  for (int k = 0; k < trials; ++k) {
    std::vector<double> x(20);
    for (double& v : x) v = normal(random);
    if (normality_test(x).p_value < 0.05) ++rejected;
    for (double& v : x) v = exponential(random);
    if (normality_test(x).p_value < 0.05) ++rejected_other;
  }
  EXPECT_NEAR(rejected / double(trials), 0.05, 0.0105);  // 3 standard deviations; measured 0.049
  EXPECT_GT(rejected_other / double(trials), 0.7);
}

TEST(NormalityTest, SaysNothingAboutFewOrEqualValues) {
  EXPECT_FALSE(normality_test(std::vector<double>(7, 1.0)).valid);
  EXPECT_FALSE(normality_test(std::vector<double>(100, 3.7)).valid);
}

// Age at first word and Gesell score of 21 children: M. R. Mickey, O. J. Dunn, V. Clark, Comput.
// Biomed. Res. 1 (1967) 105-111. Child 19 has the studentized residual 3.607 (Cook and Weisberg
// 1982).
TEST(Outliers, FindTheChildThatThePublishedAnalysisFinds) {
  const std::vector<double> age = {15, 26, 10, 9,  15, 20, 18, 11, 8,  20, 7,
                                   9,  10, 11, 11, 10, 12, 42, 17, 11, 10};
  const std::vector<double> score = {95, 71, 83, 91,  102, 87,  93, 100, 104, 94, 113,
                                     96, 83, 84, 102, 100, 105, 57, 121, 86,  100};
  const int n = 21;
  Eigen::MatrixXd J(n, 2);
  Eigen::VectorXd y(n);
  for (int i = 0; i < n; ++i) {
    J.row(i) << 1, age[i];
    y[i] = score[i];
  }
  const Eigen::VectorXd r = J * Eigen::VectorXd(solve_least_squares(J, y)) - y;
  const Eigen::VectorXd h = congruence(J, inverse(gram(J))).diagonal();
  const auto outliers = largest_outliers({r.data(), 21}, {h.data(), 21}, n - 2, false, 3);
  ASSERT_EQ(outliers.size(), 3u);
  EXPECT_EQ(outliers[0].index, 18);
  EXPECT_NEAR(std::abs(outliers[0].studentized), 3.607, 5e-4);
  EXPECT_NEAR(outliers[0].p_value, 21 * 2 * student_t_upper_tail(3.607, 18), 1e-4);
  EXPECT_GT(outliers[1].p_value, 0.5);
}

// The studentized residual is what it says: divide by the deviation of a fit without the value.
TEST(Outliers, AreJudgedByTheOtherMeasurements) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  const int n = 12, p = 3;
  Eigen::MatrixXd J(n, p);
  Eigen::VectorXd y(n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < p; ++j) J(i, j) = normal(random);
    y[i] = normal(random);
  }
  const Eigen::VectorXd r = J * Eigen::VectorXd(solve_least_squares(J, y)) - y;
  const Eigen::VectorXd h = congruence(J, inverse(gram(J))).diagonal();
  const auto outliers = largest_outliers({r.data(), 12}, {h.data(), 12}, n - p, false, n);
  ASSERT_EQ(static_cast<int>(outliers.size()), n);
  for (const Outlier& outlier : outliers) {
    Eigen::MatrixXd J1(n - 1, p);
    Eigen::VectorXd y1(n - 1);
    for (int i = 0, k = 0; i < n; ++i) {
      if (i == outlier.index) continue;
      J1.row(k) = J.row(i);
      y1[k++] = y[i];
    }
    const Eigen::VectorXd b1 = solve_least_squares(J1, y1);
    const double s1 = (J1 * b1 - y1).norm() / std::sqrt(n - 1.0 - p);
    const Eigen::MatrixXd row = J.row(outlier.index);
    const double predicted = row.row(0).dot(b1);
    const double variance = 1 + congruence(row, inverse(gram(J1)))(0, 0);
    const double expected = (predicted - y[outlier.index]) / (s1 * std::sqrt(variance));
    EXPECT_NEAR(outlier.studentized, expected, 1e-10);
  }
}

TEST(Outliers, WithKnownSigmaAreNormalAndWithoutFreedomUnknown) {
  const std::vector<double> r = {0.1, -4, 0.2};
  const auto known = largest_outliers(r, {}, 0, true, 1);
  ASSERT_EQ(known.size(), 1u);
  EXPECT_EQ(known[0].index, 1);
  EXPECT_EQ(known[0].studentized, -4);
  EXPECT_NEAR(known[0].p_value, 6 * normal_upper_tail(4), 1e-15);
  EXPECT_TRUE(largest_outliers(r, {}, 1, false, 3).empty());
}

// Quantiles of a normal distribution, and two residuals that a fit made vanish. The lower quarter
// lies beyond the median of absolute values, however far.
TEST(RobustScale, IsTheSigmaOfNormalErrorsWhateverTheOutliers) {
  std::vector<double> r = {0, 0};
  const int n = 401;
  for (int i = 0; i < n; ++i) r.push_back(2.5 * normal_quantile((i + 0.5) / n));
  EXPECT_NEAR(robust_scale(r, 2), 2.5, 0.01);
  for (int i = 2; i < 102; ++i) r[static_cast<std::size_t>(i)] *= 1e6;
  EXPECT_NEAR(robust_scale(r, 2), 2.5, 0.01);
  EXPECT_EQ(robust_scale(std::vector<double>{1, 2}, 2), 0);
  EXPECT_NEAR(robust_scale(std::vector<double>{-1, 3, 2, 0}, 0) * normal_quantile(0.75), 1.5,
              1e-15);
}

TEST(RobustOutliers, AreSeenWhereTheyHideEachOtherFromTheRootMeanSquare) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  std::vector<double> r(50);
  for (double& x : r) x = normal(random);
  for (std::size_t i = 0; i < 10; ++i) r[5 * i] = 60 + static_cast<double>(i);
  EXPECT_GT(largest_outliers(r, {}, 48, false, 1)[0].p_value, 0.5);
  const auto robust = largest_robust_outliers(r, 2, 20);
  ASSERT_EQ(robust.size(), 20u);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(robust[static_cast<std::size_t>(i)].index % 5, 0);
    EXPECT_LT(robust[static_cast<std::size_t>(i)].p_value, 1e-6);
  }
  for (int i = 10; i < 20; ++i) EXPECT_GT(robust[static_cast<std::size_t>(i)].p_value, 0.1);
  EXPECT_TRUE(largest_robust_outliers(std::vector<double>(5, 1.0), 0, 3).empty());
}

TEST(RobustOutliers, AreRarelySeenWhereThereAreNone) {
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  constexpr int kRuns = 4000;
  for (const int n : {12, 30, 200}) {
    int alarms = 0;
    std::vector<double> r(static_cast<std::size_t>(n));
    for (int run = 0; run < kRuns; ++run) {
      for (double& x : r) x = normal(random);
      alarms += largest_robust_outliers(r, 0, 1)[0].p_value < 0.05;
    }
    std::printf("  n = %3d: %.3f at 0.05\n", n, alarms / double{kRuns});
    EXPECT_LT(alarms, 0.055 * kRuns) << n;  // measured 0.006, 0.021, 0.043
    if (n == 200) {
      EXPECT_GT(alarms, 0.03 * kRuns);
    }
  }
}

}  // namespace
}  // namespace parfait::math
