#include "parfait/run/summary/saved_runs.h"

#include "parfait/io/results/result_json.h"
#include "parfait/io/text/text_file.h"
#include "parfait/run/job/stored_run.h"

namespace parfait::run {
namespace {

namespace fs = std::filesystem;

result::Timing read_timing(const fs::path& folder) {
  const auto file = folder / "timing.json";
  if (!fs::exists(file)) return {};
  return io::read_timing_text(io::read_text_file(file), file.string());
}

}  // namespace

std::string saved_command(const fs::path& folder) {
  return io::result_command(stored_result(folder));
}

FitRun load_fit(const fs::path& folder) {
  FitRun run;
  run.result = read_fit(folder);
  run.tables = read_tables(folder, run.result);
  run.scenes = read_motions(folder, run.result.motions);
  run.timing = read_timing(folder);
  return run;
}

SimulationRun load_simulation(const fs::path& folder) {
  SimulationRun run;
  run.result = read_simulation(folder);
  run.trajectory = read_table(folder, "trajectory.csv");
  run.steps = read_table(folder, "steps.csv");
  run.scenes = read_motions(folder, run.result.motions);
  run.timing = read_timing(folder);
  return run;
}

}  // namespace parfait::run
