#pragma once

#include <filesystem>
#include <optional>

#include "parfait/result/facts.h"
#include "parfait/run/fit/fit.h"

namespace parfait::app {

/// A line about the problem, before the iteration table.
void print_problem_line(const result::ProblemFacts& facts);

/// What a person reads after the iteration table of a fit, which was saved in `folder`.
void print_fit(const run::FitRun& run, const std::optional<std::filesystem::path>& folder);

}  // namespace parfait::app
