#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/base/error.h"
#include "parfait/io/motion_files/file_bytes.h"
#include "parfait/io/motion_files/motion_table.h"
#include "parfait/io/motion_files/text_lines.h"
#include "parfait/io/motion_files/trial.h"
#include "parfait/io/text/number.h"
#include "parfait/io/text/text_file.h"

namespace parfait::io {
namespace {

std::string_view without_comment(std::string_view line) {
  return trimmed(line.substr(0, line.find('#')));
}

/// Rows of numbers separated by commas or blanks, time first. The first row decides how many there
/// are if `table` has no columns yet.
class NumberRows {
 public:
  NumberRows(MotionTable& table, WarningLog& log) : table_(table), log_(log) {}

  /// Columns to leave out, by their place behind the time.
  std::vector<bool> empty_columns;

  void read(std::string_view line, int number) {
    split_words(line, words_, true);
    if (words_.empty()) return;
    const double time = cell_value(words_.front()).value;
    if (std::isnan(time)) {
      log_.once_at_line(
          "no row", number,
          fmt::format("\"{}\" is not a time; lines that do not begin with one are left out",
                      clean_text(words_.front().substr(0, 30))));
      return;
    }
    if (table_.num_rows() == 0 && table_.columns.empty() && empty_columns.empty()) {
      for (std::size_t i = 1; i < words_.size(); ++i)
        table_.columns.push_back(fmt::format("q{}", i));
      table_.values.resize(table_.columns.size());
      empty_columns.assign(table_.columns.size(), false);
    }
    if (words_.size() != empty_columns.size() + 1) {
      log_.once_at_line("width", number,
                        fmt::format("the row has {} numbers instead of {}", words_.size(),
                                    empty_columns.size() + 1));
    }
    table_.time.push_back(time);
    numbers_ += words_.size();
    if (table_.columns.size() * table_.num_rows() > 2 * numbers_ + 100000) {
      throw base::InputError({table_.file, number, 0},
                             "the rows are too short for the columns that are named.");
    }
    std::size_t to = 0;
    for (std::size_t i = 0; i < empty_columns.size(); ++i) {
      if (empty_columns[i]) continue;
      const auto value = cell_value(i + 1 < words_.size() ? words_[i + 1] : std::string_view());
      if (!value.is_number)
        log_.once_at_line("cell", number,
                          fmt::format("\"{}\" is not a number; such cells are taken as empty",
                                      clean_text(words_[i + 1].substr(0, 30))));
      table_.values[to++].push_back(value.value);
    }
  }

