#pragma once

#include <string>
#include <variant>
#include <vector>

#include "parfait/estimate/problem/problem.h"
#include "parfait/result/facts.h"
#include "parfait/run/job/model.h"

namespace parfait::run {

/// What is in a model.
result::ModelFacts facts_of(const Model& model);
/// What is in a problem; `warnings` are those of its check.
result::ProblemFacts facts_of(const estimate::Problem& problem,
                              const std::vector<std::string>& warnings);

/// Reads a model or problem file and checks it. InputError if it is wrong.
/// `coordinates` of mechanisms: natural, joint, or empty.
std::variant<result::ModelFacts, result::ProblemFacts> check(const std::string& file,
                                                             const std::string& coordinates = "");

}  // namespace parfait::run
