#pragma once

#include <filesystem>
#include <string>

#include "parfait/result/facts.h"
#include "parfait/run/fit/fit.h"

namespace parfait::run {

/// A line about the problem, before the iteration table.
std::string problem_line(const result::ProblemFacts& facts);

/// What a person reads after the iteration table of a fit. `folder`: where it was saved, if it was.
std::string fit_text(const FitRun& run, const std::filesystem::path& folder = {});

}  // namespace parfait::run
