#include "parfait/io/motion_files/trc.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "parfait/base/error.h"
#include "parfait/io/motion_files/axes_units.h"
#include "parfait/io/motion_files/file_bytes.h"
#include "parfait/io/motion_files/text_lines.h"
#include "parfait/io/text/number.h"
#include "parfait/io/text/text_file.h"

namespace parfait::io {
namespace {

constexpr int kMostHeaderLines = 50;

class TrcReader {
 public:
  TrcReader(std::string_view text, const std::string& file_name)
      : lines_(text), most_positions_(text.size() + 100000) {
    trial_.file = file_name;
  }

  Trial read();

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw base::InputError({trial_.file, 0, 0}, "no frame can be decoded: " + why + ".");
  }
  void read_header();
  void read_labels(std::string_view line);
  bool find_first_row(std::string_view& line);
  void add_unlabelled(std::string_view first);
  void read_row(std::string_view line);
  void find_times();
  std::string setting(const char* name) const;
  double number(const char* name) const;

  LineReader lines_;
  std::size_t
      most_positions_;  ///< a position takes three tabs; rows may stop early, but not all of them
  WarningLog log_;
  Trial trial_;
  std::map<std::string, std::string> settings_;
  int settings_line_ = 0;
  std::vector<std::string_view> cells_;
  std::vector<double> times_;
  std::size_t zeros_ = 0, short_rows_ = 0;
  int zeros_line_ = 0, short_line_ = 0;
};

std::string lowered(std::string_view word) {
  std::string out(word);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string TrcReader::setting(const char* name) const {
  const auto it = settings_.find(lowered(name));
  return it == settings_.end() ? "" : it->second;
}

double TrcReader::number(const char* name) const {
  const std::string text = setting(name);
  const auto value = cell_value(text);
  return text.empty() || !value.is_number ? std::nan("") : value.value;
}

void TrcReader::read_header() {
  std::string_view line;
  std::vector<std::string_view> names;
  bool values_follow = false;
  while (lines_.number() < kMostHeaderLines && lines_.next(line)) {
    if (lines_.number() == 1 && !begins_with_word(trimmed(line), "PathFileType")) {
      log_.at_line(1, "the first line does not begin with PathFileType");
    }
    if (values_follow) {
      split_row(line, cells_);
      for (std::size_t i = 0; i < names.size() && i < cells_.size(); ++i)
        settings_[lowered(names[i])] = std::string(cells_[i]);
      settings_line_ = lines_.number();
      values_follow = false;
      continue;
    }
    if (begins_with_word(trimmed(line), "DataRate")) {
      split_row(line, names);
      while (!names.empty() && names.back().empty()) names.pop_back();
      values_follow = true;
    } else if (begins_with_word(trimmed(line), "Frame")) {
      return read_labels(line);
    }
  }
  fail("no line begins with Frame#");
}

/// Labels stand over the first of their three columns, or only in the right order.
void TrcReader::read_labels(std::string_view line) {
  split_row(line, cells_);
  while (!cells_.empty() && cells_.back().empty()) cells_.pop_back();
  std::vector<std::string> in_order, over_columns;
  bool aligned = true;
  for (std::size_t i = 2; i < cells_.size(); ++i) {
    if (i % 3 == 2) over_columns.emplace_back(clean_text(cells_[i]));
    if (cells_[i].empty()) continue;
    aligned &= i % 3 == 2;
    in_order.emplace_back(clean_text(cells_[i]));
  }
  const double said = number("NumMarkers");
  const bool has_gaps = aligned && over_columns.size() != in_order.size();
  std::vector<std::string> names =
      has_gaps && static_cast<double>(over_columns.size()) <= said ? over_columns : in_order;
  if (!std::isnan(said) && static_cast<double>(names.size()) != said) {
    log_.at_line(lines_.number(),
                 fmt::format("there are {} labels, but NumMarkers is {:g}; the labels are believed",
                             names.size(), said));
  }
  std::vector<std::string> distinct = names;
  if (make_unique(distinct, "*") > 0)
    log_.at_line(lines_.number(), "labels are there twice or empty, and were given other names");
  for (std::size_t i = 0; i < names.size(); ++i) {
    PointLabel label;
    label.name = distinct[i];
    label.file_name = names[i];
    label.unit = setting("Units");
    label.column = static_cast<int>(i);
    trial_.markers.points.push_back(std::move(label));
  }
  if (names.empty()) log_.at_line(lines_.number(), "there is no label");
}

/// Skips the line of X1 Y1 Z1 ... and empty ones.
bool TrcReader::find_first_row(std::string_view& line) {
  while (lines_.next(line)) {
    split_row(line, cells_);
    if (!cells_.empty() && !cells_.front().empty() && cell_value(cells_.front()).is_number)
      return true;
  }
  return false;
}

/// Markers that have numbers but no label: rows are looked through for the longest.
void TrcReader::add_unlabelled(std::string_view first) {
  const std::size_t labelled = trial_.markers.size();
  std::size_t longest = 0, rows = 0;
  int longest_line = 0;
  LineReader lines = lines_;
  std::string_view line = first;
  do {
    split_row(line, cells_);
    while (!cells_.empty() && cells_.back().empty()) cells_.pop_back();
    ++rows;
    if (cells_.size() <= longest || !cell_value(cells_.front()).is_number) continue;
    longest = cells_.size();
    if (longest_line == 0 && longest > 2 + 3 * labelled) longest_line = lines.number();
  } while (lines.next(line));
  const std::size_t markers = std::max(labelled, longest / 3);
  if (markers > 0 && rows > most_positions_ / markers) {
    fail(fmt::format("{} markers in {} rows do not fit into the file", markers, rows));
  }
  if (longest <= 2 + 3 * labelled) return;
  std::vector<std::string> names;
  for (const auto& point : trial_.markers.points) names.push_back(point.name);
  names.resize((longest - 2 + 2) / 3);
  make_unique(names, "*");
  for (std::size_t i = labelled; i < names.size(); ++i) {
    PointLabel label;
    label.name = names[i];
    label.unit = setting("Units");
    label.column = static_cast<int>(i);
    trial_.markers.points.push_back(std::move(label));
  }
  log_.at_line(longest_line, fmt::format("rows have numbers for {} markers more than there are "
                                         "labels; these are called {} and so on",
                                         names.size() - labelled, names[labelled]));
}

void TrcReader::read_row(std::string_view line) {
  split_row(line, cells_);
  const std::size_t needed = 2 + 3 * trial_.markers.size();
  const bool by_blanks = line.find('\t') == std::string_view::npos;
  const std::size_t filled = cells_.size();
  // Behind the last marker that is there, programs stop writing tabs.
  const bool cut =
      by_blanks ? filled < needed
                : filled < needed && filled > 2 && (filled - 2) % 3 != 0 && !cells_.back().empty();
  if (cut && short_rows_++ == 0) short_line_ = lines_.number();

  const auto value = [&](std::size_t i) {
    if (i >= cells_.size()) return std::nan("");
    const auto cell = cell_value(cells_[i]);
    if (!cell.is_number) {
      log_.once_at_line("cell", lines_.number(),
                        fmt::format("\"{}\" is not a number; such cells are taken as missing",
                                    clean_text(cells_[i].substr(0, 30))));
    }
    return cell.value;
  };
  if (times_.empty()) {
    const double frame = value(0);
    trial_.first_frame = frame >= 0 && frame < 1e15 ? static_cast<std::int64_t>(frame) : 1;
  }
  times_.push_back(value(1));
  for (std::size_t m = 0; m < trial_.markers.size(); ++m) {
    double x[3];
    for (std::size_t k = 0; k < 3; ++k) x[k] = value(2 + 3 * m + k);
    const bool zero = x[0] == 0 && x[1] == 0 && x[2] == 0;
    if (zero && zeros_++ == 0) zeros_line_ = lines_.number();
    const bool missing = zero || std::isnan(x[0]) || std::isnan(x[1]) || std::isnan(x[2]);
    for (const double coordinate : x)
      trial_.markers.xyz.push_back(missing ? std::nan("") : coordinate);
    trial_.markers.residuals.push_back(missing ? -1.0F : 0.0F);
    trial_.markers.cameras.push_back(0);
  }
}

/// The rate by DataRate, unless the times say otherwise.
void TrcReader::find_times() {
  const double said = number("DataRate");
  const bool has_rate = said > 0 && said < 1e7;
  const std::size_t n = times_.size();
  const bool timed =
      n > 1 &&
      std::all_of(times_.begin(), times_.end(), [](double t) { return std::isfinite(t); }) &&
      times_.back() > times_.front();
  trial_.rate = has_rate ? said : 1;
  trial_.start_time = std::isfinite(times_.front()) ? times_.front() : 0;
  if (!timed) {
    if (n > 1)
      log_.at_line(lines_.number(), "the times do not increase; they follow from DataRate");
    if (!has_rate)
      log_.at_line(std::max(settings_line_, 1),
                   "DataRate is missing; 1 frame per second is assumed");
    return;
  }
  // Times of very late starts are rounded.
  const double rounding = 4 * std::numeric_limits<double>::epsilon() *
                          std::max(std::abs(times_.front()), std::abs(times_.back()));
  const auto fits = [&](double rate) {
    for (std::size_t i = 0; i < n; ++i) {
      const double off = times_[i] - times_.front() - static_cast<double>(i) / rate;
      if (std::abs(off) > 0.5 / rate + rounding) return false;
    }
    return true;
  };
  if (has_rate && fits(said)) return;
  const double by_times = static_cast<double>(n - 1) / (times_.back() - times_.front());
  trial_.rate = by_times;
  if (!fits(by_times)) {
    trial_.times = times_;
    log_.at_line(std::max(settings_line_, 1),
                 "the times of the frames are not evenly spaced; they are kept as they are");
  } else {
    log_.at_line(
        std::max(settings_line_, 1),
        fmt::format("DataRate is {}, but by their times there are {:.6g} frames per second, which "
                    "is believed",
                    setting("DataRate").empty() ? "missing" : setting("DataRate"), by_times));
  }
}

Trial TrcReader::read() {
  trial_.format = "TRC";
  read_header();
  std::string_view line;
  if (!find_first_row(line)) fail("there is no row of numbers behind the labels");
  add_unlabelled(line);
  int not_rows = 0, not_row_line = 0;
  do {
    split_row(line, cells_);
    if (cells_.empty() || (cells_.front().empty() && trimmed(line).empty())) continue;
    if (cell_value(cells_.front()).is_number) {
      read_row(line);
    } else if (not_rows++ == 0) {
      not_row_line = lines_.number();
    }
  } while (lines_.next(line));
  trial_.num_frames = times_.size();
  if (not_rows > 0)
    log_.at_line(not_row_line,
                 fmt::format("{} lines do not begin with a frame number; left out", not_rows));
  if (short_rows_ > 0)
    log_.at_line(short_line_,
                 fmt::format("{} rows are too short; what they lack is missing", short_rows_));
  if (zeros_ > 0)
    log_.at_line(zeros_line_,
                 fmt::format("{} positions are exactly 0 0 0; taken as missing", zeros_));
  const double said = number("NumFrames");
  if (!std::isnan(said) && said != static_cast<double>(trial_.num_frames)) {
    log_.at_line(settings_line_,
                 fmt::format("NumFrames is {:g}, but there are {}", said, trial_.num_frames));
  }
  find_times();
  find_units(trial_, setting("Units"), -1, std::max(settings_line_, 1), log_);
  find_up(trial_, "", -1, log_);
  trial_.warnings = log_.take();
  return std::move(trial_);
}

}  // namespace

Trial read_trc(const std::filesystem::path& file) {
  const FileBytes bytes(file);
  return read_trc_text(bytes.text(), file.string());
}

Trial read_trc_text(std::string_view text, const std::string& file_name) {
  return TrcReader(text, file_name).read();
}

std::string trc_text(const Trial& trial) {
  const PointSet& markers = trial.markers;
  std::string out = fmt::format("PathFileType\t4\t(X/Y/Z)\t{}\n",
                                std::filesystem::path(trial.file).filename().string());
  out +=
      "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNu"
      "mFrames\n";
  const std::string rate = number_text(trial.rate);
  out += fmt::format("{0}\t{0}\t{1}\t{2}\t{3}\t{0}\t{4}\t{1}\n", rate, trial.num_frames,
                     markers.size(), trial.length_unit, trial.first_frame);
  out += "Frame#\tTime";
  for (const auto& point : markers.points) out += "\t" + point.name + "\t\t";
  out += "\n\t";
  for (std::size_t i = 1; i <= markers.size(); ++i) out += fmt::format("\tX{0}\tY{0}\tZ{0}", i);
  out += "\n\n";
  for (std::size_t f = 0; f < trial.num_frames; ++f) {
    out += fmt::format("{}\t{}", trial.first_frame + static_cast<std::int64_t>(f),
                       number_text(trial.time(f)));
    for (std::size_t m = 0; m < markers.size(); ++m) {
      if (markers.is_missing(f, m)) {
        out += "\t\t\t";
        continue;
      }
      for (std::size_t k = 0; k < 3; ++k) out += "\t" + number_text(markers.at(f, m)[k]);
    }
    out += '\n';
  }
  return out;
}

void write_trc(const Trial& trial, const std::filesystem::path& file) {
  write_text_file(file, trc_text(trial));
}

}  // namespace parfait::io
