#include "parfait/math/quantiles.h"

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

namespace parfait::math {
namespace {

namespace bm = boost::math;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// No exceptions: a value outside its range gives NaN, an overflow infinity.
using Quiet = bm::policies::policy<bm::policies::domain_error<bm::policies::ignore_error>,
                                   bm::policies::pole_error<bm::policies::ignore_error>,
                                   bm::policies::overflow_error<bm::policies::ignore_error>,
                                   bm::policies::underflow_error<bm::policies::ignore_error>,
                                   bm::policies::evaluation_error<bm::policies::ignore_error>,
                                   bm::policies::promote_double<false>>;
using Normal = bm::normal_distribution<double, Quiet>;
using StudentT = bm::students_t_distribution<double, Quiet>;
using ChiSquared = bm::chi_squared_distribution<double, Quiet>;
using FisherF = bm::fisher_f_distribution<double, Quiet>;

bool is_count(double nu) {
  return nu > 0 && std::isfinite(nu);
}

// Boost is asked only inside the support; its ends are answered here.
template <typename Distribution>
double cdf_of(const Distribution& d, double x, double low) {
  if (std::isnan(x)) return kNan;
  if (x <= low) return 0;
  if (x == kInf) return 1;
  return bm::cdf(d, x);
}

template <typename Distribution>
double upper_tail_of(const Distribution& d, double x, double low) {
  if (std::isnan(x)) return kNan;
  if (x <= low) return 1;
  if (x == kInf) return 0;
  return bm::cdf(bm::complement(d, x));
}

template <typename Distribution>
double quantile_of(const Distribution& d, double u, double low) {
  if (!(u >= 0 && u <= 1)) return kNan;
  if (u == 0) return low;
  if (u == 1) return kInf;
  return bm::quantile(d, u);
}

}  // namespace

double normal_cdf(double x) {
  return cdf_of(Normal(), x, -kInf);
}
double normal_upper_tail(double x) {
  return upper_tail_of(Normal(), x, -kInf);
}
double normal_quantile(double u) {
  return quantile_of(Normal(), u, -kInf);
}
double normal_density(double x) {
  constexpr double kInverseRootOfTwoPi = 0.39894228040143267794;
  return kInverseRootOfTwoPi * std::exp(-0.5 * x * x);
}

double student_t_cdf(double x, double nu) {
  return is_count(nu) ? cdf_of(StudentT(nu), x, -kInf) : kNan;
}
double student_t_upper_tail(double x, double nu) {
  return is_count(nu) ? upper_tail_of(StudentT(nu), x, -kInf) : kNan;
}
double student_t_quantile(double u, double nu) {
  return is_count(nu) ? quantile_of(StudentT(nu), u, -kInf) : kNan;
}

double chi_squared_cdf(double x, double nu) {
  return is_count(nu) ? cdf_of(ChiSquared(nu), x, 0) : kNan;
}
double chi_squared_upper_tail(double x, double nu) {
  return is_count(nu) ? upper_tail_of(ChiSquared(nu), x, 0) : kNan;
}
double chi_squared_quantile(double u, double nu) {
  return is_count(nu) ? quantile_of(ChiSquared(nu), u, 0) : kNan;
}

double fisher_f_cdf(double x, double nu1, double nu2) {
  return is_count(nu1) && is_count(nu2) ? cdf_of(FisherF(nu1, nu2), x, 0) : kNan;
}
double fisher_f_upper_tail(double x, double nu1, double nu2) {
  return is_count(nu1) && is_count(nu2) ? upper_tail_of(FisherF(nu1, nu2), x, 0) : kNan;
}
double fisher_f_quantile(double u, double nu1, double nu2) {
  return is_count(nu1) && is_count(nu2) ? quantile_of(FisherF(nu1, nu2), u, 0) : kNan;
}

}  // namespace parfait::math
