#include "parfait/io/motion_files/motion_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/base/error.h"
#include "parfait/base/stop.h"
#include "parfait/io/motion_files/file_bytes.h"
#include "parfait/io/motion_files/text_lines.h"
#include "parfait/io/motion_files/trial.h"
#include "parfait/io/text/number.h"
#include "parfait/io/text/text_file.h"

namespace parfait::io {
namespace {

constexpr int kMostStorageHeader = 200;

/// Reads the settings, names and rows of a MOT or STO file.
class StorageReader {
 public:
  StorageReader(std::string_view text, const std::string& file_name)
      : lines_(text), most_numbers_(text.size() + 100000) {
    table_.file = file_name;
  }

  MotionTable read();

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw base::InputError({table_.file, 0, 0}, "no row can be decoded: " + why + ".");
  }
  void read_header();
  bool take_setting(std::string_view line);
  void take_columns(std::string_view line);
  void read_row(std::string_view line);

  LineReader lines_;
  std::size_t
      most_numbers_;  ///< a number takes a tab at least; rows may be too short, but not all of them
  WarningLog log_;
  MotionTable table_;
  double said_rows_ = -1, said_columns_ = -1;
  int rows_line_ = 0, columns_line_ = 0;
  bool has_end_ = false;
  std::size_t width_ = 1;  ///< numbers per cell: 3 for vectors
  std::size_t skipped_ = 0;
  int skipped_line_ = 0;
  std::vector<std::string_view> cells_, parts_;
};

std::string_view value_behind(std::string_view line, std::string_view key) {
  if (!begins_with_word(line, key) || line.size() == key.size()) return {};
  const char next = line[key.size()];
  if (next != '=' && next != ' ' && next != '\t') return {};
  return trimmed(line.substr(key.size() + 1));
}

/// Settings of OpenSim (key=value) and of SIMM (key value).
bool StorageReader::take_setting(std::string_view line) {
  const auto number_behind = [&](std::string_view key, double& to, int& at) {
    const auto text = value_behind(line, key);
    if (text.empty() || std::isnan(cell_value(text).value)) return false;
    to = cell_value(text).value;
    at = lines_.number();
    return true;
  };
  if (number_behind("nRows", said_rows_, rows_line_) ||
      number_behind("datarows", said_rows_, rows_line_))
    return true;
  if (number_behind("nColumns", said_columns_, columns_line_) ||
      number_behind("datacolumns", said_columns_, columns_line_))
    return true;
  double version = 0;
  int ignored = 0;
  if (number_behind("version", version, ignored)) {
    table_.version = static_cast<int>(std::clamp(version, 0.0, 1000.0));
    return true;
  }
  if (const auto text = value_behind(line, "inDegrees"); !text.empty()) {
    table_.angles_stated = true;
    table_.angles = same_word(text, "no") || same_word(text, "false") || text == "0"
                        ? AngleUnit::kRadians
                        : AngleUnit::kDegrees;
    if (!same_word(text, "yes") && !same_word(text, "no")) {
      log_.at_line(lines_.number(),
                   fmt::format("inDegrees is \"{}\" instead of yes or no; taken as {}",
                               clean_text(text.substr(0, 30)),
                               table_.angles == AngleUnit::kDegrees ? "yes" : "no"));
    }
    return true;
  }
  if (const auto text = value_behind(line, "DataType"); !text.empty()) {
    width_ = begins_with_word(text, "Vec3")         ? 3
             : begins_with_word(text, "Quaternion") ? 4
             : begins_with_word(text, "SpatialVec") ? 6
                                                    : 1;
    return true;
  }
  return begins_with_word(line, "range ");
}

void StorageReader::read_header() {
  std::string_view line;
  while (lines_.number() < kMostStorageHeader && lines_.next(line)) {
    const std::string cleaned = clean_text(line);
    const std::string_view text = cleaned;
    if (lines_.number() == 1 && text.find('=') == std::string_view::npos &&
        !begins_with_word(text, "time")) {
      table_.name = clean_text(begins_with_word(text, "name ") ? text.substr(5) : text);
      continue;
    }
    if (text.empty()) continue;
    if (same_word(text, "endheader")) {
      has_end_ = true;
      continue;
    }
    split_row(line, cells_);
    if (!cells_.empty() && (same_word(cells_.front(), "time") || same_word(cells_.front(), "t"))) {
      if (!has_end_)
        log_.at_line(
            lines_.number(),
            "the header has no line \"endheader\"; it ends before the names of the columns");
      return take_columns(line);
    }
    if (has_end_) {
      log_.at_line(lines_.number(),
                   "the first column is not called \"time\"; it is taken as the time");
      return take_columns(line);
    }
    if (take_setting(text)) continue;
    split_words(text, cells_);
    if (same_word(cells_.front(), "time") || same_word(cells_.front(), "t")) {
      log_.at_line(lines_.number(), "a line of the header looks like names of columns; left out");
    } else {
      table_.comments.push_back(cleaned);
    }
  }
  fail("no line names a column \"time\"");
}

void StorageReader::take_columns(std::string_view line) {
  split_row(line, cells_);
  while (!cells_.empty() && cells_.back().empty()) cells_.pop_back();
  std::vector<std::string> names;
  for (std::size_t i = 1; i < cells_.size(); ++i) {
    const std::string name = clean_text(cells_[i]);
    for (std::size_t k = 1; k <= width_; ++k)
      names.push_back(width_ == 1 ? name : fmt::format("{}_{}", name, k));
  }
  if (make_unique(names, "column") > 0)
    log_.at_line(lines_.number(),
                 "names of columns are there twice or empty, and were given other names");
  if (said_columns_ >= 0 && said_columns_ != static_cast<double>(cells_.size())) {
    log_.at_line(columns_line_, fmt::format("the header says {:g} columns, but {} are named",
                                            said_columns_, cells_.size()));
  }
  table_.columns = std::move(names);
  table_.values.resize(table_.columns.size());
}

void StorageReader::read_row(std::string_view line) {
  split_row(line, cells_);
  while (!cells_.empty() && cells_.back().empty()) cells_.pop_back();
  if (cells_.empty()) return;
  const double time = cell_value(cells_.front()).value;
  if (std::isnan(time)) {
    if (skipped_++ == 0) skipped_line_ = lines_.number();
    return;
  }
  table_.time.push_back(time);
  if (!table_.columns.empty() && table_.num_rows() > most_numbers_ / table_.columns.size())
    fail("the rows are too short for the columns that are named");
  const std::size_t cells = table_.columns.size() / width_;
  if (cells_.size() != cells + 1) {
    log_.once_at_line(
        "width", lines_.number(),
        fmt::format("the row has {} cells instead of {}; what is missing is taken as empty",
                    cells_.size(), cells + 1));
  }
  for (std::size_t i = 0; i < cells; ++i) {
    const std::string_view cell = i + 1 < cells_.size() ? cells_[i + 1] : std::string_view();
    if (width_ == 1) {
      parts_.assign(1, cell);
    } else {
      split_cells(cell, cell.find('|') != std::string_view::npos ? '|' : ',', parts_);
    }
    for (std::size_t k = 0; k < width_; ++k) {
      const auto value = cell_value(k < parts_.size() ? parts_[k] : std::string_view());
      if (!value.is_number) {
        log_.once_at_line("cell", lines_.number(),
                          fmt::format("\"{}\" is not a number; such cells are taken as empty",
                                      clean_text(cell.substr(0, 30))));
      }
      table_.values[i * width_ + k].push_back(value.value);
    }
  }
}

MotionTable StorageReader::read() {
  read_header();
  if (!table_.angles_stated)
    table_.angles = table_.version <= 1 ? AngleUnit::kDegrees : AngleUnit::kRadians;
  std::string_view line;
  while (lines_.next(line)) read_row(line);
  if (table_.time.empty()) fail("no row of numbers follows the names of the columns");
  if (skipped_ > 0)
    log_.at_line(skipped_line_,
                 fmt::format("{} lines do not begin with a time; left out", skipped_));
  if (said_rows_ >= 0 && said_rows_ != static_cast<double>(table_.num_rows())) {
    log_.at_line(rows_line_, fmt::format("the header says {:g} rows, but there are {}", said_rows_,
                                         table_.num_rows()));
  }
  if (!std::is_sorted(table_.time.begin(), table_.time.end()))
    log_.at_line(lines_.number(), "the times do not increase");
  table_.warnings = log_.take();
  return std::move(table_);
}

}  // namespace

