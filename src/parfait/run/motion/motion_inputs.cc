#include "parfait/run/motion/motion_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "parfait/base/error.h"
#include "parfait/io/foreign/osim_tasks.h"
#include "parfait/io/model/any_model_file.h"
#include "parfait/io/motion_files/axes_units.h"
#include "parfait/io/motion_files/motion_file.h"
#include "parfait/io/motion_files/motion_table.h"
#include "parfait/io/text/csv.h"
#include "parfait/io/text/table_scanner.h"
#include "parfait/io/text/text_file.h"
#include "parfait/motion/skeleton/marker_names.h"
#include "parfait/motion/skeleton/mechanism_skeleton.h"

namespace parfait::run {
namespace {

/// Which axis points against gravity: 0, 1, 2 with a sign; -1: none clearly does.
std::pair<int, int> up_of(const motion::Skeleton& skeleton) {
  const auto& g = skeleton.tree.constants.gravity;
  const double parts[3] = {g.x, g.y, g.z};
  int axis = 0;
  for (int k = 1; k < 3; ++k) {
    if (std::abs(parts[k]) > std::abs(parts[axis])) axis = k;
  }
  const double size = std::sqrt(dot(g, g));
  if (!(size > 0) || std::abs(parts[axis]) < 0.9 * size) return {-1, 1};
  return {axis, parts[axis] > 0 ? -1 : 1};
}

/// The turn about one coordinate axis that brings the file's up to the model's, in words.
std::string turned_axes(const io::UpAxis& up, int axis, int sign) {
  const char* names = "xyz";
  if (up.axis < 0 || (up.axis == axis && up.sign == sign)) return "";
  std::array<std::string, 3> out;
  const auto signed_name = [&](int which, int s) {
    return std::string(s < 0 ? "-" : "") + names[which];
  };
  if (up.axis == axis) {
    // Upside down: half a turn about another axis.
    const int keep = (axis + 1) % 3;
    for (int k = 0; k < 3; ++k)
      out[static_cast<std::size_t>(k)] = signed_name(k, k == keep ? 1 : -1);
  } else {
    const int keep = 3 - axis - up.axis;
    out[static_cast<std::size_t>(keep)] = signed_name(keep, 1);
    // New `axis` is the old up; what was there goes to the place of up, so that the hand is kept.
    out[static_cast<std::size_t>(axis)] = signed_name(up.axis, up.sign * sign);
    out[static_cast<std::size_t>(up.axis)] = signed_name(axis, -up.sign * sign);
  }
  return out[0] + "," + out[1] + "," + out[2];
}

motion::MarkerData marker_data(const io::Trial& trial) {
  motion::MarkerData data;
  for (const auto& point : trial.markers.points) data.labels.push_back(point.name);
  for (std::size_t f = 0; f < trial.num_frames; ++f) data.t.push_back(trial.time(f));
  data.xyz = trial.markers.xyz;
  return data;
}

/// The name without "Subject:" where that makes it one of the model.
void match_prefixes(const motion::Skeleton& skeleton, motion::MarkerData& data) {
  for (std::string& label : data.labels) {
    if (skeleton.find_marker(label) >= 0) continue;
    const auto colon = label.rfind(':');
    if (colon == std::string::npos) continue;
    const std::string bare = label.substr(colon + 1);
    if (skeleton.find_marker(bare) >= 0 &&
        std::find(data.labels.begin(), data.labels.end(), bare) == data.labels.end()) {
      label = bare;
    }
  }
}

/// What the user says about names: markers of the model and their labels in files.
std::vector<motion::NamePair> names_of(const motion::Skeleton& skeleton,
                                       const TrialReading& reading) {
  std::vector<std::string> markers;
  for (const auto& marker : skeleton.markers) markers.push_back(marker.name);
  std::vector<motion::NamePair> out;
  const auto add = [&](const std::string& where, const std::string& marker,
                       const std::string& label) {
    if (skeleton.find_marker(marker) < 0) {
      throw base::InputError(fmt::format("{}: the model has no marker \"{}\".{}", where, marker,
                                         base::suggestion(marker, markers)));
    }
    out.emplace_back(marker, label);
  };
  if (!reading.names.empty() && reading.names != "guess") {
    const std::string text = io::read_text_file(reading.names);
    io::TableScanner scanner(text, reading.names);
    const auto header = io::read_header(scanner, reading.names);
    if (header != std::vector<std::string>{"model", "file"}) {
      throw base::InputError({reading.names, 1, 1}, "the columns must be model,file.");
    }
    for (std::vector<io::Cell> row; scanner.next_row(row);) {
      io::check_width(row, header.size());
      add(fmt::format("{}:{}", reading.names, row[0].place.line), row[0].text, row[1].text);
    }
  }
  for (const std::string& setting : reading.name) {
    const auto equals = setting.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == setting.size()) {
      throw base::InputError(fmt::format(
          "--name {}: must be MARKER=LABEL, a marker of the model and its name in the files.",
          setting));
    }
    add("--name " + setting, setting.substr(0, equals), setting.substr(equals + 1));
  }
  return out;
}

/// Labels of the file become names of the model; which of the pairs the file has.
void rename(const std::vector<motion::NamePair>& names, motion::MarkerData& data,
            std::vector<char>& used) {
  const std::vector<std::string> old = data.labels;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string& marker = names[i].first;
    const std::string& label = names[i].second;
    const auto found = std::find_if(old.begin(), old.end(), [&](const std::string& name) {
      return name == label || name.ends_with(":" + label);
    });
    if (found == old.end()) continue;
    used[i] = 1;
    // Another marker of this name is not the model's, then.
    for (std::string& other : data.labels) {
      if (other == marker) other += " (of the file)";
    }
    data.labels[static_cast<std::size_t>(found - old.begin())] = marker;
  }
}

