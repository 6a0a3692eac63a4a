#pragma once

#include <filesystem>
#include <string>

#include "parfait/run/design/design.h"

namespace parfait::run {

/// What a design found, for a terminal. `folder`: where it was saved; empty: nowhere.
std::string design_text(const DesignRun& run, const std::filesystem::path& folder);

}  // namespace parfait::run
