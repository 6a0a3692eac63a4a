#include "parfait/run/import/motion_import.h"

#include <fmt/format.h>

#include "parfait/base/error.h"
#include "parfait/io/motion_files/axes_units.h"
#include "parfait/io/motion_files/force_plate.h"
#include "parfait/io/motion_files/motion_file.h"
#include "parfait/io/results/result_json.h"
#include "parfait/run/job/last_files.h"
#include "parfait/run/job/run_folder.h"
#include "parfait/run/job/stopwatch.h"
#include "parfait/run/job/version.h"

namespace parfait::run {
namespace {

/// The user knows the unit better than the file.
void believe_unit(io::Trial& trial, const std::string& unit) {
  trial.length_unit = unit;
  trial.metres_per_unit = io::metres_in(unit);
  trial.unit_reason = "--units";
  // Moments of plates were brought to the unit that was believed before.
  io::WarningLog told_before;
  io::compute_wrenches(trial, io::kLoadedPlate, told_before);
}

result::TrialFacts facts_of(const io::Trial& trial) {
  result::TrialFacts facts;
  facts.frames = trial.num_frames;
  facts.first_frame = trial.first_frame;
  facts.rate = trial.rate;
  facts.start = trial.start_time;
  facts.end = trial.num_frames > 0 ? trial.time(trial.num_frames - 1) : trial.start_time;
  facts.up = trial.up.name();
  facts.up_reason = trial.up.reason;
  for (const auto& point : trial.markers.points) facts.markers.push_back(point.name);
  facts.missing = trial.markers.num_missing();
  for (const auto& point : trial.outputs.points) {
    facts.outputs.push_back({point.name, std::string(io::text(point.kind)), point.unit});
  }
  facts.analog_rate = trial.analog_rate;
  for (const auto& channel : trial.analog) facts.channels.push_back({channel.name, channel.unit});
  for (const auto& plate : trial.plates) {
    result::TrialFacts::Plate& out = facts.plates.emplace_back();
    out.type = plate.type;
    for (const auto& corner : plate.corners) out.corners.emplace_back(corner.begin(), corner.end());
    for (const int channel : plate.channels) {
      out.channels.push_back(channel < 0 ? ""
                                         : trial.analog[static_cast<std::size_t>(channel)].name);
    }
    out.has_wrench = plate.wrenches.size() > 0;
    out.turned_round = plate.reversed;
  }
  for (const auto& event : trial.events) {
    facts.events.push_back({event.time, event.label, event.context});
  }
  return facts;
}

result::TableFacts facts_of(const io::MotionTable& table) {
  result::TableFacts facts;
  facts.rows = table.num_rows();
  facts.columns = table.columns;
  facts.start = table.time.front();
  facts.end = table.time.back();
  facts.angles = table.angles == io::AngleUnit::kDegrees ? "degrees" : "radians";
  facts.angles_stated = table.angles_stated;
  return facts;
}

}  // namespace

MotionImportRun import_motion(const MotionImportRequest& request) {
  Stopwatch watch;
  const auto axes = request.axes.empty() ? io::AxisMap{} : io::parse_axes(request.axes);
  if (!request.units.empty() && io::metres_in(request.units) == 0) {
    throw base::InputError(
        fmt::format("--units {}: not a unit of length; for example mm, cm or m.", request.units));
  }
  if (!request.out.empty()) check_replaceable(request.out);
  io::MotionFile file = io::read_motion_file(request.file);
  MotionImportRun run;
  run.timing.add("read", watch.lap());

  auto& result = run.result;
  result.verdict = {version(), "done", false, "done", {}};
  for (const auto& warning : file.warnings()) result.verdict.warnings.push_back(warning.text());
  result.file = request.file;
  result.format = file.format();
  if (file.trial) {
    io::Trial& trial = *file.trial;
    if (!request.units.empty()) believe_unit(trial, request.units);
    const std::string unit = trial.length_unit;
    io::to_metres(trial, axes);
    run.tables = io::trial_tables(trial);
    result.trial = facts_of(trial);
    result.trial->unit_of_file = unit;
    result.trial->unit_reason = trial.unit_reason;
  } else if (!request.units.empty() || !request.axes.empty()) {
    throw base::InputError({request.file, 0, 0},
                           fmt::format("a {} file has columns, not places: --units and --axes are "
                                       "for files with markers.",
                                       file.format()));
  }
  if (file.table) {
    run.tables.push_back(io::table_file(*file.table));
    result.table = facts_of(*file.table);
  }
  for (const auto& [name, text] : run.tables) result.files.push_back(name);
  run.timing.add("tables", watch.lap());
  return run;
}

std::filesystem::path save(MotionImportRun& run, const std::filesystem::path& target) {
  Stopwatch watch;
  RunFolder folder(target);
  for (const auto& [name, text] : run.tables) folder.write(name, text);
  return write_last_files(folder, run, watch);
}

}  // namespace parfait::run
