#pragma once

#include <string>

#include "parfait/result/facts.h"

namespace parfait::run {

/// What is in a model, or in a problem.
std::string facts_text(const result::ModelFacts& facts);
std::string facts_text(const result::ProblemFacts& facts);

}  // namespace parfait::run
