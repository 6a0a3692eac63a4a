#include "parfait/integrate/adams/adams_coefficients.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "parfait/integrate/adams/adams_history.h"

namespace parfait::integrate {
namespace {

/// Step sizes that jump by factors of up to 20.
const std::vector<double> kWildSteps = {0.3, 0.05, 0.7,  0.11, 0.9, 0.06, 0.5, 0.8, 0.045, 0.6,
                                        0.2, 0.75, 0.07, 0.4,  1.0, 0.05, 0.3, 0.9, 0.1,   0.55};

TEST(AdamsCoefficients, AreTheClassicalOnesAtConstantSteps) {
  AdamsCoefficients c;
  c.start();
  for (int order = 1; order <= 12; ++order) {
    c.plan(0.37, order);
    c.accept();
  }
  c.plan(0.37, 12);
  // Adams-Bashforth, in backward differences: Hairer, Norsett, Wanner 1993, table III.1.1, and on.
  const std::vector<double> gamma = {1,
                                     1. / 2,
                                     5. / 12,
                                     3. / 8,
                                     251. / 720,
                                     95. / 288,
                                     19087. / 60480,
                                     5257. / 17280,
                                     1070017. / 3628800,
                                     25713. / 89600,
                                     26842253. / 95800320,
                                     4777223. / 17418240,
                                     703604254357. / 2615348736000};
  for (int i = 1; i <= 13; ++i) {
    EXPECT_NEAR(c.g(i), gamma[i - 1], 1e-14) << i;
    EXPECT_EQ(c.beta(i), 1) << i;
    EXPECT_NEAR(c.sigma(i), 1, 1e-14) << i;
  }
}

TEST(AdamsCoefficients, ErrorsOfTheMoultonFormulasAreTheClassicalOnes) {
  // Hairer, Norsett, Wanner 1993, table III.1.2, and on.
  const std::vector<double> gamma = {1,
                                     1. / 2,
                                     1. / 12,
                                     1. / 24,
                                     19. / 720,
                                     3. / 160,
                                     863. / 60480,
                                     275. / 24192,
                                     33953. / 3628800,
                                     8183. / 1036800,
                                     3250433. / 479001600,
                                     4671. / 788480,
                                     13695779093. / 2615348736000,
                                     2224234463. / 475517952000};
  ASSERT_EQ(adams_moulton_errors().size(), gamma.size());
  for (std::size_t k = 0; k < gamma.size(); ++k) {
    EXPECT_NEAR(adams_moulton_errors()[k], gamma[k], 1e-14) << k;
  }
}

/// f_m(t) = t^m, m = 0 ... 7, with the primitive t^(m+1) / (m+1): numbers of one history.
struct Powers {
  explicit Powers(int first) : first_exponent(first) {}
  void f(double t, double* out) const {
    for (int m = 0; m < 8; ++m) out[m] = std::pow(t, first_exponent + m);
  }
  void y(double t, double* out) const {
    for (int m = 0; m < 8; ++m)
      out[m] = std::pow(t, first_exponent + m + 1) / (first_exponent + m + 1);
  }
  int first_exponent;
};

/// Steps of the order tested over a wild grid that ends at t = 1; then one more is looked at.
class WildGrid {
 public:
  WildGrid(const Powers& problem, int order) : problem_(problem) {
    history.resize(8);
    double length = 0;
    for (double h : kWildSteps) length += h;
    t = 1 - length / 8;
    problem.f(t, f);
    history.start(f);
    c.start();
    for (std::size_t n = 0; n + 1 < kWildSteps.size(); ++n) {
      plan(kWildSteps[n] / 8, std::min<int>(order, n + 1));
      history.predict(c, y0, p);
      problem.f(t + c.h(), f);
      history.correct(c, p, f, y1);
      history.advance(c, f);
      t += c.h();
      c.accept();
    }
    plan(kWildSteps.back() / 8, order);
    problem.f(t + c.h(), f);
    history.predict(c, y0, p);
    history.correct(c, p, f, y1);
    history.finish(f, f);
  }

  AdamsCoefficients c;
  AdamsHistory history;
  double t;
  double f[8], y0[8], p[8], y1[8];