std::string pairs_text(const std::vector<motion::NamePair>& pairs) {
  std::vector<std::string> words;
  words.reserve(pairs.size());
  for (const auto& [marker, label] : pairs) words.push_back(label + " is " + marker);
  return base::listing(words);
}

/// Markers of the model that are in the file under another name: taken, or told.
void match_landmarks(const motion::Skeleton& skeleton, bool guess, MarkerTrialFile& trial) {
  const auto matched = motion::match_markers(skeleton, trial.data);
  const auto pairs = motion::same_landmarks(matched.only_model, matched.only_data);
  if (pairs.empty()) return;
  if (guess) {
    std::vector<char> used(pairs.size());
    rename(pairs, trial.data, used);
    trial.warnings.push_back(
        fmt::format("{}: taken by their names: {}.", trial.name, pairs_text(pairs)));
    return;
  }
  const std::string words =
      fmt::format("perhaps {}: --names guess takes them so, --name {}={} one of them.",
                  pairs_text(pairs), pairs.front().first, pairs.front().second);
  if (matched.on_both.empty()) {
    throw base::InputError({trial.file, 0, 0}, "has no marker by the names of the model; " + words);
  }
  trial.warnings.push_back(trial.name + ": " + words);
}

}  // namespace

motion::Skeleton read_skeleton(const std::string& file) {
  const io::AnyModel model = io::read_any_model(file);
  const auto* description = std::get_if<mechanism::Description>(&model);
  if (!description) {
    throw base::InputError({file, 0, 0}, "is not a mechanism: poses need bodies with markers.");
  }
  return motion::make_skeleton(*description);
}

std::vector<MarkerTrialFile> read_trials(const std::vector<std::string>& files,
                                         const motion::Skeleton& skeleton,
                                         const TrialReading& reading) {
  if (!reading.units.empty() && io::metres_in(reading.units) == 0) {
    throw base::InputError(
        fmt::format("--units {}: not a unit of length; for example mm, cm or m.", reading.units));
  }
  if (!reading.axes.empty()) (void)io::parse_axes(reading.axes);
  const auto [axis, sign] = up_of(skeleton);
  const auto own_names = names_of(skeleton, reading);
  std::vector<char> used(own_names.size());
  std::vector<MarkerTrialFile> out;
  std::vector<std::string> names;
  names.reserve(files.size());
  for (const std::string& file : files)
    names.push_back(std::filesystem::path(file).stem().string());
  io::make_unique(names, "trial");
  for (std::size_t i = 0; i < files.size(); ++i) {
    io::MotionFile motion_file = io::read_motion_file(files[i]);
    if (!motion_file.trial || motion_file.trial->markers.size() == 0) {
      throw base::InputError({files[i], 0, 0}, "has no markers.");
    }
    MarkerTrialFile trial;
    trial.name = names[i];
    trial.file = files[i];
    for (const auto& warning : motion_file.warnings()) {
      trial.warnings.push_back(trial.name + ": " + warning.text());
    }
    io::Trial& own = *motion_file.trial;
    if (!reading.units.empty()) {
      own.length_unit = reading.units;
      own.metres_per_unit = io::metres_in(reading.units);
    }
    trial.axes = !reading.axes.empty() ? reading.axes
                 : axis >= 0           ? turned_axes(own.up, axis, sign)
                                       : "";
    trial.axes_reason =
        !reading.axes.empty() ? "--axes" : own.up.name() + " is up: " + own.up.reason;
    io::to_metres(own, trial.axes.empty() ? io::AxisMap{} : io::parse_axes(trial.axes));
    trial.data = marker_data(own);
    rename(own_names, trial.data, used);
    match_prefixes(skeleton, trial.data);
    match_landmarks(skeleton, reading.names == "guess", trial);
    trial.swaps = motion::find_swaps(trial.data);
    for (const auto& swap : trial.swaps) {
      const auto& labels = trial.data.labels;
      const auto a = static_cast<std::size_t>(swap.a), b = static_cast<std::size_t>(swap.b);
      trial.warnings.push_back(
          fmt::format("{}: frame {} ({:g} s): {} {} {}, {:.0f} mm away; {}", trial.name,
                      swap.frame + 1, trial.data.t[static_cast<std::size_t>(swap.frame)], labels[a],
                      swap.b_missing ? "is the missing" : "and",
                      labels[b] + (swap.b_missing ? "" : " are exchanged"), 1e3 * swap.separation,
                      reading.relabel ? "repaired." : "--relabel repairs it."));
    }
    if (reading.relabel) motion::repair(trial.data, trial.swaps);
    trial.markers = motion::match_markers(skeleton, trial.data);
    if (trial.markers.on_both.empty()) {
      throw base::InputError(
          {files[i], 0, 0},
          fmt::format(
              "has no marker of the model. Of the file: {}. Of the model: {}. --name "
              "{}=LABEL says which label of the file is a marker of the model, --names FILE "
              "of many.",
              base::listing(trial.markers.only_data), base::listing(trial.markers.only_model),
              trial.markers.only_model.front()));
    }
    trial.trial = std::move(own);
    out.push_back(std::move(trial));
  }
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (used[i]) continue;
    std::vector<std::string> labels;
    for (const auto& trial : out) {
      labels.insert(labels.end(), trial.data.labels.begin(), trial.data.labels.end());
    }
    throw base::InputError(fmt::format("name {}={}: no file has a marker \"{}\".{}",
                                       own_names[i].first, own_names[i].second, own_names[i].second,
                                       base::suggestion(own_names[i].second, labels)));
  }
  return out;
}

