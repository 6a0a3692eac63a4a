#include "parfait/run/motion/gait.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "parfait/base/error.h"
#include "parfait/base/stop.h"
#include "parfait/io/motion_files/axes_units.h"
#include "parfait/io/motion_files/motion_file.h"
#include "parfait/io/motion_files/motion_table.h"
#include "parfait/io/results/result_json.h"
#include "parfait/io/text/csv.h"
#include "parfait/io/text/number.h"
#include "parfait/motion/gait/gait_parameters.h"
#include "parfait/motion/signals/envelope.h"
#include "parfait/report/pages/gait_report.h"
#include "parfait/run/job/job.h"
#include "parfait/run/job/last_files.h"
#include "parfait/run/job/origin.h"
#include "parfait/run/job/run_folder.h"
#include "parfait/run/job/stopwatch.h"
#include "parfait/run/job/version.h"
#include "parfait/run/motion/walk.h"

namespace parfait::run {
namespace gait_run {
namespace {

using motion::GaitEvent;
using motion::GaitEventKind;
using motion::Side;
using motion::Stride;

std::string cell(double x) {
  return std::isnan(x) ? "" : io::number_text(x);
}

std::string side_name(Side side) {
  return side == Side::kLeft ? "left" : "right";
}

void add_events(const std::vector<GaitEvent>& events, const std::string& source, bool used,
                const std::vector<GaitEvent>& of_file, result::GaitTrial& out) {
  for (const auto& [event, difference] : motion::compare_events(events, of_file)) {
    out.events.push_back({event.t, side_name(event.side),
                          event.kind == GaitEventKind::kStrike ? "strike" : "off", source, used,
                          source == "file" ? std::nan("") : difference});
  }
}

/// Curves of one name and side, one per cycle.
struct Collected {
  std::string unit;
  std::vector<std::vector<double>> cycles;
};
using Collection = std::map<std::pair<std::string, std::string>, Collected>;  ///< by name and side

/// "LHipAngles" and "hip_flexion_l" belong to the left, others to both.
std::pair<std::string, int> name_and_side(const std::string& name) {
  if (name.size() > 2 && (name.ends_with("_l") || name.ends_with("_r"))) {
    return {name.substr(0, name.size() - 2), name.back() == 'l' ? 0 : 1};
  }
  if (name.size() > 2 && (name[0] == 'L' || name[0] == 'R') &&
      std::isupper(static_cast<unsigned char>(name[1])) != 0 &&
      std::islower(static_cast<unsigned char>(name[2])) != 0) {
    return {name.substr(1), name[0] == 'L' ? 0 : 1};
  }
  return {name, -1};
}

void collect(const std::string& full_name, const std::string& unit, const std::vector<double>& t,
             const std::vector<double>& values, const std::vector<Stride>& strides,
             Collection& out) {
  const auto [name, side] = name_and_side(full_name);
  for (const Stride& stride : strides) {
    // What belongs to no side is shown over the cycles of the right.
    if (side >= 0 ? static_cast<int>(stride.side) != side : stride.side != Side::kRight) continue;
    auto curve = motion::over_cycle(t, values, stride.start, stride.end);
    if (std::all_of(curve.begin(), curve.end(), [](double x) { return std::isnan(x); })) continue;
    auto& collected = out[{name, side < 0 ? "" : side_name(stride.side)}];
    collected.unit = unit;
    collected.cycles.push_back(std::move(curve));
  }
}

void collect_outputs(const io::Trial& trial, const std::vector<Stride>& strides, Collection& out) {
  std::vector<double> t(trial.num_frames), values(trial.num_frames);
  for (std::size_t f = 0; f < t.size(); ++f) t[f] = trial.time(f);
  for (std::size_t k = 0; k < trial.outputs.size(); ++k) {
    const auto& point = trial.outputs.points[k];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      bool moves = false;
      for (std::size_t f = 0; f < t.size(); ++f) {
        values[f] = trial.outputs.is_missing(f, k) ? std::nan("") : trial.outputs.at(f, k)[axis];
        moves = moves || (!std::isnan(values[f]) && values[f] != 0);
      }
      if (moves) collect(point.name + "." + "xyz"[axis], point.unit, t, values, strides, out);
    }
  }
}

/// Muscles: analog channels that are no channel of a plate and are called so, or measured in volts.
std::vector<std::size_t> emg_channels(const io::Trial& trial) {
  std::vector<std::size_t> out;
  for (std::size_t c = 0; c < trial.analog.size(); ++c) {
    const bool of_plate =
        std::any_of(trial.plates.begin(), trial.plates.end(), [&](const auto& plate) {
          return std::find(plate.channels.begin(), plate.channels.end(), static_cast<int>(c)) !=
                 plate.channels.end();
        });
    if (of_plate) continue;
    const auto& channel = trial.analog[c];
    std::string words = channel.name + " " + channel.description;
    std::transform(words.begin(), words.end(), words.begin(),
                   [](unsigned char x) { return static_cast<char>(std::tolower(x)); });
    const bool volts = channel.unit == "V" || channel.unit == "mV" || channel.unit == "uV";
    const bool moves = !channel.values.empty() &&
                       std::any_of(channel.values.begin(), channel.values.end(),
                                   [&](double x) { return x != channel.values.front(); });
    if (moves && (words.find("emg") != std::string::npos || volts)) out.push_back(c);
  }
  return out;
}

void add_emg(const io::Trial& trial, double cutoff, const std::vector<Stride>& strides,
             GaitRun& run, Collection& collection) {
  auto& facts = run.result.trials.back();
  const auto channels = emg_channels(trial);
  if (channels.empty()) return;
  if (!(trial.analog_rate > 80) || trial.num_samples() < 100) {
    run.result.verdict.warnings.push_back(
        fmt::format("{}: muscles are sampled too slowly for envelopes.", facts.trial));
    return;
  }
  std::vector<double> t(trial.num_samples());
  for (std::size_t i = 0; i < t.size(); ++i) t[i] = trial.analog_time(i);
  std::vector<std::vector<std::string>> rows(t.size() + 1);
  rows[0].emplace_back("t");
  for (std::size_t i = 0; i < t.size(); ++i) rows[i + 1].push_back(cell(t[i]));
  for (const std::size_t c : channels) {
    const auto& channel = trial.analog[c];
    const auto envelope = motion::emg_envelope(channel.values, trial.analog_rate, cutoff);
    rows[0].push_back(channel.name + " [" + channel.unit + "]");
    for (std::size_t i = 0; i < t.size(); ++i) rows[i + 1].push_back(cell(envelope[i]));
    facts.emg.push_back(channel.name);
    collect("EMG " + channel.name, channel.unit, t, envelope, strides, collection);
  }
  run.tables.emplace_back(facts.trial + ".emg.csv", io::csv_text(rows));
}

std::vector<result::GaitParameter> parameters_of(const std::vector<result::GaitTrial>& trials) {
  using Facts = result::StrideFacts;
  struct Row {
    const char *name, *unit;
    double (*value)(const Facts&);
  };
  static constexpr std::array<Row, 9> kRows{{
      {"stride duration", "s", [](const Facts& s) { return s.end - s.start; }},
      {"stride length", "m", [](const Facts& s) { return s.length; }},
      {"speed", "m/s", [](const Facts& s) { return s.speed; }},
      {"cadence", "steps/min", [](const Facts& s) { return 120 / (s.end - s.start); }},
      {"step length", "m", [](const Facts& s) { return s.step_length; }},
      {"step duration", "s", [](const Facts& s) { return s.step_duration; }},
      {"step width", "m", [](const Facts& s) { return s.step_width; }},
      {"stance", "%", [](const Facts& s) { return 100 * s.stance; }},
      {"double support", "%", [](const Facts& s) { return 100 * s.double_support; }},
  }};
  std::vector<result::GaitParameter> out;
  for (const Row& row : kRows) {
    for (const Side side : motion::kBothSides) {
      result::GaitParameter parameter{row.name, side_name(side), row.unit, 0, 0, 0};
      std::vector<double> values;
      for (const auto& trial : trials) {
        for (const auto& stride : trial.strides) {
          if (stride.side == parameter.side && !std::isnan(row.value(stride))) {
            values.push_back(row.value(stride));
          }
        }
      }
      parameter.count = static_cast<int>(values.size());
      double sum = 0, squares = 0;
      for (const double x : values) sum += x;
      parameter.mean = values.empty() ? std::nan("") : sum / static_cast<double>(values.size());
      for (const double x : values) squares += (x - parameter.mean) * (x - parameter.mean);
      parameter.sd = values.size() < 2
                         ? std::nan("")
                         : std::sqrt(squares / static_cast<double>(values.size() - 1));
      out.push_back(parameter);
    }
  }
  return out;
}

void add_tables(GaitRun& run) {
  std::vector<std::vector<std::string>> events{
      {"trial", "t [s]", "side", "kind", "source", "used", "from_file [s]"}};
  std::vector<std::vector<std::string>> strides{
      {"trial", "side", "start [s]", "end [s]", "length [m]", "speed [m/s]", "step_length [m]",
       "step_duration [s]", "step_width [m]", "stance", "double_support"}};
  for (const auto& trial : run.result.trials) {
    for (const auto& e : trial.events) {
      events.push_back({trial.trial, cell(e.t), e.side, e.kind, e.source, e.used ? "yes" : "no",
                        cell(e.from_file)});
    }
    for (const auto& s : trial.strides) {
      strides.push_back({trial.trial, s.side, cell(s.start), cell(s.end), cell(s.length),
                         cell(s.speed), cell(s.step_length), cell(s.step_duration),
                         cell(s.step_width), cell(s.stance), cell(s.double_support)});
    }
  }
  std::vector<std::vector<std::string>> parameters{{"name", "side", "unit", "count", "mean", "sd"}};
  for (const auto& p : run.result.parameters) {
    parameters.push_back(
        {p.name, p.side, p.unit, std::to_string(p.count), cell(p.mean), cell(p.sd)});
  }
  run.tables.emplace_back("events.csv", io::csv_text(events));
  run.tables.emplace_back("strides.csv", io::csv_text(strides));
  run.tables.emplace_back("parameters.csv", io::csv_text(parameters));
  if (run.curves.empty()) return;
  std::vector<std::vector<std::string>> cycles{
      {"curve", "side", "unit", "cycles", "percent", "mean", "sd"}};
  for (const auto& curve : run.curves) {
    for (std::size_t k = 0; k < curve.mean.size(); ++k) {
      cycles.push_back({curve.name, curve.side, curve.unit, std::to_string(curve.count),
                        std::to_string(k), cell(curve.mean[k]), cell(curve.sd[k])});
    }
  }
  run.tables.emplace_back("cycles.csv", io::csv_text(cycles));
}

void analyse(const std::string& file, const std::string& name, const std::string& curves,
             const GaitRequest& request, GaitRun& run, Collection& collection) {
  auto& warnings = run.result.verdict.warnings;
  io::MotionFile read = io::read_motion_file(file);
  if (!read.trial || read.trial->markers.size() == 0) {
    throw base::InputError({file, 0, 0}, "has no markers.");
  }
  std::optional<io::MotionTable> table;
  if (!curves.empty()) table = io::read_storage(curves);
  io::Trial& trial = *read.trial;
  for (const auto& warning : read.warnings()) warnings.push_back(name + ": " + warning.text());
  if (!request.units.empty()) {
    trial.length_unit = request.units;
    trial.metres_per_unit = io::metres_in(request.units);
  }
  io::to_metres(trial, {});
  auto& facts = run.result.trials.emplace_back();
  facts.trial = name;
  facts.file = file;
  facts.speed = std::nan("");
  const auto walk = walk_of(trial);
  std::vector<Stride> strides;
  if (!walk) {
    warnings.push_back(fmt::format(
        "{}: no markers of pelvis, heels and toes were found, or nothing says what is up.", name));
  } else {
    facts.points = walk->points;
    const GaitEvents events = find_events(trial, walk->paths);
    facts.source = events.source;
    const bool of_file = events.source == "file";
    add_events(events.of_file, "file", of_file, events.of_file, facts);
    add_events(events.by_forces, "forces", false, events.of_file, facts);
    add_events(events.by_kinematics, "kinematics", !of_file, events.of_file, facts);
    strides = motion::find_strides(walk->paths, events.used);
    facts.treadmill = motion::find_progression(walk->paths).treadmill;
    double sum = 0;
    int count = 0;
    for (const Stride& s : strides) {
      facts.strides.push_back({side_name(s.side), s.start, s.end, s.length, s.speed, s.step_length,
                               s.step_duration, s.step_width, s.stance, s.double_support});
      if (std::isnan(s.speed)) continue;
      sum += s.speed;
      ++count;
    }
    if (count > 0) facts.speed = sum / count;
    if (strides.empty()) warnings.push_back(name + ": no whole stride was found.");
  }
  collect_outputs(trial, strides, collection);
  add_emg(trial, request.emg_cutoff, strides, run, collection);
  for (std::size_t c = 0; table && c < table->columns.size(); ++c) {
    collect(table->columns[c], "", table->time, table->values[c], strides, collection);
  }
}

}  // namespace
}  // namespace gait_run

