#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <string>

namespace parfait::estimate {

/// What a design makes small, of the covariance C = M^-1 of what is of interest (k numbers, M their
/// Fisher information with everything else eliminated).
enum class CriterionKind : std::uint8_t {
  kA,           ///< tr C: the sum of variances
  kD,           ///< det C: the volume of the confidence ellipsoid
  kE,           ///< the largest eigenvalue of C: its longest axis
  kT,           ///< -tr M: information itself; says nothing about what M leaves undetermined
  kMaxSd,       ///< the largest diagonal entry of C
  kC,           ///< the variance of one combination of parameters
  kPrediction,  ///< the mean variance of predicted quantities
};

/// As they are written in design files: A, D, E, T, max_sd, c, prediction.
const char* text(CriterionKind kind);
std::optional<CriterionKind> criterion_kind(const std::string& text);

/// psi(M), what is minimized:
///
///   A  ln tr C      D  -(1/k) ln det M      E  ln lambda_max(C)      T  -ln tr M
///   max_sd  ln max C_ii      c, prediction  ln tr C
///
/// With `sharpness` q > 0 the largest of several is replaced by a norm, smooth where they meet:
/// E  (1/q) ln tr C^q,  max_sd  (1/q) ln sum C_ii^q.
struct CriterionValue {
  double psi = 0;         ///< infinite: something is not determined
  Eigen::MatrixXd slope;  ///< Psi = dpsi/dM, symmetric: dpsi = <Psi, dM>
};
CriterionValue evaluate_criterion(CriterionKind kind, const Eigen::MatrixXd& information,
                                  double sharpness = 0);

/// The change of Psi when M changes by dM: second derivatives of A, D, E (a simple largest
/// eigenvalue), T, c and prediction.
Eigen::MatrixXd criterion_curvature(CriterionKind kind, const Eigen::MatrixXd& information,
                                    const Eigen::MatrixXd& dM);

/// The largest eigenvalue of C is (nearly) a multiple one: it has no derivative there.
bool has_multiple_largest(const Eigen::MatrixXd& covariance, double tolerance = 1e-6);

/// M of what the rows of K look at, when z has the information `all`: the Schur complement of the
/// rest, (K all^-1 K^T)^-1, which exists where `all` is singular, too. K has independent rows.
Eigen::MatrixXd information_of(const Eigen::MatrixXd& all, const Eigen::MatrixXd& K);

/// S with M = S M_scaled S, M_scaled with unit diagonal (where M's is not zero), decomposed: what
/// is weaker than `tolerance` of it is not seen.
struct RangeOf {
  Eigen::MatrixXd basis;  ///< columns u_i / sqrt(l_i) in z: M^+ = basis basis^T
  Eigen::MatrixXd null;   ///< columns that M does not see, in z
};
RangeOf range_of(const Eigen::MatrixXd& M, double tolerance = 1e-13);

/// K M^+ K^T with infinite diagonal entries where a row of K is not determined (and NaN beside
/// them).
Eigen::MatrixXd covariance_of(const Eigen::MatrixXd& M, const Eigen::MatrixXd& K);

}  // namespace parfait::estimate
