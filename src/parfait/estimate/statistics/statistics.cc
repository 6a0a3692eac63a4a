#include "parfait/estimate/statistics/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "parfait/estimate/linear/norm_variance.h"
#include "parfait/math/quantiles.h"

namespace parfait::estimate {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

std::string convention_of(const FitScale& scale, const StatisticsOptions& options) {
  const auto percent = 100 * options.confidence;
  if (options.norm == Norm::kLInf) {
    return "no covariance: the maximum norm has no normal limit";
  }
  if (std::isnan(scale.beta2)) {
    return "no covariance: too few data to estimate the scale of the errors";
  }
  if (options.is_likelihood) {
    return fmt::format(
        "covariance = inverse of the Fisher information under equations and active bounds, beta = "
        "1: "
        "sigma is part of the likelihood; {:g} % intervals: individual ones normal, joint ones "
        "chi^2",
        percent);
  }
  const std::string matrix = "covariance = beta^2 (J+ J+^T) under equations and active bounds, ";
  std::string factor;
  switch (options.norm) {
    case Norm::kHuber:
      factor = options.sigma_known
                   ? "beta^2 = E[psi^2] / E[psi']^2 for normal errors of the given sigma (Huber)"
                   : "beta^2 = mean psi^2 / (mean psi')^2 from the residuals (Huber, asymptotic)";
      break;
    case Norm::kL1:
      factor = options.sigma_known
                   ? "beta^2 = pi/2 for normal errors of the given sigma (l1)"
                   : "beta^2 = 1 / (4 f(0)^2) from the residuals near zero (l1, asymptotic)";
      break;
    default:
      factor = options.sigma_known ? "beta = 1: sigma is known"
                                   : "beta^2 = objective / degrees of freedom";
  }
  const char* quantiles = options.sigma_known ? "normal, joint ones chi^2" : "t, joint ones F";
  return fmt::format("{}{}; {:g} % intervals: individual ones {}; they end at bounds", matrix,
                     factor, percent, quantiles);
}

Interval interval_of(const Unknowns& unknowns, int i, double x, double half_width) {
  // Both maps ascend, so ends stay ends. A half width that is not a number leaves none.
  const auto inside = [&](double end) {
    return std::isnan(end) ? end : std::clamp(end, unknowns.lower()[i], unknowns.upper()[i]);
  };
  return {.low = unknowns.value_of(i, inside(x - half_width)),
          .high = unknowns.value_of(i, inside(x + half_width))};
}

}  // namespace

double LikelihoodSummary::bic() const {
  return num_parameters * std::log(static_cast<double>(num_measurements)) - 2 * log_likelihood;
}

double FitScale::beta() const {
  return std::sqrt(beta2);
}

FitScale make_fit_scale(VecIn residuals, int rank, const StatisticsOptions& given) {
  FitScale scale;
  StatisticsOptions options = given;
  options.sigma_known |= options.is_likelihood;
  scale.num_data = static_cast<int>(residuals.size());
  scale.num_free = rank;
  scale.degrees_of_freedom = std::max(0, scale.num_data - rank);
  scale.sigma_known = options.sigma_known;
  scale.confidence = options.confidence;
  scale.beta2 =
      norm_variance(options.norm, residuals, rank, options.huber_gamma, options.sigma_known);
  const double alpha = 1 - options.confidence;
  const double l1 = rank, l2 = scale.degrees_of_freedom;
  if (options.sigma_known) {
    scale.individual = math::normal_quantile(1 - alpha / 2);
    scale.joint = rank > 0 ? std::sqrt(math::chi_squared_quantile(1 - alpha, l1)) : 0;
    if (options.norm == Norm::kL2 && !options.is_likelihood && scale.degrees_of_freedom > 0) {
      scale.chi2_p_value = math::chi_squared_upper_tail(residuals.squaredNorm(), l2);
    }
  } else {
    scale.individual = math::student_t_quantile(1 - alpha / 2, l2);
    scale.joint = rank > 0 ? std::sqrt(l1 * math::fisher_f_quantile(1 - alpha, l1, l2)) : 0;
  }
  scale.convention = convention_of(scale, options);
  return scale;
}

