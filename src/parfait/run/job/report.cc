#include "parfait/run/job/report.h"

#include <fmt/format.h>

#include "parfait/base/error.h"
#include "parfait/io/results/result_json.h"
#include "parfait/report/pages/comparison_report.h"
#include "parfait/report/pages/fit_report.h"
#include "parfait/report/pages/simulation_report.h"
#include "parfait/run/job/stored_run.h"

namespace parfait::run {
namespace {

namespace fs = std::filesystem;

/// Motions of a folder behind those that are there, under the name of the folder.
void add_motions(result::Scenes more, const std::string& name, result::Scenes& scenes) {
  const int before = static_cast<int>(scenes.scenes.size());
  for (auto& scene : more.scenes) scenes.scenes.push_back(std::move(scene));
  for (auto& motion : more.motions) {
    motion.scene += before;
    motion.experiment = name;
    scenes.motions.push_back(std::move(motion));
  }
}

std::string fit_reports(const std::vector<fs::path>& folders) {
  if (folders.size() == 1) {
    const auto fit = read_fit(folders[0]);
    return report::fit_report(fit, read_tables(folders[0], fit),
                              read_motions(folders[0], fit.motions), report::Liveness::kLive);
  }
  std::vector<report::NamedFit> fits;
  fits.reserve(folders.size());
  for (const auto& folder : folders) fits.push_back({folder.string(), read_fit(folder)});
  return report::comparison_report(fits, report::Liveness::kLive);
}

std::string simulation_reports(const std::vector<fs::path>& folders) {
  if (folders.size() == 1) {
    const auto simulation = read_simulation(folders[0]);
    return report::simulation_report(
        simulation, read_table(folders[0], "trajectory.csv"), read_table(folders[0], "steps.csv"),
        read_motions(folders[0], simulation.motions), report::Liveness::kLive);
  }
  std::vector<report::NamedSimulation> simulations;
  result::Scenes scenes;
  simulations.reserve(folders.size());
  for (const auto& folder : folders) {
    simulations.push_back(
        {folder.string(), read_simulation(folder), read_table(folder, "trajectory.csv")});
    add_motions(read_motions(folder, simulations.back().simulation.motions), folder.string(),
                scenes);
  }
  return report::comparison_report(simulations, scenes, report::Liveness::kLive);
}

}  // namespace

std::string make_report(const std::vector<fs::path>& folders) {
  std::string command;
  for (const auto& folder : folders) {
    const auto found = io::result_command(stored_result(folder));
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
