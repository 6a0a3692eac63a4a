#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "parfait/run/fit/fit.h"

namespace parfait::app {

/// What is typed after `parfait fit`.
struct FitCommandOptions {
  run::FitRequest request;
  std::vector<std::string> set, fix, profile;  ///< as typed, to be taken apart
  std::string out;

  /// The request with all of it. InputError if something cannot be read.
  run::FitRequest complete() const;
};

void add_options(CLI::App& parser, FitCommandOptions& options);

}  // namespace parfait::app