ParameterStatistics parameter_statistics(const Unknowns& unknowns, int i, double x, double variance,
                                         Determined determined, const FitScale& scale) {
  ParameterStatistics s{.value = unknowns.value_of(i, x), .determined = determined};
  const double sd_x =
      at_bound(determined) ? kUnknown : scale.beta() * std::sqrt(std::max(0.0, variance));
  s.sd = unknowns.derivative_of(i, x) * sd_x;
  s.individual = interval_of(unknowns, i, x, scale.individual * sd_x);
  s.joint = interval_of(unknowns, i, x, scale.joint * sd_x);
  if (determined == Determined::kUndetermined) {
    s.sd = kInfinity;
    s.individual = s.joint = interval_of(unknowns, i, x, kInfinity);
  }
  return s;
}

Eigen::MatrixXd parameter_covariance(const Unknowns& unknowns, VecIn x, MatIn unit_covariance,
                                     const std::vector<Determined>& determined,
                                     const FitScale& scale) {
  const Eigen::VectorXd d = unknowns.derivatives(x);
  Eigen::MatrixXd covariance = scale.beta2 * (d.asDiagonal() * unit_covariance * d.asDiagonal());
  for (int i = 0; i < unknowns.size(); ++i) {
    if (determined[static_cast<std::size_t>(i)] == Determined::kByData) continue;
    covariance.row(i).setConstant(kUnknown);
    covariance.col(i).setConstant(kUnknown);
  }
  return covariance;
}

Eigen::MatrixXd correlation_of(MatIn covariance) {
  const Eigen::VectorXd sd = covariance.diagonal().cwiseSqrt();
  Eigen::MatrixXd correlation = covariance;
  for (Eigen::Index i = 0; i < sd.size(); ++i) {
    for (Eigen::Index j = 0; j < sd.size(); ++j) {
      const double both = sd[i] * sd[j];
      // Rounding may leave the range by an ulp; 1 on the diagonal is exact.
      correlation(i, j) = both > 0 ? std::clamp(covariance(i, j) / both, -1.0, 1.0) : kUnknown;
    }
    if (sd[i] > 0) correlation(i, i) = 1;
  }
  return correlation;
}

std::vector<Determined> determined_by(const Unknowns& unknowns, VecIn x) {
  std::vector<Determined> determined(static_cast<std::size_t>(unknowns.size()));
  for (const BoundRow& row : bound_rows(unknowns)) {
    auto& d = determined[static_cast<std::size_t>(row.unknown)];
    if (at_bound(d) || !is_at_bound(unknowns, row, x)) continue;
    d = row.upper ? Determined::kAtUpper : Determined::kAtLower;
  }
  return determined;
}

void mark_undetermined(MatIn directions, std::vector<Determined>& determined, double tolerance) {
  for (Eigen::Index i = 0; i < directions.rows(); ++i) {
    auto& d = determined[static_cast<std::size_t>(i)];
    if (!at_bound(d) && directions.row(i).norm() > tolerance) d = Determined::kUndetermined;
  }
}

const char* text(Determined determined) {
  switch (determined) {
    case Determined::kByData:
      return "by_data";
    case Determined::kAtLower:
      return "at_lower";
    case Determined::kAtUpper:
      return "at_upper";
    case Determined::kUndetermined:
      return "undetermined";
  }
  return "";
}

Eigen::VectorXd row_variances(const ExperimentCovariance& of, const Eigen::MatrixXd& A,
                              const Eigen::MatrixXd& B) {
  const Eigen::MatrixXd with_xi = A * of.xi;
  Eigen::MatrixXd with_p = A * of.mixed;
  with_p *= 2;
  with_p += B * of.p;
  return with_xi.cwiseProduct(A).rowwise().sum() + with_p.cwiseProduct(B).rowwise().sum();
}

}  // namespace parfait::estimate
