#pragma once

#include <span>
#include <string>
#include <vector>

#include "parfait/result/fit.h"

/// What the plots of a fit show that its result does not hold: groups, bins, quantiles.
namespace parfait::report {

/// The residuals of one column of one experiment, in the order of time.
struct ResidualGroup {
  std::string experiment, column;
  std::vector<const result::Residual*> residuals{};
  double rms = 0;             ///< sqrt(mean weighted^2); larger than beta: fits worse than the rest
  double sum_of_squares = 0;  ///< of weighted residuals
  bool even = false;          ///< sampled at equal distances
  double autocorrelation = 0;  ///< at lag 1, if it is even

  bool is_prior() const { return !residuals.empty() && residuals.front()->prior; }
};
/// By experiment and column, whatever the order of the rows; the worst (largest rms) first.
std::vector<ResidualGroup> residual_groups(const std::vector<result::Residual>& residuals);

/// Equal bins over the range of the values; their number follows Freedman and Diaconis, 5 to 40.
struct Histogram {
  std::vector<double> edges;  ///< one more than counts
  std::vector<double> counts;
};
Histogram histogram(std::span<const double> values);

/// Sorted values beside the quantiles of N(0, scale^2) at (i - 1/2)/n, with the pointwise 95 %
/// envelope z_i scale +- 1.96 scale / phi(z_i) sqrt(p_i (1 - p_i) / n).
/// See  J. Fox, Applied Regression Analysis, 3rd ed. (2016), 3.1.3.
struct Quantiles {
  std::vector<double> expected, found, low, high;
};
Quantiles normal_quantiles(std::span<const double> values, double scale);

/// r_k = sum_i x_i x_{i+k} / sum_i x_i^2 for lags 1 to `most`, over all groups that are sampled
/// evenly; the residuals of a model should have mean 0, so none is subtracted. `pairs` is the
/// number of terms at lag 1: without correlation |r_k| < 1.96/sqrt(pairs) in 95 % of cases.
struct Autocorrelation {
  std::vector<double> values;
  int pairs = 0;
};
Autocorrelation autocorrelation(std::span<const ResidualGroup> groups, int most);

/// An order that puts what is strongly correlated side by side: clusters are merged, the closest
/// first, by the average of 1 - |rho| between them.
std::vector<int> clustered_order(const result::Matrix& correlation);

struct Pair {
  int i = 0, j = 0;
  double correlation = 0;
};
/// The pairs with the largest |rho|, largest first.
std::vector<Pair> strongest_pairs(const result::Matrix& correlation, int most);

/// Points of the curve (p - center)^T C^-1 (p - center) = radius^2 in two parameters.
struct Ellipse {
  std::vector<double> x, y;
};
Ellipse ellipse(double x, double y, double sd_x, double sd_y, double correlation, double radius);

}  // namespace parfait::report
