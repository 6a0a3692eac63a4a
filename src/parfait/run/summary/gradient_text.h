#pragma once

#include <filesystem>
#include <string>

#include "parfait/run/fit/gradient.h"

namespace parfait::run {

/// What a person reads after `parfait gradient`. `folder` is empty if nothing was written.
std::string gradient_text(const GradientRun& run, const std::filesystem::path& folder);

}  // namespace parfait::run
