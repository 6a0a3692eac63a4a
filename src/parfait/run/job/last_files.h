#pragma once

#include <filesystem>

#include "parfait/io/results/result_json.h"
#include "parfait/run/job/run_folder.h"
#include "parfait/run/job/stopwatch.h"

namespace parfait::run {

/// Ends the folder of a run whose other files are written: timing.json, then result.json, which
/// lists them all; then the folder takes its place.
template <class Run>
std::filesystem::path write_last_files(RunFolder& folder, Run& run, Stopwatch& watch) {
  run.timing.add("write", watch.lap());
  folder.write("timing.json", io::timing_text(run.timing));
  run.result.verdict.outputs = folder.outputs({"result.json"});
  folder.write("result.json", io::result_text(run.result));
  return folder.commit();
}

/// The folder of a run that consists of tables and a page: run.tables, report_page(run), and the
/// last files.
template <class Run>
std::filesystem::path save_with_report(Run& run, const std::filesystem::path& target) {
  Stopwatch watch;
  RunFolder folder(target);
  for (const auto& [name, text] : run.tables) folder.write(name, text);
  folder.write("report.html", report_page(run));
  return write_last_files(folder, run, watch);
}

}  // namespace parfait::run
