#include "parfait/run/motion/batch.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <mutex>

#include "parfait/base/error.h"
#include "parfait/base/stop.h"
#include "parfait/io/results/result_json.h"
#include "parfait/io/text/csv.h"
#include "parfait/io/text/number.h"
#include "parfait/report/pages/batch_report.h"
#include "parfait/run/job/job.h"
#include "parfait/run/job/last_files.h"
#include "parfait/run/job/origin.h"
#include "parfait/run/job/run_folder.h"
#include "parfait/run/job/stopwatch.h"
#include "parfait/run/job/version.h"
#include "parfait/run/motion/inverse_kinematics.h"

namespace parfait::run {
namespace batch_run {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInterrupted = "interrupted";

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

struct Subject {
  std::string name, model;
  std::vector<std::string> trials, statics;
};

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(folder)) out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

Subject read_subject(const fs::path& folder, const std::string& model) {
  Subject out;
  out.name = folder.filename().string();
  out.model = model;
  for (const auto& file : sorted_entries(folder)) {
    const std::string ending = lower(file.extension().string());
    if (ending == ".osim") out.model = file.string();
    if (ending != ".c3d" && ending != ".trc") continue;
    const std::string name = lower(file.stem().string());
    const bool stands = name.starts_with("static") || name.starts_with("standing");
    (stands ? out.statics : out.trials).push_back(file.string());
  }
  if (out.trials.empty() && out.statics.empty()) {
    throw base::InputError({folder.string(), 0, 0}, "has no trials (.c3d, .trc).");
  }
  if (out.model.empty()) {
    throw base::InputError({folder.string(), 0, 0}, "has no .osim, and no --model is given.");
  }
  return out;
}

double rms_of(double squares, double count) {
  return count > 0 ? std::sqrt(squares / count) : std::nan("");
}

void find_poses(const Subject& subject, const BatchRequest& request, const Callbacks& callbacks,
                result::BatchSubject& row) {
  InverseKinematicsRequest own;
  own.model = subject.model;
  own.trials = subject.trials;
  own.trials.insert(own.trials.end(), subject.statics.begin(), subject.statics.end());
  own.tasks = request.calibrate.tasks;
  own.weights = request.calibrate.weights;
  own.degrees = request.calibrate.degrees;
  own.reading = request.calibrate.reading;
  own.threads = request.calibrate.threads;
  own.arguments = request.arguments;
  own.out = request.out / subject.name;
  auto run = inverse_kinematics(own, callbacks);
  double squares = 0, count = 0;
  for (const auto& trial : run.result.trials) {
    squares += trial.errors.rms * trial.errors.rms * trial.errors.count;
    count += trial.errors.count;
    row.frames += trial.frames;
  }
  row.rms = rms_of(squares, count);
  row.status = run.result.verdict.status;
  row.warnings = static_cast<int>(run.result.verdict.warnings.size());
  if (row.status != kInterrupted) save(run, own.out);
}

void find_model(const Subject& subject, const BatchRequest& request, const Callbacks& callbacks,
                result::BatchSubject& row) {
  CalibrateRequest own = request.calibrate;
  own.arguments = request.arguments;
  own.model = subject.model;
  own.trials = subject.trials;
  own.statics = subject.statics;
  own.out = request.out / subject.name;
  auto run = calibrate(own, callbacks);
  double squares = 0, before = 0, count = 0;
  for (const auto& trial : run.result.trials) {
    squares += trial.rms_all * trial.rms_all * trial.all_frames;
    before += trial.start_rms * trial.start_rms * trial.all_frames;
    count += trial.all_frames;
    row.frames += trial.all_frames;
  }
  row.rms = rms_of(squares, count);
  row.rms_before = rms_of(before, count);
  row.status = run.result.verdict.status;
  if (run.result.verdict.partial) row.message = run.result.verdict.message;
  row.warnings = static_cast<int>(run.result.verdict.warnings.size());
  if (row.status != kInterrupted) save(run, own.out);
}

}  // namespace
}  // namespace batch_run

