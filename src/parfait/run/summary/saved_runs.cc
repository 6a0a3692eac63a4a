#include "parfait/run/summary/saved_runs.h"

#include <fmt/format.h>

#include "parfait/base/error.h"
#include "parfait/io/results/fit_tables.h"
#include "parfait/io/results/result_json.h"
#include "parfait/io/text/csv.h"
#include "parfait/io/text/text_file.h"

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

result::Table read_table(const fs::path& folder, const char* name) {
  const auto text = optional_file(folder, name);
  return text.empty() ? result::Table{} : io::read_table_text(text, (folder / name).string());
}

result::Timing read_timing(const fs::path& folder) {
  const auto text = optional_file(folder, "timing.json");
  return text.empty() ? result::Timing{}
                      : io::read_timing_text(text, (folder / "timing.json").string());
}

}  // namespace

std::string saved_command(const fs::path& folder) {
  return io::result_command(result_file(folder));
}

FitRun load_fit(const fs::path& folder) {
  FitRun run;
  run.result = io::read_fit_text(result_file(folder), (folder / "result.json").string());
  run.tables = io::read_fit_tables(
      run.result, optional_file(folder, "covariance.csv"), optional_file(folder, "residuals.csv"),
      optional_file(folder, "trajectory.csv"), optional_file(folder, "trajectory_initial.csv"));
  run.timing = read_timing(folder);
  return run;
}

SimulationRun load_simulation(const fs::path& folder) {
  SimulationRun run;
  run.result = io::read_simulation_text(result_file(folder), (folder / "result.json").string());
  run.trajectory = read_table(folder, "trajectory.csv");
  run.steps = read_table(folder, "steps.csv");
  run.timing = read_timing(folder);
  return run;
}

}  // namespace parfait::run
