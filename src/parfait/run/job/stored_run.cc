#include "parfait/run/job/stored_run.h"

#include <fmt/format.h>

#include "parfait/base/error.h"
#include "parfait/io/results/fit_tables.h"
#include "parfait/io/results/result_json.h"
#include "parfait/io/results/scene_files.h"
#include "parfait/io/text/csv.h"
#include "parfait/io/text/text_file.h"

namespace parfait::run {

namespace fs = std::filesystem;

namespace {

/// A file of a run folder; empty if it is not there.
std::string optional_file(const fs::path& folder, const std::string& name) {
  return fs::exists(folder / name) ? io::read_text_file(folder / name) : "";
}

}  // namespace

std::string stored_result(const fs::path& folder) {
  if (!fs::is_regular_file(folder / "result.json")) {
    throw base::InputError(
        fmt::format("\"{}\" is not a run folder: it has no result.json.", folder.string()));
  }
  return io::read_text_file(folder / "result.json");
}

result::Simulation read_simulation(const fs::path& folder) {
  return io::read_simulation_text(stored_result(folder), (folder / "result.json").string());
}

result::Fit read_fit(const fs::path& folder) {
  return io::read_fit_text(stored_result(folder), (folder / "result.json").string());
}

result::Table read_table(const fs::path& folder, const std::string& name) {
  const auto text = optional_file(folder, name);
  return text.empty() ? result::Table{} : io::read_table_text(text, (folder / name).string());
}

result::FitTables read_tables(const fs::path& folder, const result::Fit& fit) {
  return io::read_fit_tables(
      fit, optional_file(folder, "covariance.csv"), optional_file(folder, "residuals.csv"),
      optional_file(folder, "trajectory.csv"), optional_file(folder, "trajectory_initial.csv"));
}

result::Scenes read_motions(const fs::path& folder, const std::vector<result::MotionFiles>& files) {
  if (files.empty() || !fs::exists(folder / "scene.json")) return {};
  return io::read_scenes(files, io::read_text_file(folder / "scene.json"),
                         [&](const std::string& name) {
                           // A name of a file in this folder, nothing else.
                           return io::read_bytes(folder / fs::path(name).filename());
                         });
}

}  // namespace parfait::run