BatchRun batch(const BatchRequest& request, const Callbacks& callbacks,
               const std::function<void(const result::BatchSubject&)>& on_subject) {
  namespace fs = std::filesystem;
  Stopwatch watch;
  if (!fs::is_directory(request.folder)) {
    throw base::InputError({request.folder, 0, 0}, "is not a folder: one folder per subject.");
  }
  check_replaceable(request.out / "summary");
  std::vector<batch_run::Subject> subjects;
  for (const auto& entry : batch_run::sorted_entries(request.folder)) {
    if (fs::is_directory(entry) && !entry.filename().string().starts_with(".")) {
      subjects.push_back(batch_run::read_subject(entry, request.model));
    }
  }
  if (subjects.empty()) {
    throw base::InputError({request.folder, 0, 0}, "has no folders: one per subject is expected.");
  }
  for (const auto& subject : subjects) check_replaceable(request.out / subject.name);
  BatchRun run;
  auto& result = run.result;
  result.verdict = {version(), "done", false, "done", {}};
  std::vector<NamedFile> read;
  for (const auto& subject : subjects) {
    read.emplace_back("model", subject.model);
    for (const auto& file : subject.trials) read.emplace_back("trial", file);
    for (const auto& file : subject.statics) read.emplace_back("trial", file);
  }
  result.folder = request.folder;
  result.model = request.model;
  result.work = request.poses_only ? "ik" : "calibrate";
  result.subjects.resize(subjects.size());
  Job job(callbacks,
          request.calibrate.threads > 0 ? std::optional(request.calibrate.threads) : std::nullopt);
  Callbacks inside;
  inside.stop = [&] { return job.stopped(); };
  std::mutex telling;
  std::size_t ready = 0;
  const auto work = [&](std::size_t i) {
    auto& row = result.subjects[i];
    row.subject = subjects[i].name;
    row.trials = static_cast<int>(subjects[i].trials.size() + subjects[i].statics.size());
    row.rms = row.rms_before = std::nan("");
    row.status = batch_run::kInterrupted;
    if (job.stopped()) return;
    const base::StopScope saving(job.stop());  // a folder is written to its end, or not at all
    try {
      (request.poses_only ? batch_run::find_poses : batch_run::find_model)(subjects[i], request,
                                                                           inside, row);
    } catch (const base::InputError& error) {
      row.status = "failed";
      row.message = error.what();
    } catch (const base::Stopped&) {
      row.status = batch_run::kInterrupted;  // while it was read or saved
      return;
    }
    if (row.status == batch_run::kInterrupted) return;
    const std::lock_guard lock(telling);
    const double fraction = static_cast<double>(++ready) / static_cast<double>(subjects.size());
    job.tell([&] {
      if (on_subject) on_subject(row);
      if (callbacks.on_progress) callbacks.on_progress(fraction, row.subject);
    });
  };
  job.run([&] {
    result.verdict.origin = {request.arguments, hashed_files(read)};
    job.everything_is_read();
    if (callbacks.on_ready) job.tell(callbacks.on_ready);
    tbb::parallel_for(std::size_t{0}, subjects.size(), work);
  });
  auto& verdict = result.verdict;
  for (auto& subject : result.subjects) {
    const bool interrupted = subject.status == batch_run::kInterrupted;
    if (!interrupted && subject.status != "failed" && subject.status != "not_converged") continue;
    if (interrupted) {
      subject.message = "not done";
      subject.frames = subject.warnings = 0;
      subject.rms = subject.rms_before = std::nan("");
    }
    verdict.partial = true;
    if (verdict.status != batch_run::kInterrupted) {
      verdict.status = interrupted ? batch_run::kInterrupted : "incomplete";
    }
    verdict.message = verdict.status;
    verdict.warnings.push_back(subject.subject + ": " + subject.message);
  }
  run.timing.add("subjects", watch.lap());
  const auto cell = [](double x) { return std::isnan(x) ? "" : io::number_text(x); };
  std::vector<std::vector<std::string>> rows{{"subject", "status", "trials", "frames",
                                              "rms_before [m]", "rms [m]", "warnings", "message"}};
  for (const auto& s : result.subjects) {
    rows.push_back({s.subject, s.status, std::to_string(s.trials), std::to_string(s.frames),
                    cell(s.rms_before), cell(s.rms), std::to_string(s.warnings), s.message});
  }
  run.tables.emplace_back("subjects.csv", io::csv_text(rows));
  return run;
}

std::string report_page(const BatchRun& run) {
  return report::batch_report(run.result);
}

std::filesystem::path save(BatchRun& run, const std::filesystem::path& target) {
  return save_with_report(run, target);
}

}  // namespace parfait::run
