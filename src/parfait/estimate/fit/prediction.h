#pragma once

#include <functional>
#include <vector>

#include "parfait/estimate/fit/fit.h"

namespace parfait::estimate {

/// What the fitted model says over the whole horizon, with the uncertainty that the estimates
/// leave.
struct Prediction {
  std::string experiment;
  std::vector<double> t;
  std::vector<std::string> quantities;
  Eigen::MatrixXd values;  ///< quantities x times
  Eigen::MatrixXd sd;      ///< of the values, from the covariance; NaN if it cannot be had
};

/// The observed quantities (or others by name) of every dynamic experiment at `count` times, and at
/// the nodes and measurements. The measured quantity itself scatters by its sigma besides.
///
/// `result` is the last fit of the problem.
std::vector<Prediction> predict(PreparedProblem& prepared, const FitResult& result, int count = 201,
                                const std::vector<std::string>& quantities = {});
std::vector<Prediction> predict(const Problem& problem, const FitResult& result, int count = 201,
                                const std::vector<std::string>& quantities = {});
/// The same at any point x, without deviations; experiments that cannot be evaluated there are left
/// out.
std::vector<Prediction> predict_values(PreparedProblem& prepared, VecIn x, int count = 201);

/// Quantities of one experiment; none: it is left out.
using ChooseQuantities = std::function<std::vector<std::string>(const ExperimentDescription&)>;
/// The same for other quantities.
std::vector<Prediction> predict_values(PreparedProblem& prepared, VecIn x,
                                       const ChooseQuantities& choose, int count = 201);

}  // namespace parfait::estimate