GaitRun analyse_gait(const GaitRequest& request, const Callbacks& callbacks) {
  Stopwatch watch;
  if (!request.out.empty()) check_replaceable(request.out);
  if (!request.curves.empty() && request.curves.size() != request.trials.size()) {
    throw base::InputError(fmt::format("--curves: {} files for {} trials; one for each, in order.",
                                       request.curves.size(), request.trials.size()));
  }
  if (!request.units.empty() && io::metres_in(request.units) == 0) {
    throw base::InputError(
        fmt::format("--units {}: not a unit of length; for example mm, cm or m.", request.units));
  }
  GaitRun run;
  run.result.verdict = {version(), "done", false, "done", {}};
  std::vector<std::string> names;
  for (const auto& file : request.trials) {
    names.push_back(std::filesystem::path(file).stem().string());
  }
  io::make_unique(names, "trial");
  gait_run::Collection collection;
  Job job(callbacks, 1);
  job.run([&] {
    std::vector<NamedFile> read;
    for (const auto& file : request.trials) read.emplace_back("trial", file);
    for (const auto& file : request.curves) read.emplace_back("curves", file);
    run.result.verdict.origin = {request.arguments, hashed_files(read)};
    for (std::size_t i = 0; i < names.size() && !job.stopped(); ++i) {
      if (callbacks.on_progress) {
        const double fraction = static_cast<double>(i) / static_cast<double>(names.size());
        job.tell([&] { callbacks.on_progress(fraction, names[i]); });
      }
      try {
        gait_run::analyse(request.trials[i], names[i],
                          request.curves.empty() ? "" : request.curves[i], request, run,
                          collection);
      } catch (const base::Stopped&) {
        return;  // while it was read: the trials before it are kept
      }
    }
  });
  if (run.result.trials.size() < names.size()) {
    run.result.verdict.status = run.result.verdict.message = "interrupted";
    run.result.verdict.partial = true;
  }
  run.timing.add("trials", watch.lap());
  run.result.parameters = gait_run::parameters_of(run.result.trials);
  for (const auto& [key, collected] : collection) {
    const auto band = motion::band_of(collected.cycles);
    run.curves.push_back({key.first, key.second, collected.unit, band.count, band.mean, band.sd});
  }
  gait_run::add_tables(run);
  run.timing.add("tables", watch.lap());
  return run;
}

std::string report_page(const GaitRun& run) {
  return report::gait_report(run.result, run.curves, report::Liveness::kLive);
}

std::filesystem::path save(GaitRun& run, const std::filesystem::path& target) {
  return save_with_report(run, target);
}

}  // namespace parfait::run
