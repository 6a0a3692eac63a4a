#include "parfait/run/summary/report.h"

#include <fmt/format.h>

#include "parfait/base/error.h"
#include "parfait/report/pages/comparison_report.h"
#include "parfait/report/pages/fit_report.h"
#include "parfait/report/pages/simulation_report.h"
#include "parfait/run/summary/saved_runs.h"

namespace parfait::run {
namespace {

namespace fs = std::filesystem;

std::string fit_reports(const std::vector<fs::path>& folders) {
  if (folders.size() == 1) {
    const auto run = load_fit(folders[0]);
    return report::fit_report(run.result, run.tables);
  }
  std::vector<report::NamedFit> fits;
  fits.reserve(folders.size());
  for (const auto& folder : folders) fits.push_back({folder.string(), load_fit(folder).result});
  return report::comparison_report(fits);
}

std::string simulation_reports(const std::vector<fs::path>& folders) {
  if (folders.size() == 1) {
    const auto run = load_simulation(folders[0]);
    return report::simulation_report(run.result, run.trajectory, run.steps);
  }
  std::vector<report::NamedSimulation> simulations;
  simulations.reserve(folders.size());
  for (const auto& folder : folders) {
    auto run = load_simulation(folder);
    simulations.push_back({folder.string(), std::move(run.result), std::move(run.trajectory)});
  }
  return report::comparison_report(simulations);
}

}  // namespace

std::string make_report(const std::vector<fs::path>& folders) {
  std::string command;
  for (const auto& folder : folders) {
    const auto found = saved_command(folder);
    if (found != "fit" && found != "simulate") {
      throw base::InputError(
          fmt::format("{}: there are reports for results of `fit` and `simulate`{}.",
                      (folder / "result.json").string(),
                      found.empty() ? "" : fmt::format(", this one is of `{}`", found)));
    }
    if (!command.empty() && found != command) {
      throw base::InputError(
          fmt::format("\"{}\" is a result of `{}`, \"{}\" one of `{}`: only runs of "
                      "one kind can be compared.",
                      folders[0].string(), command, folder.string(), found));
    }
    command = found;
  }
  return command == "fit" ? fit_reports(folders) : simulation_reports(folders);
}

}  // namespace parfait::run
