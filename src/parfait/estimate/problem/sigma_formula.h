#pragma once

#include <functional>
#include <string>

#include "parfait/estimate/problem/problem.h"

namespace parfait::estimate {

/// The formula of an observation's sigma with the model's own value written out. In it `y` and the
/// name of the observed column stand for the quantity that the column is compared with, unless they
/// are known otherwise (a state, a parameter). So sigma = "a + b*y" is an error that grows with
/// what is measured, and a formula of quantities and parameters like every other.
FormulaText sigma_formula(const Observation& observation,
                          const std::function<bool(const std::string&)>& is_known);

/// The formula with the names replaced: the text of `name` where `replacement` has one, nothing
/// where it is empty. Names are words of letters, digits, _ and dots that do not begin with a
/// digit.
std::string with_names(const std::string& formula,
                       const std::function<std::string(const std::string&)>& replacement);

/// A formula of the experiment's observations, that of a sigma included, has this name in it.
bool observations_use(const ExperimentDescription& experiment, const std::string& name);

}  // namespace parfait::estimate
