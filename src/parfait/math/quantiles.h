#pragma once

/// Distributions that statistics need: cdf(x) = P(X <= x), upper_tail(x) = P(X > x) without
/// cancellation, quantile(u) = the x with cdf(x) = u.
///
/// quantile(0) and quantile(1) are the ends of the distribution (infinite where it has none). A
/// probability outside [0, 1], a degree of freedom that is not > 0 or a NaN gives NaN.
/// Computed by Boost.Math, to about 15 digits.
namespace parfait::math {

double normal_cdf(double x);
double normal_upper_tail(double x);
double normal_quantile(double u);
double normal_density(double x);

/// Student's t with `nu` degrees of freedom.
double student_t_cdf(double x, double nu);
double student_t_upper_tail(double x, double nu);
double student_t_quantile(double u, double nu);

/// chi^2 with `nu` degrees of freedom.
double chi_squared_cdf(double x, double nu);
double chi_squared_upper_tail(double x, double nu);
double chi_squared_quantile(double u, double nu);

/// Fisher's F: (chi^2(nu1) / nu1) / (chi^2(nu2) / nu2).
double fisher_f_cdf(double x, double nu1, double nu2);
double fisher_f_upper_tail(double x, double nu1, double nu2);
double fisher_f_quantile(double u, double nu1, double nu2);

}  // namespace parfait::math
