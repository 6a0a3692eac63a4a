#pragma once

#include <string>
#include <vector>

#include "parfait/dynamics/formula_model.h"
#include "parfait/estimate/fit/fit.h"

/// Estimation problems of the literature, built in code.
namespace parfait::estimation {

/// A table of data/.
estimate::Data read_data(const std::string& name);

/// Parameters and observations as pairs of names and numbers, everything else at its default.
estimate::Problem make_problem(const dynamics::FormulaModel& model, const std::string& data,
                               const std::vector<std::pair<std::string, double>>& start,
                               const std::vector<std::pair<std::string, std::string>>& observe,
                               double sigma = 1);

/// Bock's unstable problem, all initial values free; nodes from the data.
estimate::Problem bock_problem(bool measure_both, int intervals);
/// Lotka-Volterra with measured standard deviations and free initial values.
estimate::Problem lotka_volterra_heidelberg();
estimate::Problem gas_oil();
estimate::Problem methanol();

const estimate::EstimateResult& find(const estimate::FitResult& result, const std::string& id);

/// The iteration table, for the log of the test.
void print(const std::string& name, const estimate::FitResult& result);

}  // namespace parfait::estimation
