#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "parfait/dynamics/formula_model.h"
#include "parfait/estimate/problem/problem.h"

/// PEtab, version 1: parameter estimation problems of systems biology as tables beside an SBML
/// model (Schmiester et al. 2021, doi:10.1371/journal.pcbi.1008646).
namespace parfait::io {

/// A PEtab problem in our terms. Conditions are experiments, observables with their overrides are
/// observed columns; parameters that are not estimated are numbers of the model and of formulas.
/// Sigmas are known or part of the likelihood, so that the objective of a fit is -2 log(L prior).
struct PetabProblem {
  estimate::Problem problem;
  dynamics::FormulaModel model;       ///< which all experiments have
  std::vector<std::string> warnings;  ///< of the translation
};

/// From the YAML file that names all others. InputError with file and line for what is wrong or not
/// supported: several models, versions other than 1, priors other than normal ones of the value or
/// of its scale, measurements at infinite time.
PetabProblem read_petab(const std::filesystem::path& yaml);
/// The name ends in .yaml or .yml.
bool is_petab_file(const std::filesystem::path& file);

}  // namespace parfait::io
