#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

/// What the subcommands share: their global options, exit codes and how they are announced.
namespace parfait::app {

enum ExitCode : int {
  kDone = 0,
  kNotFinished = 1,  ///< ran, but did not finish; what there is was written and marked
  kBadInput = 2,     ///< nothing was written
};

/// Options that every subcommand understands.
struct GlobalOptions {
  std::vector<std::string> plugins;
  bool quiet = false;                  ///< print nothing but errors
  bool json = false;                   ///< print the result as JSON instead of text
  std::vector<std::string> arguments;  ///< those that decide what comes out
};

/// A subcommand: its parser, and what to do once the command line is read.
struct Command {
  CLI::App* parser;
  std::function<int()> run;
};

Command add_batch(CLI::App& app, const GlobalOptions& global);
Command add_gait(CLI::App& app, const GlobalOptions& global);
Command add_scale(CLI::App& app, const GlobalOptions& global);
Command add_joints(CLI::App& app, const GlobalOptions& global);
Command add_calibrate(CLI::App& app, const GlobalOptions& global);
Command add_check(CLI::App& app, const GlobalOptions& global);
Command add_convert(CLI::App& app, const GlobalOptions& global);
Command add_design(CLI::App& app, const GlobalOptions& global);
Command add_elements(CLI::App& app, const GlobalOptions& global);
Command add_fit(CLI::App& app, const GlobalOptions& global);
Command add_gradient(CLI::App& app, const GlobalOptions& global);
Command add_human(CLI::App& app, const GlobalOptions& global);
Command add_ik(CLI::App& app, const GlobalOptions& global);
Command add_id(CLI::App& app, const GlobalOptions& global);
Command add_import(CLI::App& app, const GlobalOptions& global);
Command add_modes(CLI::App& app, const GlobalOptions& global);
Command add_report(CLI::App& app, const GlobalOptions& global);
Command add_simulate(CLI::App& app, const GlobalOptions& global);
Command add_synthesize(CLI::App& app, const GlobalOptions& global);
Command add_verify(CLI::App& app, const GlobalOptions& global);
Command add_view(CLI::App& app, const GlobalOptions& global);

}  // namespace parfait::app
