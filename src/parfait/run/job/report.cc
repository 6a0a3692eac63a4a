#include "parfait/run/job/report.h"

#include <fmt/format.h>

#include "parfait/base/error.h"
#include "parfait/io/results/fit_tables.h"
#include "parfait/io/results/result_json.h"
#include "parfait/io/text/csv.h"
#include "parfait/io/text/text_file.h"
#include "parfait/report/pages/comparison_report.h"
#include "parfait/report/pages/fit_report.h"
#include "parfait/report/pages/simulation_report.h"

namespace parfait::run {
namespace {

namespace fs = std::filesystem;

/// A file of a run folder; empty if it is not there.
std::string optional_file(const fs::path& folder, const char* name) {
  return fs::exists(folder / name) ? io::read_text_file(folder / name) : "";
}

std::string result_file(const fs::path& folder) {
  if (!fs::is_regular_file(folder / "result.json")) {
    throw base::InputError(
        fmt::format("\"{}\" is not a run folder: it has no result.json.", folder.string()));
  }
  return io::read_text_file(folder / "result.json");
}

result::Simulation read_simulation(const fs::path& folder) {
  return io::read_simulation_text(result_file(folder), (folder / "result.json").string());
}

result::Fit read_fit(const fs::path& folder) {
  return io::read_fit_text(result_file(folder), (folder / "result.json").string());
}

result::Table read_table(const fs::path& folder, const char* name) {
  const auto text = optional_file(folder, name);
  return text.empty() ? result::Table{} : io::read_table_text(text, (folder / name).string());
}

result::FitTables read_tables(const fs::path& folder, const result::Fit& fit) {
  return io::read_fit_tables(
      fit, optional_file(folder, "covariance.csv"), optional_file(folder, "residuals.csv"),
      optional_file(folder, "trajectory.csv"), optional_file(folder, "trajectory_initial.csv"));
}

std::string fit_reports(const std::vector<fs::path>& folders) {
  if (folders.size() == 1) {
    const auto fit = read_fit(folders[0]);
    return report::fit_report(fit, read_tables(folders[0], fit));
  }
  std::vector<report::NamedFit> fits;
  fits.reserve(folders.size());
  for (const auto& folder : folders) fits.push_back({folder.string(), read_fit(folder)});
  return report::comparison_report(fits);
}

std::string simulation_reports(const std::vector<fs::path>& folders) {
  if (folders.size() == 1) {
    return report::simulation_report(read_simulation(folders[0]),
                                     read_table(folders[0], "trajectory.csv"),
                                     read_table(folders[0], "steps.csv"));
  }
  std::vector<report::NamedSimulation> simulations;
  simulations.reserve(folders.size());
  for (const auto& folder : folders) {
    simulations.push_back(
        {folder.string(), read_simulation(folder), read_table(folder, "trajectory.csv")});
  }
  return report::comparison_report(simulations);
}

}  // namespace

std::string make_report(const std::vector<fs::path>& folders) {
  std::string command;
  for (const auto& folder : folders) {
    const auto found = io::result_command(result_file(folder));
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