int MotionTable::find(std::string_view column) const {
  const auto it = std::find(columns.begin(), columns.end(), column);
  return it == columns.end() ? -1 : static_cast<int>(it - columns.begin());
}

MotionTable read_storage(const std::filesystem::path& file) {
  const FileBytes bytes(file);
  return read_storage_text(bytes.text(), file.string());
}

MotionTable read_storage_text(std::string_view text, const std::string& file_name) {
  MotionTable table = StorageReader(text, file_name).read();
  const std::string extension = std::filesystem::path(file_name).extension().string();
  table.format = same_word(extension, ".sto") ? "STO" : "MOT";
  return table;
}

std::string storage_text(const MotionTable& table) {
  std::string out = (table.name.empty() ? "motion" : table.name) + "\n";
  if (table.version > 0) out += fmt::format("version={}\n", table.version);
  out += fmt::format("nRows={}\nnColumns={}\n", table.num_rows(), table.columns.size() + 1);
  if (table.angles_stated)
    out += fmt::format("inDegrees={}\n", table.angles == AngleUnit::kDegrees ? "yes" : "no");
  for (const auto& comment : table.comments) out += comment + "\n";
  out += "endheader\ntime";
  for (const auto& column : table.columns) out += "\t" + column;
  out += '\n';
  for (std::size_t r = 0; r < table.num_rows(); ++r) {
    base::leave_if_stopped();
    out += number_text(table.time[r]);
    for (const auto& column : table.values)
      out += "\t" + (std::isnan(column[r]) ? std::string("nan") : number_text(column[r]));
    out += '\n';
  }
  return out;
}

void write_storage(const MotionTable& table, const std::filesystem::path& file) {
  write_text_file(file, storage_text(table));
}

}  // namespace parfait::io
