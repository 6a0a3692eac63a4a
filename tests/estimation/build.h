#pragma once

#include <string>
#include <utility>
#include <vector>

#include "parfait/dynamics/formula_model.h"
#include "parfait/estimate/fit/fit.h"

/// Small estimation problems, built in a line or two.
namespace parfait::estimation {

/// `count` equal steps from `begin` to `end`, both included.
std::vector<double> times(double begin, double end, int count);

/// A table with these times and columns that nobody has measured yet.
estimate::Data empty_data(const std::vector<double>& t, const std::vector<std::string>& columns);

/// An experiment that observes quantities in columns, at `t`, all with the same sigma; initial
/// values fixed, one interval.
estimate::ExperimentDescription dynamic_experiment(
    const std::string& id, const dynamics::FormulaModel& model, const std::vector<double>& t,
    const std::vector<std::pair<std::string, std::string>>& observe, double sigma);
estimate::ExperimentDescription algebraic_experiment(
    const std::string& id, const estimate::Data& data,
    const std::vector<std::pair<std::string, std::string>>& observe, double sigma);

/// All initial values free.
void free_start(estimate::ExperimentDescription& e);

/// sum of formulas at times = 0; a time that is not finite: a formula of parameters.
estimate::Requirement require(const std::vector<std::pair<double, std::string>>& terms,
                              bool inequality = false);

std::vector<double>& column(estimate::ExperimentDescription& e, const std::string& name);

/// The estimate of an experiment's own parameter or initial state.
const estimate::EstimateResult& find_in(const estimate::FitResult& result,
                                        const std::string& experiment, const std::string& id);
double value(const estimate::FitResult& result, const std::string& id);

}  // namespace parfait::estimation
