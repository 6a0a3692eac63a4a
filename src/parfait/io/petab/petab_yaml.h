#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace parfait::io {

/// The files that a PEtab problem consists of.
struct PetabFiles {
  std::filesystem::path parameters, sbml;
  std::vector<std::filesystem::path> conditions, measurements, observables;
};
/// InputError with the line for what is missing or not supported.
PetabFiles read_petab_yaml(const std::filesystem::path& yaml);

}  // namespace parfait::io
