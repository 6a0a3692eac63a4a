#include "parfait/math/quantiles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace parfait::math {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// Tables of the NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7, three decimals.
TEST(Quantiles, AgreeWithThePrintedTables) {
  EXPECT_NEAR(student_t_quantile(0.975, 1), 12.706, 5e-4);
  EXPECT_NEAR(student_t_quantile(0.975, 10), 2.228, 5e-4);
  EXPECT_NEAR(student_t_quantile(0.95, 30), 1.697, 5e-4);
  EXPECT_NEAR(student_t_quantile(0.999, 5), 5.893, 5e-4);
  EXPECT_NEAR(normal_quantile(0.975), 1.960, 5e-4);
  EXPECT_NEAR(chi_squared_quantile(0.95, 1), 3.841, 5e-4);
  EXPECT_NEAR(chi_squared_quantile(0.95, 10), 18.307, 5e-4);
  EXPECT_NEAR(chi_squared_quantile(0.99, 30), 50.892, 5e-4);
  EXPECT_NEAR(chi_squared_quantile(0.05, 10), 3.940, 5e-4);
  EXPECT_NEAR(fisher_f_quantile(0.95, 3, 10), 3.708, 5e-4);
  EXPECT_NEAR(fisher_f_quantile(0.95, 10, 3), 8.786, 5e-4);
  EXPECT_NEAR(fisher_f_quantile(0.99, 5, 20), 4.103, 5e-4);
}

TEST(Quantiles, AgreeWithClosedForms) {
  for (const double x : {-30.0, -2.0, -0.3, 0.0, 0.7, 5.0}) {
    EXPECT_NEAR(student_t_cdf(x, 1), 0.5 + std::atan(x) / M_PI, 1e-15) << x;
    EXPECT_NEAR(student_t_cdf(x, 2), 0.5 + x / (2 * std::sqrt(2 + x * x)), 1e-15) << x;
    EXPECT_NEAR(normal_cdf(x), 0.5 * std::erfc(-x / std::sqrt(2.0)), 1e-15) << x;
  }
  for (const double x : {1e-3, 0.5, 4.0, 60.0}) {
    EXPECT_NEAR(chi_squared_upper_tail(x, 2) / std::exp(-x / 2), 1, 1e-13) << x;
    EXPECT_NEAR(fisher_f_cdf(x, 2, 2), x / (1 + x), 1e-15) << x;
  }
}

TEST(Quantiles, InvertTheDistributionFunctions) {
  for (const double u : {1e-9, 0.025, 0.5, 0.9, 0.99999}) {
    EXPECT_NEAR(normal_cdf(normal_quantile(u)), u, 1e-13 * u);
    for (const double nu : {1.0, 3.0, 2.5, 100.0, 1e6}) {
      EXPECT_NEAR(student_t_cdf(student_t_quantile(u, nu), nu), u, 1e-12 * u) << nu;
      EXPECT_NEAR(chi_squared_cdf(chi_squared_quantile(u, nu), nu), u, 1e-11 * u) << nu;
      EXPECT_NEAR(fisher_f_cdf(fisher_f_quantile(u, nu, 7), nu, 7), u, 1e-11 * u) << nu;
    }
  }
}

TEST(Quantiles, UpperTailsKeepTheirDigitsFarOut) {
  EXPECT_NEAR(normal_upper_tail(20) / (0.5 * std::erfc(20 / std::sqrt(2.0))), 1, 1e-12);
  EXPECT_NEAR(fisher_f_upper_tail(1e12, 2, 2) * 1e12, 1, 1e-11);
  EXPECT_GT(student_t_upper_tail(1e8, 3), 0);
}

TEST(Quantiles, ASquaredTIsAnF) {
  for (const double nu : {1.0, 4.0, 50.0}) {
    const double t = student_t_quantile(0.975, nu);
    EXPECT_NEAR(fisher_f_quantile(0.95, 1, nu) / (t * t), 1, 1e-12);
  }
}

TEST(Quantiles, AnswerTheEndsAndRefuseNonsense) {
  EXPECT_EQ(student_t_quantile(1, 3), kInf);
  EXPECT_EQ(student_t_quantile(0, 3), -kInf);
  EXPECT_EQ(chi_squared_quantile(0, 3), 0);
  EXPECT_EQ(fisher_f_cdf(-1, 2, 3), 0);
  EXPECT_EQ(chi_squared_upper_tail(kInf, 3), 0);
  EXPECT_TRUE(std::isnan(student_t_quantile(1.5, 3)));
  EXPECT_TRUE(std::isnan(student_t_quantile(0.5, 0)));
  EXPECT_TRUE(std::isnan(chi_squared_cdf(NAN, 3)));
  EXPECT_TRUE(std::isnan(fisher_f_quantile(0.5, 2, -1)));
}

}  // namespace
}  // namespace parfait::math
