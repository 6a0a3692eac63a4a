#pragma once

#include <CLI/CLI.hpp>
#include <Eigen/Core>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "parfait/estimate/problem/problem.h"

namespace parfait::app {

/// What was typed after `parfait fit`.
struct FitRequest {
  std::string file;
  std::vector<std::string> set, fix, profile;
  std::string start, globalization, out;
  std::optional<double> tolerance;
  std::optional<int> max_iterations, threads;
  bool certify = false;
};

void add_options(CLI::App& parser, FitRequest& request);

/// What is to be done: the problem file, changed as requested.
struct FitPlan {
  estimate::Problem problem;
  std::optional<Eigen::VectorXd> start;  ///< of all unknowns, from an earlier result
  std::vector<std::string> profiles;
  bool certify = false;
  std::filesystem::path out;
};

/// InputError if the problem, or the problem so changed, makes no sense.
FitPlan make_plan(const FitRequest& request);

}  // namespace parfait::app
