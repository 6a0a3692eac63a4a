#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "parfait/dynamics/formula_model.h"

namespace parfait::io {

/// An SBML model (levels 2 and 3, core) as a formula model, with the ids of the file.
///
///   state        a species that reactions change or that has a rate rule, and whatever else has one;
///                its value is what formulas of the file mean by its id: an amount, or a
///                concentration (amount / size of its compartment)
///   parameter    constant parameters, compartments and species without an initial assignment
///   definition   assignment rules, reactions (their rates), constants with an initial assignment
///
/// An initial assignment sees other values at t = 0, and so becomes a formula of parameters alone.
///
/// InputError with file and line for what is not SBML, and for what is not supported: algebraic
/// rules, delays, event priorities, fast reactions, species in compartments of varying size, and
/// functions that formulas do not have (floor, ceiling, factorial, rateOf).
struct SbmlModel {
  dynamics::FormulaModel model;
  std::vector<std::string> warnings;  ///< what a person should know about the translation
};
/// `given`: ids that somebody else gives values. They are parameters whatever initial assignment
/// they have; its value is theirs if it is a number.
SbmlModel read_sbml(const std::filesystem::path& file, const std::set<std::string>& given = {});
SbmlModel read_sbml_text(const std::string& text, const std::string& file_name,
                         const std::set<std::string>& given = {});

}  // namespace parfait::io
