#include "parfait/io/text/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/base/stop.h"
#include "parfait/io/text/number.h"
#include "parfait/io/text/table_scanner.h"
#include "parfait/io/text/text_file.h"

namespace parfait::io {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

/// What a reader would take for something else: also signs that separate in other people's files.
std::string quoted_if_needed(const std::string& text) {
  const bool plain =
      trimmed(text).size() == text.size() && text.find_first_of(",;\"#\t\n\r") == std::string::npos;
  return plain ? text : quoted(text);
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
  TableScanner scanner(text, file_name, options.first_line);
  CsvTable table;
  table.file = file_name;
  table.header = read_header(scanner, file_name);
  table.columns.resize(table.header.size());
  std::vector<Cell> row;
  while (scanner.next_row(row)) {
    check_width(row, table.header.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      table.columns[i].push_back(cell_number(row[i], table.header[i], options.non_finite));
    }
    table.lines.push_back(row.front().place.line);
  }
  return table;
}

std::string csv_text(const result::Table& table) {
  std::string out;
  for (std::size_t i = 0; i < table.header.size(); ++i) {
    const std::string& name = table.header[i];
    out += (i ? "," : "") + (name.empty() ? quoted(name) : quoted_if_needed(name));
  }
  out += '\n';
  for (std::size_t r = 0; r < static_cast<std::size_t>(table.num_rows()); ++r) {
    base::leave_if_stopped();
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

std::string csv_text(const CsvTable& table) {
  return csv_text(result::Table{.header = table.header, .columns = table.columns});
}

result::Table read_table_text(std::string_view text, const std::string& file_name) {
  auto read = read_csv_text(text, file_name, {.non_finite = true});
  return {.header = std::move(read.header), .columns = std::move(read.columns)};
}

std::string csv_text(const std::vector<std::vector<std::string>>& rows) {
  std::string out;
  for (const auto& row : rows) {
    base::leave_if_stopped();
    for (std::size_t i = 0; i < row.size(); ++i) out += (i ? "," : "") + quoted_if_needed(row[i]);
    out += '\n';
  }
  return out;
}

void write_csv(const CsvTable& table, const std::filesystem::path& file) {
  write_text_file(file, csv_text(table));
}

}  // namespace parfait::io
