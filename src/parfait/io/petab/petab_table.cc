#include "parfait/io/petab/petab_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/base/stop.h"
#include "parfait/io/text/number.h"
#include "parfait/io/text/text_file.h"

namespace parfait::io {

namespace petab_table {
namespace {

std::vector<std::string> split(std::string_view line, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const auto end = line.find(separator);
    parts.emplace_back(trimmed(line.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    line.remove_prefix(end + 1);
  }
}

}  // namespace
}  // namespace petab_table

PetabTable::PetabTable(const std::filesystem::path& file) : file_(file.string()) {
  const std::string text = read_text_file(file);
  std::string_view rest = text;
  for (int line = 1; !rest.empty(); ++line) {
    base::leave_if_stopped();
    const auto end = rest.find('\n');
    const std::string_view row = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (trimmed(row).empty()) continue;
    auto cells = petab_table::split(row, '\t');
    if (header_.empty()) {
      header_ = std::move(cells);
      continue;
    }
    if (cells.size() > header_.size()) {
      throw base::InputError(
          {.file = file_, .line = line},
          fmt::format("{} cells in a table of {} columns.", cells.size(), header_.size()));
    }
    cells.resize(header_.size());
    rows_.push_back(std::move(cells));
    lines_.push_back(line);
  }
}

base::Place PetabTable::place(int row) const {
  return {.file = file_, .line = lines_[static_cast<std::size_t>(row)]};
}

void PetabTable::fail(int row, const std::string& message) const {
  throw base::InputError(place(row), message);
}

int PetabTable::find(const std::string& column) const {
  const auto at = std::ranges::find(header_, column);
  return at == header_.end() ? -1 : static_cast<int>(at - header_.begin());
}

std::string PetabTable::text(int row, const std::string& column) const {
  const int i = find(column);
  return i < 0 ? "" : rows_[static_cast<std::size_t>(row)][static_cast<std::size_t>(i)];
}

std::string PetabTable::required(int row, const std::string& column) const {
  std::string cell = text(row, column);
  if (cell.empty()) fail(row, fmt::format("\"{}\" is missing.", column));
  return cell;
}

double PetabTable::number(int row, const std::string& column) const {
  const std::string cell = required(row, column);
  const ParsedNumber parsed = parse_number(cell);
  if (parsed.kind != NumberKind::kNumber) {
    fail(row, fmt::format("{} = \"{}\": must be a number.", column, cell));
  }
  return parsed.value;
}

std::vector<std::string> PetabTable::list(int row, const std::string& column) const {
  const std::string cell = text(row, column);
  return cell.empty() ? std::vector<std::string>{} : petab_table::split(cell, ';');
}

}  // namespace parfait::io
