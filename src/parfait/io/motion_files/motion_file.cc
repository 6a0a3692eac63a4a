#include "parfait/io/motion_files/motion_file.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <iterator>

#include "parfait/base/error.h"
#include "parfait/base/stop.h"
#include "parfait/io/motion_files/c3d.h"
#include "parfait/io/motion_files/file_bytes.h"
#include "parfait/io/motion_files/text_lines.h"
#include "parfait/io/motion_files/trc.h"

namespace parfait::io {
namespace {

/// Text of a CSV file, built cell by cell.
class CsvText {
 public:
  void name(std::string_view text) {
    separate();
    const bool plain = !text.empty() && text.front() != '#' &&
                       text.find_first_of(",\"\t\r\n") == std::string_view::npos;
    if (plain) {
      out_ += text;
      return;
    }
    out_ += '"';
    for (const char c : text) {
      if (c == '"') out_ += '"';
      out_ += c;
    }
    out_ += '"';
  }
  /// Ten digits: more than floats have. NaN is an empty cell.
  void number(double x) {
    separate();
    if (!std::isnan(x)) out_ += fmt::format("{:.10g}", x);
  }
  void end_row() {
    base::leave_if_stopped();
    out_ += '\n';
    first_ = true;
  }
  std::string take() { return std::move(out_); }

 private:
  void separate() {
    if (!first_) out_ += ',';
    first_ = false;
  }

  std::string out_;
  bool first_ = true;
};

std::string points_csv(const Trial& trial, const PointSet& set) {
  CsvText csv;
  csv.name("t");
  for (const auto& point : set.points) {
    for (const char* axis : {".x", ".y", ".z"}) csv.name(point.name + axis);
  }
  csv.end_row();
  for (std::size_t f = 0; f < trial.num_frames; ++f) {
    csv.number(trial.time(f));
    for (std::size_t i = 0; i < 3 * set.size(); ++i) csv.number(set.xyz[3 * set.index(f, 0) + i]);
    csv.end_row();
  }
  return csv.take();
}

std::string analog_csv(const Trial& trial) {
  CsvText csv;
  csv.name("t");
  for (const auto& channel : trial.analog) csv.name(channel.name);
  csv.end_row();
  for (std::size_t s = 0; s < trial.num_samples(); ++s) {
    csv.number(trial.analog_time(s));
    for (const auto& channel : trial.analog) csv.number(channel.values[s]);
    csv.end_row();
  }
  return csv.take();
}

/// Empty if no plate has a wrench.
std::string wrenches_csv(const Trial& trial) {
  CsvText csv;
  csv.name("t");
  std::vector<const WrenchSeries*> series;
  for (std::size_t i = 0; i < trial.plates.size(); ++i) {
    if (trial.plates[i].wrenches.size() == 0) continue;
    series.push_back(&trial.plates[i].wrenches);
    for (const char* name : {"fx", "fy", "fz", "mx", "my", "mz", "px", "py", "pz", "free_moment"})
      csv.name(fmt::format("plate{}.{}", i + 1, name));
  }
  if (series.empty()) return "";
  csv.end_row();
  for (std::size_t s = 0; s < series.front()->size(); ++s) {
    csv.number(trial.analog_time(s));
    for (const WrenchSeries* wrench : series) {
      for (const auto* values : {&wrench->force, &wrench->moment, &wrench->pressure}) {
        for (std::size_t k = 0; k < 3; ++k) csv.number((*values)[3 * s + k]);
      }
      csv.number(wrench->free_moment[s]);
    }
    csv.end_row();
  }
  return csv.take();
}

std::string events_csv(const Trial& trial) {
  CsvText csv;
  for (const char* name : {"t", "label", "context", "subject", "description"}) csv.name(name);
  csv.end_row();
  for (const auto& event : trial.events) {
    csv.number(event.time);
    for (const std::string* text :
         {&event.label, &event.context, &event.subject, &event.description})
      csv.name(*text);
    csv.end_row();
  }
  return csv.take();
}

}  // namespace

MotionKind motion_kind(const std::filesystem::path& file) {
  const std::string ending = file.extension().string();
  const std::pair<const char*, MotionKind> endings[] = {
      {".c3d", MotionKind::kC3d},        {".trc", MotionKind::kTrc}, {".mot", MotionKind::kStorage},
      {".sto", MotionKind::kStorage},    {".bvh", MotionKind::kBvh}, {".csv", MotionKind::kMeshup},
      {".ff", MotionKind::kMeshupForces}};
  for (const auto& [name, kind] : endings) {
    if (same_word(ending, name)) return kind;
  }
  const FileBytes bytes(file);
  const auto text = bytes.text().substr(0, 4000);
  if (text.size() > 1 && text[1] == 0x50 && text[0] > 1 && text[0] < 32) return MotionKind::kC3d;
  if (begins_with_word(text, "PathFileType")) return MotionKind::kTrc;
  if (begins_with_word(text, "HIERARCHY")) return MotionKind::kBvh;
  if (text.find("endheader") != std::string_view::npos) return MotionKind::kStorage;
  if (text.find("COLUMNS:") != std::string_view::npos) return MotionKind::kMeshup;
  throw base::InputError({file.string(), 0, 0},
                         "this is no motion file that can be read. These can: C3D, TRC, MOT, STO, "
                         "BVH, MeshUp's CSV and FF.");
}

MotionFile read_motion_file(const std::filesystem::path& file) {
  MotionFile out;
  out.kind = motion_kind(file);
  switch (out.kind) {
    case MotionKind::kC3d:
      out.trial = read_c3d(file).trial;
      break;
    case MotionKind::kTrc:
      out.trial = read_trc(file);
      break;
    case MotionKind::kStorage:
      out.table = read_storage(file);
      break;
    case MotionKind::kMeshup:
      out.table = read_meshup(file);
      break;
    case MotionKind::kMeshupForces:
      out.table = read_meshup_forces(file);
      break;
    case MotionKind::kBvh: {
      const BvhFile bvh = read_bvh(file);
      out.trial = bvh_trial(bvh);
      out.table = bvh_table(bvh);
      break;
    }
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> trial_tables(const Trial& trial) {
  std::vector<std::pair<std::string, std::string>> files;
  if (trial.markers.size() > 0) files.emplace_back("markers.csv", points_csv(trial, trial.markers));
  if (trial.outputs.size() > 0) files.emplace_back("outputs.csv", points_csv(trial, trial.outputs));
  if (!trial.analog.empty()) files.emplace_back("analog.csv", analog_csv(trial));
  if (std::string text = wrenches_csv(trial); !text.empty())
    files.emplace_back("wrenches.csv", std::move(text));
  if (!trial.events.empty()) files.emplace_back("events.csv", events_csv(trial));
  return files;
}

std::pair<std::string, std::string> table_file(const MotionTable& table) {
  CsvText csv;
  csv.name("t");
  for (const auto& column : table.columns) csv.name(column);
  csv.end_row();
  for (std::size_t r = 0; r < table.num_rows(); ++r) {
    csv.number(table.time[r]);
    for (const auto& column : table.values) csv.number(column[r]);
    csv.end_row();
  }
  return {"motion.csv", csv.take()};
}

}  // namespace parfait::io
