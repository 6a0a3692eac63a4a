#pragma once

#include <string>
#include <vector>

#include "parfait/estimate/problem/problem.h"

namespace parfait::testing_support {

/// A problem of the NIST Statistical Reference Datasets for nonlinear regression: a formula, a
/// table and results certified to 11 digits.
struct NistProblem {
  struct Parameter {
    std::string name;
    double start[2] = {0, 0};  ///< far and near
    double certified = 0, certified_sd = 0;
  };
  std::string name, level;
  std::string formula;
  std::string response;  ///< the column that the formula explains
  estimate::Data data;
  std::vector<Parameter> parameters;
  double residual_sum = 0;  ///< of squares
  double residual_sd = 0;

  /// The certified values of this one are rounded more than the residuals of its exact data are
  /// large: residual sum and deviations cannot be reproduced from them.
  bool has_exact_data() const { return name == "Lanczos1"; }
};

/// All 27, from tests/reference/data/nist.
std::vector<NistProblem> nist_problems();

/// The problem as a person would write it down, from start 0 or 1: each parameter is scaled with
/// its first guess.
estimate::Problem estimation_problem(const NistProblem& nist, int start);

/// Digits that agree: -log10 of the relative error, between 0 and 11, which is all that is
/// certified.
double matching_digits(double value, double certified);

}  // namespace parfait::testing_support
