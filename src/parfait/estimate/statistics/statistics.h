#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "parfait/estimate/linear/linear_fit.h"
#include "parfait/estimate/problem/variables.h"

namespace parfait::estimate {

/// What decides the value of an estimated parameter.
enum class Determined : std::uint8_t {
  kByData,   ///< data and equations
  kAtLower,  ///< its bound: no sd
  kAtUpper,
  kUndetermined,  ///< nothing: the sd is infinite
};
inline bool at_bound(Determined d) {
  return d == Determined::kAtLower || d == Determined::kAtUpper;
}

struct StatisticsOptions {
  Norm norm = Norm::kL2;
  double huber_gamma = 1.345;
  bool sigma_known = false;    ///< otherwise the sigmas are right up to a common factor beta
  bool is_likelihood = false;  ///< -2 log L is minimized: sigma is part of the model, beta = 1
  double confidence = 0.95;
};

/// The common scale of all covariances of a fit, and the widths of its intervals.
///
/// With C the covariance of a variable for data of unit variance, l1 = free directions and
/// l2 = data - l1 degrees of freedom, at the confidence 1 - alpha,
///
///   sd = beta sqrt(C_ii),      individual:  +- t(1 - alpha/2; l2) sd
///                              joint:       +- sqrt(l1 F(1 - alpha; l1, l2)) sd
///
/// and with known sigma beta = 1, the normal and the chi^2(l1) quantile in place of t and l1 F. The
/// joint intervals enclose the ellipsoid that holds all parameters at once. beta enters once
/// (docs/theory/corrections.md, Kraus 2006, (3.15)-(3.18)).
struct FitScale {
  int num_data = 0;
  int num_free = 0;            ///< l1
  int degrees_of_freedom = 0;  ///< l2; 0: nothing is left to estimate beta from
  bool sigma_known = false;
  double confidence = 0.95;
  double beta2 = 1;       ///< factor of all covariances; NaN: cannot be given
  double individual = 0;  ///< t quantile
  double joint = 0;       ///< sqrt(l1 F)
  /// Goodness of fit, l2 with known sigma: P(chi^2(l2) > objective), small if the model does not
  /// explain the data.
  std::optional<double> chi2_p_value{};
  /// How covariances and intervals were made, in a sentence: for result files and reports.
  std::string convention{};

  double beta() const;
};

/// `residuals`: weighted, of all experiments, priors included. `rank`: the number of directions the
/// data determine: LinearFit::rank() and, for experiments that eliminated variables together with
/// data rows, residuals - rows of the block.
FitScale make_fit_scale(VecIn residuals, int rank, const StatisticsOptions& options);

/// Of normal errors with constant sigma known up to beta, L is the largest over beta, too, which
/// counts as a parameter: beta^2 = objective / measurements.
struct LikelihoodSummary {
  bool is_objective = false;  ///< the objective is -2 log (L prior); otherwise a sum of squares
  double log_likelihood = 0;  ///< of the measurements, with all constants
  double log_prior = 0;       ///< of what was known before
  int num_measurements = 0;
  int num_parameters = 0;  ///< all that is estimated, noise included
  double aic() const { return 2 * num_parameters - 2 * log_likelihood; }
  double bic() const;
};

struct Interval {
  double low = 0, high = 0;
};

struct ParameterStatistics {
  double value = 0;
  double sd = 0;  ///< NaN at a bound; infinite if not determined
  /// With Transform::kLog computed for log p: not symmetric, and always positive. At a bound NaN,
  /// undetermined: the whole range. What lies beyond a bound is cut off.
  Interval individual{}, joint{};
  Determined determined = Determined::kByData;
};

/// Of unknown i at x. `variance`: of x for data of unit variance.
ParameterStatistics parameter_statistics(const Unknowns& unknowns, int i, double x, double variance,
                                         Determined determined, const FitScale& scale);

/// Covariance of p from that of x for data of unit variance; rows and columns that have none (at a
/// bound, undetermined) are NaN.
Eigen::MatrixXd parameter_covariance(const Unknowns& unknowns, VecIn x, MatIn unit_covariance,
                                     const std::vector<Determined>& determined,
                                     const FitScale& scale);

/// C_ij / sqrt(C_ii C_jj), 1 on the diagonal; NaN where a variance is NaN or 0.
Eigen::MatrixXd correlation_of(MatIn covariance);

/// Which unknowns lie on a bound (is_at_bound).
std::vector<Determined> determined_by(const Unknowns& unknowns, VecIn x);

/// Marks what the directions (columns over the unknowns, orthonormal) leave open: unknowns with an
/// entry above `tolerance`, unless they are at a bound.
void mark_undetermined(MatIn directions, std::vector<Determined>& determined,
                       double tolerance = 1e-5);

const char* text(Determined determined);

/// Covariances of what one experiment has for itself (xi), of that with what all share, and of
/// that.
struct ExperimentCovariance {
  const Eigen::MatrixXd &xi, &mixed, &p;
};
/// Variances of the rows of A xi + B p.
Eigen::VectorXd row_variances(const ExperimentCovariance& of, const Eigen::MatrixXd& A,
                              const Eigen::MatrixXd& B);

}  // namespace parfait::estimate
