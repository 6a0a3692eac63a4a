#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "parfait/estimate/experiment/experiment.h"
#include "parfait/estimate/problem/problem.h"

namespace parfait::estimate {

/// T(y), and T'(y).
double transformed(ValueScale scale, double y);
double transformed_slope(ValueScale scale, double y);

/// One measurement eta of a model's value y, with r = (T(y) - T(eta)) / sigma of density f:
///
///   -log L = -log f(r) + log sigma - log T'(eta),        psi = -f'(r) / f(r)
///
///   normal   psi = r                            -log f = (r^2 + log 2 pi) / 2
///   Laplace  psi = sign r                       -log f = |r| + log 2
///   Student  psi = (nu + 1) r / (nu + r^2)      -log f = (nu + 1)/2 log(1 + r^2/nu) + const
struct ErrorDensity {
  double r = 0;
  double slope = 1;  ///< T'(y)
  double psi = 0;
  double weight = 1;  ///< psi / r, bounded
  double cost = 0;    ///< -2 log L with all constants
};
ErrorDensity error_density(const Noise& noise, double y, double measured, double sigma);

/// E[psi^2] and E[(r psi - 1)^2]: what one measurement says about y / sigma and about log sigma.
double location_information(const Noise& noise);
double scale_information(const Noise& noise);

/// -2 log of the normal density of a residual with its sigma: r^2 + log(2 pi sigma^2).
double normal_cost(double r, double sigma);

/// The measurements of one experiment as rows of a Gauss-Newton method. With dy and dsigma the
/// derivatives of a measurement's model value and of its sigma,
///
///   J1 = a T'(y) dy,       b1 = psi / (sigma a)
///   J2 = -c dsigma,        b2 = (r psi - 1) / (sigma c)       only where sigma varies
///
/// Whatever a and c are, J^T b is the gradient of -log L: the score. With a^2 = E[psi^2] / sigma^2
/// and c^2 = E[(r psi - 1)^2] / sigma^2, J^T J is the Fisher information (normal errors: rows r and
/// (r^2 - 1) / sqrt 2 with y_theta / sigma and -sqrt 2 sigma_theta / sigma), which covariances are
/// made of. Steps take a^2 = (psi / r) / sigma^2, which majorizes -log L in y, and c^2 = s /
/// sigma^2 with s so that a pure scale reaches its optimum at given residuals in one step: with m
/// the mean of r psi over an observation and k = 2 (Laplace: 1),
///
///   s = k (m - 1) / log m    if log sigma is the unknown,   (m - 1) / (m^(1/k) - 1)  if sigma is.
///
/// Both are the Fisher information at the optimum m = 1 of normal and Laplace errors. At trial
/// points a and c stay those of the linearization, so that b vanishes in its range where the score
/// does. See  docs/theory/likelihood.md (L1-L6)
class LikelihoodRows {
 public:
  struct Row {
    Noise noise;
    double measured = 0;
    int group = 0;              ///< the observation: shares the mean of r psi
    bool sigma_varies = false;  ///< it has a row of its own
    bool sigma_is_log = false;  ///< it depends on logarithms of parameters alone
  };
  void add(const Row& row) { rows_.push_back(row); }

  bool empty() const { return rows_.empty(); }
  int size() const { return static_cast<int>(rows_.size()); }
  const Row& row(int i) const { return rows_[static_cast<std::size_t>(i)]; }
  int num_noise_rows() const;

  /// At model values and sigmas, one per row. Empty: they exist; otherwise why not, with the row.
  struct Failure {
    int row = -1;
    std::string why;
  };
  [[nodiscard]] Failure evaluate(VecIn model, VecIn sigma);
  /// Fixes a and c at the last point. `expected`: those of the Fisher information.
  void freeze(bool expected);

  // Of the last point.
  const Eigen::VectorXd& residuals() const { return r_; }
  const Eigen::VectorXd& model() const { return model_; }
  const Eigen::VectorXd& sigma() const { return sigma_; }
  double cost() const { return cost_; }  ///< -2 log L
  /// Sum of squares of T(eta) / sigma or T(y) / sigma, whichever is larger.
  double data() const { return data_; }
  double b1(int i) const;
  double b2(int i) const;
  // Of the last freeze(): factors of dy in J1 and of dsigma in J2.
  double by_model(int i) const { return a_[i] * slope_[i]; }
  double by_sigma(int i) const { return -c_[i]; }

 private:
  std::vector<Row> rows_;
  std::vector<ErrorDensity> at_;
  Eigen::VectorXd model_, sigma_, r_, a_, c_, slope_;
  double cost_ = 0, data_ = 0;
};

/// Errors that are not normal with a constant sigma up to a factor: the objective is -2 log L.
bool is_likelihood(const Observation& observation);

}  // namespace parfait::estimate
