#include "parfait/estimate/experiment/likelihood.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace parfait::estimate {

namespace likelihood {
namespace {

using Distribution = Noise::Distribution;

const double kLogTwoPi = std::log(2 * std::numbers::pi);

/// Below this |r| Laplace's |r| is continued as a parabola, so that weights are bounded. The value
/// of the likelihood is not.
constexpr double kLaplaceKink = 1e-6;

/// The power of sigma in r psi at given errors: r^2 or |r|.
double power_of(const Noise& noise) {
  return noise.distribution == Distribution::kLaplace ? 1 : 2;
}

double step_information(const Noise& noise, double m, bool sigma_is_log) {
  // A model that explains everything, or nothing, moves sigma by some orders of magnitude at once.
  constexpr double kSmallest = 1e-12, kLargest = 1e24;
  m = std::clamp(m, kSmallest, kLargest);
  const double k = power_of(noise);
  const double d = m - 1;
  if (std::abs(d) < 1e-6) return sigma_is_log ? k * (1 + d / 2) : k;
  // From below, a linear step of sigma itself would go far beyond.
  return sigma_is_log || m > 1 ? k * d / std::log(m) : d / (std::pow(m, 1 / k) - 1);
}

}  // namespace
}  // namespace likelihood

using likelihood::Distribution;

double transformed(ValueScale scale, double y) {
  switch (scale) {
    case ValueScale::kLinear:
      return y;
    case ValueScale::kLog:
      return std::log(y);
    case ValueScale::kLog10:
      return std::log10(y);
  }
  return y;
}

double transformed_slope(ValueScale scale, double y) {
  switch (scale) {
    case ValueScale::kLinear:
      return 1;
    case ValueScale::kLog:
      return 1 / y;
    case ValueScale::kLog10:
      return 1 / (y * std::numbers::ln10);
  }
  return 1;
}

ErrorDensity error_density(const Noise& noise, double y, double measured, double sigma) {
  ErrorDensity out;
  const double r = (transformed(noise.scale, y) - transformed(noise.scale, measured)) / sigma;
  out.r = r;
  out.slope = transformed_slope(noise.scale, y);
  const double nu = noise.df;
  double minus_log_f = 0;
  switch (noise.distribution) {
    case Distribution::kNormal:
      out.psi = r;
      out.weight = 1;
      minus_log_f = 0.5 * (r * r + likelihood::kLogTwoPi);
      break;
    case Distribution::kLaplace:
      out.weight = 1 / std::max(std::abs(r), likelihood::kLaplaceKink);
      out.psi = r * out.weight;
      minus_log_f = std::abs(r) + std::numbers::ln2;
      break;
    case Distribution::kStudent:
      out.weight = (nu + 1) / (nu + r * r);
      out.psi = r * out.weight;
      minus_log_f = 0.5 * (nu + 1) * std::log1p(r * r / nu) + std::lgamma(nu / 2) -
                    std::lgamma((nu + 1) / 2) + 0.5 * std::log(nu * std::numbers::pi);
      break;
  }
  out.cost =
      2 * (minus_log_f + std::log(sigma) - std::log(transformed_slope(noise.scale, measured)));
  return out;
}

double location_information(const Noise& noise) {
  return noise.distribution == Distribution::kStudent ? (noise.df + 1) / (noise.df + 3) : 1;
}

double scale_information(const Noise& noise) {
  switch (noise.distribution) {
    case Distribution::kNormal:
      return 2;
    case Distribution::kLaplace:
      return 1;
    case Distribution::kStudent:
      return 2 * noise.df / (noise.df + 3);
  }
  return 2;
}

double normal_cost(double r, double sigma) {
  return r * r + likelihood::kLogTwoPi + 2 * std::log(sigma);
}

int LikelihoodRows::num_noise_rows() const {
  return static_cast<int>(std::ranges::count_if(rows_, &Row::sigma_varies));
}

LikelihoodRows::Failure LikelihoodRows::evaluate(VecIn model, VecIn sigma) {
  model_ = model;
  sigma_ = sigma;
  r_.resize(size());
  at_.resize(rows_.size());
  cost_ = data_ = 0;
  for (int i = 0; i < size(); ++i) {
    const Row& row = this->row(i);
    if (!std::isfinite(model[i])) return {i, fmt::format("the model's value is {:g}", model[i])};
    if (!(sigma[i] > 0) || !std::isfinite(sigma[i])) {
      return {i, fmt::format("sigma = {:g}, which must be > 0", sigma[i])};
    }
    if (row.noise.scale != ValueScale::kLinear && !(model[i] > 0)) {
      return {i, fmt::format("the model's value is {:g}, which has no logarithm", model[i])};
    }
    ErrorDensity& at = at_[static_cast<std::size_t>(i)];
    at = error_density(row.noise, model[i], row.measured, sigma[i]);
    r_[i] = at.r;
    cost_ += at.cost;
    const double measured = transformed(row.noise.scale, row.measured) / sigma[i];
    const double largest = std::max(std::abs(measured), std::abs(measured + at.r));
    data_ += largest * largest;
  }
  return {};
}

void LikelihoodRows::freeze(bool expected) {
  std::vector<double> sum, count;
  for (int i = 0; i < size(); ++i) {
    const auto g = static_cast<std::size_t>(row(i).group);
    if (sum.size() <= g) {
      sum.resize(g + 1, 0);
      count.resize(g + 1, 0);
    }
    const ErrorDensity& at = at_[static_cast<std::size_t>(i)];
    sum[g] += at.r * at.psi;
    ++count[g];
  }
  a_.resize(size());
  c_.resize(size());
  slope_.resize(size());
  for (int i = 0; i < size(); ++i) {
    const Row& row = this->row(i);
    const auto g = static_cast<std::size_t>(row.group);
    const ErrorDensity& at = at_[static_cast<std::size_t>(i)];
    const double location = expected ? location_information(row.noise) : at.weight;
    const double scale =
        expected ? scale_information(row.noise)
                 : likelihood::step_information(row.noise, sum[g] / count[g], row.sigma_is_log);
    a_[i] = std::sqrt(location) / sigma_[i];
    c_[i] = std::sqrt(scale) / sigma_[i];
    slope_[i] = at.slope;
  }
}

double LikelihoodRows::b1(int i) const {
  return at_[static_cast<std::size_t>(i)].psi / (sigma_[i] * a_[i]);
}

double LikelihoodRows::b2(int i) const {
  const ErrorDensity& at = at_[static_cast<std::size_t>(i)];
  return (at.r * at.psi - 1) / (sigma_[i] * c_[i]);
}

bool is_likelihood(const Observation& observation) {
  return !observation.sigma.formula.empty() ||
         observation.noise.distribution != Noise::Distribution::kNormal;
}

}  // namespace parfait::estimate
