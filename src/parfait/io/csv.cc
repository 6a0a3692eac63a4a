#include "parfait/io/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "parfait/io/number.h"
#include "parfait/io/text_file.h"

namespace parfait::io {
namespace {

struct Cell {
  std::string text;
  base::Place place;
};

/// Cuts the text into rows of cells. A quoted cell may hold commas and line ends.
class CsvScanner {
 public:
  CsvScanner(std::string_view text, const std::string& file) : text_(text), place_{file, 1, 1} {}

  /// The next row that is neither empty nor a comment; false at the end of the text.
  bool next_row(std::vector<Cell>& row) {
    while (at_ < text_.size()) {
      row.clear();
      const std::string_view line = rest_of_line();
      if (trimmed(line).empty() || trimmed(line).front() == '#') {
        skip(line.size());
        end_line();
        continue;
      }
      row.push_back(next_cell());
      while (at_ < text_.size() && text_[at_] == ',') {
        skip(1);
        row.push_back(next_cell());
      }
      end_line();
      return true;
    }
    return false;
  }

 private:
  std::string_view rest_of_line() const { return text_.substr(at_, text_.find('\n', at_) - at_); }

  void skip(std::size_t count) {
    for (const std::size_t stop = at_ + count; at_ < stop; ++at_) {
      const auto byte = static_cast<unsigned char>(text_[at_]);
      if (byte == '\n') {
        ++place_.line;
        place_.column = 1;
      } else if ((byte & 0xC0U) != 0x80U) {  // not the continuation of a UTF-8 character
        ++place_.column;
      }
    }
  }

  void end_line() {
    if (at_ < text_.size() && text_[at_] == '\n') skip(1);
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r')) {
      skip(1);
    }
  }

  Cell next_cell() {
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == '"') return quoted_cell();
    const std::string_view line = rest_of_line();
    const std::string_view cell = line.substr(0, line.find(','));
    Cell out{std::string(trimmed(cell)), place_};
    skip(cell.size());
    return out;
  }

  Cell quoted_cell() {
    Cell cell{"", place_};
    skip(1);
    for (;;) {
      const auto quote = text_.find('"', at_);
      if (quote == std::string_view::npos) {
        throw base::InputError(cell.place, "this quoted cell has no closing quote.");
      }
      cell.text += text_.substr(at_, quote - at_);
      skip(quote - at_ + 1);
      if (at_ >= text_.size() || text_[at_] != '"') break;
      cell.text += '"';
      skip(1);
    }
    skip_blanks();
    if (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '\n') {
      throw base::InputError(place_, "a comma or the end of the line must follow a quoted cell.");
    }
    return cell;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  base::Place place_;
};

double cell_number(const Cell& cell, const std::string& column, const CsvOptions& options) {
  if (cell.text.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto parsed = parse_number(cell.text);
  const bool accepted = parsed.kind == NumberKind::kNumber ||
                        (parsed.kind == NumberKind::kNotFinite && options.non_finite);
  if (accepted) return parsed.value;
  const char* why = parsed.kind == NumberKind::kNotFinite
                        ? "is not finite; leave a cell empty if it was not measured"
                    : parsed.kind == NumberKind::kOutOfRange
                        ? "is too large or too small for a double"
                        : "is not a number";
  throw base::InputError(cell.place,
                         fmt::format("column \"{}\": \"{}\" {}.", column, cell.text, why));
}

std::vector<std::string> read_header(const std::vector<Cell>& row) {
  std::vector<std::string> header;
  for (const auto& cell : row) {
    if (cell.text.empty()) {
      throw base::InputError(
          cell.place, fmt::format("column {} has no name in the header.", header.size() + 1));
    }
    if (std::find(header.begin(), header.end(), cell.text) != header.end()) {
      throw base::InputError(cell.place,
                             fmt::format("two columns have the name \"{}\".", cell.text));
    }
    header.push_back(cell.text);
  }
  const bool numbers = std::all_of(header.begin(), header.end(), [](const std::string& name) {
    return parse_number(name).kind != NumberKind::kNoNumber;
  });
  if (numbers) {
    throw base::InputError(row.front().place,
                           "the first row holds numbers; it must be a header with the names of the "
                           "columns, for example t,x,y.");
  }
  return header;
}

std::string quoted_if_needed(const std::string& name) {
  const bool plain = trimmed(name).size() == name.size() && !name.empty() && name.front() != '#' &&
                     name.find_first_of(",\"\n\r") == std::string::npos;
  if (plain) return name;
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

}  // namespace

int CsvTable::find_column(std::string_view name) const {
  const auto it = std::find(header.begin(), header.end(), name);
  return it == header.end() ? -1 : static_cast<int>(it - header.begin());
}

const std::vector<double>& CsvTable::column(std::string_view name,
                                            const base::Place& asked_at) const {
  const int index = find_column(name);
  if (index < 0) {
    throw base::InputError(asked_at,
                           fmt::format("\"{}\" has no column \"{}\".{} Columns: {}.", file, name,
                                       base::suggestion(name, header), base::listing(header)));
  }
  return columns[static_cast<std::size_t>(index)];
}

CsvTable read_csv(const std::filesystem::path& file, const CsvOptions& options) {
  return read_csv_text(read_text_file(file), file.string(), options);
}

CsvTable read_csv_text(std::string_view text, const std::string& file_name,
                       const CsvOptions& options) {
  CsvScanner scanner(text, file_name);
  std::vector<Cell> row;
  if (!scanner.next_row(row)) {
    throw base::InputError({file_name, 1, 1},
                           "the file is empty; it must begin with a header row.");
  }
  CsvTable table;
  table.file = file_name;
  table.header = read_header(row);
  table.columns.resize(table.header.size());
  while (scanner.next_row(row)) {
    if (row.size() != table.header.size()) {
      throw base::InputError(row.front().place,
                             fmt::format("this row has {} cells, the header has {}.", row.size(),
                                         table.header.size()));
    }
    for (std::size_t i = 0; i < row.size(); ++i) {
      table.columns[i].push_back(cell_number(row[i], table.header[i], options));
    }
    table.lines.push_back(row.front().place.line);
  }
  return table;
}

std::string csv_text(const CsvTable& table) {
  std::string out;
  for (std::size_t i = 0; i < table.header.size(); ++i) {
    out += (i ? "," : "") + quoted_if_needed(table.header[i]);
  }
  out += '\n';
  for (std::size_t r = 0; r < static_cast<std::size_t>(table.num_rows()); ++r) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const double x = table.columns[i][r];
      if (i) out += ',';
      if (!std::isnan(x)) {
        out += number_text(x);
      } else if (table.columns.size() == 1) {
        out += "\"\"";  // an empty line would not be a row
      }
    }
    out += '\n';
  }
  return out;
}

void write_csv(const CsvTable& table, const std::filesystem::path& file) {
  write_text_file(file, csv_text(table));
}

}  // namespace parfait::io