std::vector<double> marker_weights(const motion::Skeleton& skeleton, const std::string& tasks_file,
                                   const std::vector<std::string>& settings) {
  std::vector<double> weights(skeleton.markers.size(), 1.0);
  std::vector<std::string> names;
  for (const auto& marker : skeleton.markers) names.push_back(marker.name);
  if (!tasks_file.empty()) {
    // What a task set does not name is not tracked.
    std::fill(weights.begin(), weights.end(), 0.0);
    for (const auto& task : io::read_osim_tasks(tasks_file)) {
      const int m = skeleton.find_marker(task.marker);
      if (m >= 0) weights[static_cast<std::size_t>(m)] = task.weight;
    }
  }
  for (const std::string& setting : settings) {
    const auto equals = setting.rfind('=');
    double weight = -1;
    if (equals != std::string::npos) {
      char* end = nullptr;
      const std::string text = setting.substr(equals + 1);
      weight = std::strtod(text.c_str(), &end);
      if (text.empty() || *end != '\0' || !(weight >= 0) || std::isinf(weight)) weight = -1;
    }
    if (weight < 0) {
      throw base::InputError(
          fmt::format("--weight {}: must be MARKER=number, at least 0.", setting));
    }
    const std::string name = setting.substr(0, equals);
    const int m = skeleton.find_marker(name);
    if (m < 0) {
      throw base::InputError(fmt::format("--weight {}: the model has no marker \"{}\".{}", setting,
                                         name, base::suggestion(name, names)));
    }
    weights[static_cast<std::size_t>(m)] = weight;
  }
  if (std::none_of(weights.begin(), weights.end(), [](double w) { return w > 0; })) {
    throw base::InputError("no marker of the model has a weight.");
  }
  return weights;
}

std::string motion_text(const motion::Skeleton& skeleton, const motion::TrialPoses& poses,
                        const std::vector<double>& t, const std::string& name) {
  io::MotionTable table;
  table.format = "MOT";
  table.name = name;
  table.version = 1;
  table.angles = io::AngleUnit::kDegrees;
  table.angles_stated = true;
  table.time = t;
  const double degrees = 180 / std::numbers::pi;
  const auto nq = static_cast<std::size_t>(skeleton.tree.nq);
  const auto add = [&](const std::string& column, bool is_angle, const auto& value) {
    table.columns.push_back(column);
    auto& values = table.values.emplace_back();
    for (std::size_t f = 0; f < t.size(); ++f)
      values.push_back(value(f) * (is_angle ? degrees : 1));
  };
  for (const auto& c : skeleton.coordinates) {
    if (c.q < 0) continue;
    add(c.name, c.is_angle,
        [&](std::size_t f) { return poses.q[f * nq + static_cast<std::size_t>(c.q)]; });
  }
  for (const auto& follower : skeleton.followers) {
    const auto& function = skeleton.tree.functions[static_cast<std::size_t>(follower.function)];
    tree::Coefficients<double> prepared;
    tree::prepare(
        function,
        skeleton.tree.constants.functions[static_cast<std::size_t>(follower.function)].data(),
        prepared);
    std::vector<double> scratch(tree::scratch_size(function) + 1);
    add(follower.name, follower.is_angle, [&](std::size_t f) {
      return tree::evaluate(function, prepared,
                            poses.q[f * nq + static_cast<std::size_t>(follower.q)], scratch.data())
          .f;
    });
  }
  return io::storage_text(table);
}

}  // namespace parfait::run