 private:
  void plan(double h, int order) {
    c.plan(h, order);
    problem_.y(t, y0);
  }
  const Powers& problem_;
};

TEST(AdamsHistory, PredictsPolynomialsOfItsOrderAndCorrectsOneDegreeMoreExactly) {
  for (int k = 1; k <= 12; ++k) {
    // Degrees of y from 1 to 8, or the eight up to k + 1.
    const int first = std::max(0, k - 7);
    const Powers problem(first);
    const WildGrid grid(problem, k);
    double exact[8];
    problem.y(grid.t + grid.c.h(), exact);
    for (int m = 0; m < 8; ++m) {
      const int degree = first + m + 1;
      const double unit = std::abs(exact[m]);
      if (degree <= k) {
        EXPECT_NEAR(grid.p[m], exact[m], 1e-13 * unit) << "order " << k << ", degree " << degree;
      }
      if (degree <= k + 1) {
        EXPECT_NEAR(grid.y1[m], exact[m], 1e-13 * unit) << "order " << k << ", degree " << degree;
      }
      if (degree == k + 1 && k <= 9) {
        EXPECT_GT(std::abs(grid.p[m] - exact[m]), 1e-12 * unit) << "order " << k;
      }
    }
  }
}

TEST(AdamsHistory, InterpolatesPolynomialsOfOneDegreeMoreThanItsOrderExactly) {
  for (int k = 1; k <= 12; ++k) {
    const int first = std::max(0, k - 7);
    const Powers problem(first);
    const WildGrid grid(problem, k);
    for (double s : {0.0, 0.17, 0.5, 0.93, 1.0}) {
      double y[8], rate[8], exact[8], exact_rate[8];
      grid.history.interpolate(grid.c, s, grid.y0, y);
      grid.history.interpolate_rate(grid.c, s, rate);
      problem.y(grid.t + s * grid.c.h(), exact);
      problem.f(grid.t + s * grid.c.h(), exact_rate);
      for (int m = 0; first + m + 1 <= std::min(k + 1, first + 8); ++m) {
        EXPECT_NEAR(y[m], exact[m], 1e-13) << "order " << k << ", s = " << s;
        EXPECT_NEAR(rate[m], exact_rate[m], 1e-11) << "order " << k << ", s = " << s;
      }
      if (s == 1) {
        for (int m = 0; m < 8; ++m) EXPECT_DOUBLE_EQ(y[m], grid.y1[m]);
      }
    }
  }
}

TEST(AdamsHistory, ScaledDifferencesArePowersOfTheStepTimesDerivatives) {
  // For f = t^k the difference of order k is its k-th derivative, on any grid: h^k k!.
  for (int k = 1; k <= 6; ++k) {
    const Powers problem(0);
    const WildGrid grid(problem, k);
    double difference[8];
    grid.history.predicted_difference(grid.c, 0, difference);
    const double expected = std::pow(grid.c.h(), k) * std::tgamma(k + 1);
    EXPECT_NEAR(grid.c.sigma(k + 1) * difference[k], expected, 1e-9 * expected) << k;
    const double error = grid.c.h() * adams_moulton_errors()[k] * expected;
    EXPECT_NEAR(grid.c.error_factor(k) * difference[k], error, 1e-9 * error) << k;
    // One order higher, for f = t^(k+1), whose difference needs one more value of the past.
    grid.history.higher_difference(grid.c, difference);
    const double higher = std::pow(grid.c.h(), k + 1) * std::tgamma(k + 2);
    EXPECT_NEAR(grid.c.sigma(k + 2) * difference[k + 1], higher, 1e-7 * higher) << k;
    // And lower: there is no more than the derivative itself for f = t^(k-1).
    if (k < 2) continue;
    grid.history.predicted_difference(grid.c, 1, difference);
    const double lower = std::pow(grid.c.h(), k - 1) * std::tgamma(k);
    EXPECT_NEAR(grid.c.sigma(k) * difference[k - 1], lower, 1e-9 * lower) << k;
  }
}

}  // namespace
}  // namespace parfait::integrate