 private:
  MotionTable& table_;
  WarningLog& log_;
  std::vector<std::string_view> words_;
  std::size_t numbers_ = 0;
};

[[noreturn]] void fail_meshup(const std::string& file, const std::string& why) {
  throw base::InputError({file, 0, 0}, "no row can be decoded: " + why + ".");
}

/// `folder`: where DATA_FROM is looked up; empty if there is none.
MotionTable meshup_table(std::string_view text, const std::string& file_name,
                         const std::filesystem::path& folder) {
  MotionTable table;
  table.file = file_name;
  table.format = "MeshUp CSV";
  WarningLog log;
  NumberRows rows(table, log);
  LineReader lines(text);
  std::string_view line;
  std::vector<std::string_view> words;
  std::vector<std::string> names;
  bool in_columns = false, in_data = false, has_columns = false, timed = false;
  const auto end_columns = [&] {
    in_columns = false;
    in_data = true;
    if (has_columns && !timed)
      log.at_line(lines.number(),
                  "the first column is not called Time; the first number of a row is taken as time "
                  "nevertheless");
    std::vector<std::string> kept;
    for (const auto& name : names) {
      const bool empty = same_word(name, "empty");
      rows.empty_columns.push_back(empty);
      MeshupColumn column;
      if (!empty && !parse_meshup_column(name, column)) {
        log.once_at_line("column", lines.number(),
                         fmt::format("column \"{}\" is not FRAME:R|T|S:axis; its values are read, "
                                     "what they move is not known",
                                     name));
      }
      if (!empty) kept.push_back(name);
    }
    if (make_unique(kept, "column") > 0)
      log.at_line(lines.number(), "columns are there twice, and were given other names");
    table.columns = kept;
    table.values.resize(kept.size());
  };
  while (lines.next(line)) {
    line = without_comment(line);
    if (line.empty()) continue;
    if (in_data && (line.starts_with("COLUMNS:") || line.starts_with("DATA"))) {
      log.once_at_line("again", lines.number(),
                       "COLUMNS or DATA are there again; such lines are left out");
      continue;
    }
    if (line.starts_with("COLUMNS:")) {
      has_columns = in_columns = true;
      line = trimmed(line.substr(8));
    }
    if (line.starts_with("DATA:")) {
      end_columns();
      line = trimmed(line.substr(5));
    } else if (line.starts_with("DATA_FROM:")) {
      end_columns();
      const std::string name(trimmed(line.substr(10)));
      if (folder.empty())
        fail_meshup(file_name,
                    fmt::format("its rows are in another file, \"{}\"", clean_text(name)));
      const std::filesystem::path other = folder / name;
      if (!std::filesystem::is_regular_file(other)) {
        throw base::InputError(
            {file_name, lines.number(), 1},
            fmt::format("no row can be decoded: DATA_FROM names \"{}\", which is not there.",
                        clean_text(name)));
      }
      const FileBytes bytes(other);
      LineReader other_lines(bytes.text());
      while (other_lines.next(line)) rows.read(without_comment(line), other_lines.number());
      break;
    }
    if (in_columns) {
      split_words(line, words, true);
      for (const auto word : words) {
        if (same_word(word, "time") && names.empty() && !timed) {
          timed = true;
        } else {
          // Words end at blanks: what became one would begin another column in what we write.
          names.push_back(clean_text(word));
          std::ranges::replace(names.back(), ' ', '_');
        }
      }
    } else if (in_data || !has_columns) {
      split_words(line, words, true);
      if (!in_data && !words.empty() && std::isnan(cell_value(words.front()).value)) {
        fail_meshup(file_name,
                    "there is neither COLUMNS: nor a number at the beginning; if this is a table "
                    "with a header, it can be used as data as it is");
      }
      in_data = true;
      rows.read(line, lines.number());
    }
  }
  if (table.time.empty()) {
    fail_meshup(file_name, has_columns ? "there is no number behind DATA:"
                                       : "the file has no line of numbers");
  }
  table.angles_stated = has_columns;
  if (!has_columns) {
    table.angles = AngleUnit::kRadians;  // as RBDL and Puppeteer write coordinates
    log.at_line(1,
                "there are no COLUMNS; the first number of a row is taken as time, the others are "
                "called q1, q2, ...");
  }
  table.warnings = log.take();
  return table;
}

}  // namespace

bool parse_meshup_column(std::string_view name, MeshupColumn& column) {
  std::vector<std::string_view> parts;
  split_cells(name, ':', parts);
  if (parts.size() < 3 || parts.size() > 4) return false;
  column = {};
  column.frame = std::string(parts[0]);
  const std::pair<std::string_view, char> kinds[] = {
      {"r", 'R'}, {"rotation", 'R'}, {"t", 'T'}, {"translation", 'T'}, {"s", 'S'}, {"scale", 'S'}};
  column.kind = 0;
  for (const auto& [word, kind] : kinds) {
    if (same_word(parts[1], word)) column.kind = kind;
  }
  std::string_view axis = parts[2];
  if (axis.starts_with('-')) {
    column.sign = -1;
    axis.remove_prefix(1);
  }
  column.axis = -1;
  for (int k = 0; k < 3; ++k) {
    if (same_word(axis, std::string_view("xyz").substr(static_cast<std::size_t>(k), 1)))
      column.axis = k;
  }
  if (parts.size() == 4) {
    for (const std::string_view word : {"r", "rad", "radian", "radians"}) {
      if (same_word(parts[3], word)) column.unit = AngleUnit::kRadians;
    }
  }
  return column.kind != 0 && column.axis >= 0;
}

MotionTable read_meshup(const std::filesystem::path& file) {
  const FileBytes bytes(file);
  const auto parent = file.parent_path();
  return meshup_table(bytes.text(), file.string(),
                      parent.empty() ? std::filesystem::path(".") : parent);
}

MotionTable read_meshup_text(std::string_view text, const std::string& file_name) {
  return meshup_table(text, file_name, {});
}

std::string meshup_text(const MotionTable& table) {
  std::string out = "COLUMNS:\nTime";
  for (const auto& column : table.columns) {
    if (column.starts_with("COLUMNS:") || column.starts_with("DATA")) {
      throw base::InputError(
          fmt::format("a column of a MeshUp file cannot be called \"{}\".", clean_text(column)));
    }
    out += ",\n" + column;
  }
  out += "\nDATA:\n";
  for (std::size_t r = 0; r < table.num_rows(); ++r) {
    out += number_text(table.time[r]);
    for (const auto& column : table.values) out += ", " + number_text(column[r]);
    out += '\n';
  }
  return out;
}

void write_meshup(const MotionTable& table, const std::filesystem::path& file) {
  write_text_file(file, meshup_text(table));
}

MotionTable read_meshup_forces(const std::filesystem::path& file) {
  const FileBytes bytes(file);
  return read_meshup_forces_text(bytes.text(), file.string());
}

MotionTable read_meshup_forces_text(std::string_view text, const std::string& file_name) {
  MotionTable table;
  table.file = file_name;
  table.format = "MeshUp forces";
  WarningLog log;
  NumberRows rows(table, log);
  LineReader lines(text);
  std::string_view line;
  while (lines.next(line)) rows.read(without_comment(line), lines.number());
  if (table.time.empty()) fail_meshup(file_name, "no line begins with a number");
  if (table.columns.size() % 9 != 0) {
    log.at_line(
        1, fmt::format(
               "{} numbers follow the time, which is not a multiple of nine (point, force, torque)",
               table.columns.size()));
  }
  const char* names[] = {"px", "py", "pz", "fx", "fy", "fz", "tx", "ty", "tz"};
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    table.columns[i] = fmt::format("force{}.{}", i / 9 + 1, names[i % 9]);
  table.warnings = log.take();
  return table;
}

std::string meshup_forces_text(const MotionTable& table) {
  std::string out;
  for (std::size_t r = 0; r < table.num_rows(); ++r) {
    out += number_text(table.time[r]);
    for (const auto& column : table.values) out += ", " + number_text(column[r]);
    out += '\n';
  }
  return out;
}

}  // namespace parfait::io
