#pragma once

#include <string>
#include <vector>

#include "parfait/estimate/problem/problem.h"
#include "parfait/result/fit.h"

namespace parfait::run {

/// The parameters of the model in an experiment: its own, then what the fit found.
std::vector<double> fitted_values(const estimate::ExperimentDescription& experiment,
                                  const result::Fit& fit);

/// What a check says of mechanisms that are none with these values, a sentence each: the data may
/// be matched best by a body that cannot exist.
std::vector<std::string> impossible_mechanisms(const estimate::Problem& problem,
                                               const result::Fit& fit);

}  // namespace parfait::run
