#pragma once

#include <filesystem>
#include <string>

namespace parfait::app {

/// The folder for the results: as typed, or run/<name of the file>.
inline std::filesystem::path run_folder_of(const std::string& typed, const std::string& file) {
  return typed.empty() ? "run" / std::filesystem::path(file).stem() : std::filesystem::path(typed);
}

}  // namespace parfait::app
