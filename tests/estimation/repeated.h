#pragma once

#include <Eigen/Core>
#include <vector>

#include "parfait/estimate/fit/fit.h"

// What a fit promises of its estimates, against what happens when the experiment is repeated.
namespace parfait::estimation {

/// The fit to data without noise, at the sigmas of the problem: the truth, and the covariance that
/// theory promises around it.
estimate::FitResult fit_exact_data(const estimate::Problem& problem);

struct RepetitionMargins {
  double coverage;  ///< of the share of 95 % intervals that cover the truth
  double
      covariance;  ///< of the mean of the covariances that the fits report, in units of C_ii C_jj
};

/// Fits the data of seeds 1 ... runs and compares the estimates `watched` of them: their scatter
/// with the covariance at the truth, the covariances that they report, the intervals.
void expect_repetitions_agree(const estimate::Problem& problem, const estimate::FitResult& truth,
                              const std::vector<Eigen::Index>& watched, int runs,
                              RepetitionMargins margins);

}  // namespace parfait::estimation
