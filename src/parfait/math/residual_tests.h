#pragma once

#include <span>
#include <vector>

/// What residuals say about a model that claims they are independent, normal, and of one variance.
/// A small p value speaks against the claim: were it true, a value at least this extreme would be
/// seen with that probability.
namespace parfait::math {

/// Wald-Wolfowitz: are the signs of the residuals, in their order, random? Few runs of equal signs
/// mean that the model misses a trend, many that it follows the noise.
///
/// Zeros are left out. The distribution of the number of runs, given the numbers of signs, is exact
/// up to 2000 signs and beyond that normal with continuity correction. Two-sided: twice the smaller
/// tail, at most 1. Signs that are all equal have p value 1: the number of runs is certain.
/// See  A. Wald, J. Wolfowitz, Ann. Math. Statist. 11 (1940) 147-162.
struct RunsTest {
  int positive = 0, negative = 0;
  int runs = 0;
  double expected_runs = 0;
  double p_value = 1;
};
RunsTest runs_test(std::span<const double> residuals);

/// Anderson-Darling: do the residuals come from a normal distribution, whatever its mean and
/// variance? Chosen because it has no largest number of residuals and is sensitive in the tails,
/// where outliers are.
///
///   A^2 = -n - 1/n sum_i (2i - 1) (log Phi(z_i) + log(1 - Phi(z_{n+1-i}))),
///   z_i: the residuals, standardized and sorted
///
/// with Stephens' correction for estimated mean and variance, A^2 (1 + 0.75/n + 2.25/n^2), and his
/// p values (R. B. D'Agostino, M. A. Stephens, Goodness-of-Fit Techniques, 1986, tables 4.7 and
/// 4.9), which are meant for n >= 8. With fewer values, or if all are equal, `valid` is false.
struct NormalityTest {
  bool valid = false;
  double statistic = 0;  ///< A^2 with the correction
  double p_value = 1;
};
NormalityTest normality_test(std::span<const double> residuals);
/// The p value that belongs to a corrected A^2.
double normality_p_value(double statistic);

/// A residual and how far out it lies. With s^2 = sum r^2 / nu and the leverage h (the share of the
/// measurement in its own prediction, 0 <= h < 1):
///
///   t = e sqrt((nu - 1) / (nu - e^2)),   e = r / (s sqrt(1 - h)),
///
/// which is the residual divided by a standard deviation that was estimated without it, and has
/// Student's distribution with nu - 1 degrees of freedom. The p value is for the largest of n
/// (Bonferroni). With known sigma t = r / sqrt(1 - h), normal.
/// See  R. D. Cook, S. Weisberg, Residuals and Influence in Regression, 1982, 2.2.
struct Outlier {
  int index = 0;
  double residual = 0;
  double studentized = 0;
  double p_value = 1;
};
/// The `most` residuals that are farthest out, farthest first. `leverages` may be empty (all 0).
/// `nu`: degrees of freedom; if it is < 2 and sigma is not known, nothing can be said (empty).
/// Measurements that alone determine a parameter (h = 1) have no residual and are left out.
std::vector<Outlier> largest_outliers(std::span<const double> residuals,
                                      std::span<const double> leverages, int nu, bool sigma_known,
                                      int most);

/// The scale of errors from the residuals of a fit that outliers do not move (l1, Huber): the
/// normalized median,
///
///   s = med |r| / Phi^-1(3/4),      without the `free` smallest |r|, which l1 makes vanish.
///
/// Up to half of the data may be wrong. 0 if nothing is left.
/// See  R. A. Maronna, R. D. Martin, V. J. Yohai, Robust Statistics, 2006, 4.4.2.
double robust_scale(std::span<const double> residuals, int free);

/// As largest_outliers() for such a fit, where the root mean square is what the outliers make it:
///
///   t = r / s,     compared with Student's distribution of 0.37 (n - free) degrees of freedom,
///
/// 0.37 the efficiency of the median of absolute values for normal errors: its relative variance is
/// that of a root mean square of so many. The leverage, which is that of least squares, is left
/// out. Fewer than 6 degrees of freedom n - free: nothing can be said (empty).
std::vector<Outlier> largest_robust_outliers(std::span<const double> residuals, int free, int most);

}  // namespace parfait::math
