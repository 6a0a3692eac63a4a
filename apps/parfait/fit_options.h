#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "parfait/run/fit/fit.h"
#include "parfait/run/fit/minimization.h"

namespace parfait::app {

/// What is typed after `parfait fit`.
struct FitCommandOptions {
  run::FitRequest request;
  std::vector<std::string> set, fix, profile;  ///< as typed, to be taken apart
  std::string out;
  std::string method = "gauss_newton";
  run::MinimizationRequest minimization;  ///< how a gradient method goes
  std::vector<std::string> contour;       ///< as typed

  /// The request with all of it. InputError if something cannot be read.
  run::FitRequest complete() const;
  bool minimizes() const { return method != "gauss_newton"; }
  run::MinimizationRequest complete_minimization() const;
};

void add_options(CLI::App& parser, FitCommandOptions& options);

}  // namespace parfait::app
