#include "parfait/io/problem/parameter_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/io/text/number.h"
#include "parfait/io/text/table_scanner.h"

namespace parfait::io {
namespace {

using estimate::Estimate;

/// A row whose cells are known by the names of their columns.
struct NamedRow {
  const std::vector<std::string>& header;
  const std::vector<Cell>& cells;

  const Cell* find(const char* name) const {
    const auto found = std::find(header.begin(), header.end(), name);
    return found == header.end() ? nullptr
                                 : &cells[static_cast<std::size_t>(found - header.begin())];
  }
  /// Empty if there is no such column.
  std::string text(const char* name) const {
    const Cell* cell = find(name);
    return cell ? cell->text : "";
  }
  /// NaN if the column or the cell is not there.
  double number(const char* name, bool non_finite = false) const {
    const Cell* cell = find(name);
    return cell ? cell_number(*cell, name, non_finite) : std::nan("");
  }
  [[noreturn]] void fail(const char* name, const std::string& message) const {
    const Cell* cell = find(name);
    throw base::InputError(cell ? cell->place : cells.front().place,
                           fmt::format("column \"{}\": {}", name, message));
  }
};

bool is_estimated(const NamedRow& row) {
  const std::string text = row.text("estimate");
  if (text.empty() || text == "1" || text == "true") return true;
  if (text == "0" || text == "false") return false;
  row.fail("estimate", fmt::format("\"{}\" must be 1 or 0.", text));
}

Estimate::Transform read_scale(const NamedRow& row) {
  const std::string text = row.text("parameterScale");
  if (text.empty() || text == "lin") return Estimate::Transform::kNone;
  if (text == "log" || text == "log10") return Estimate::Transform::kLog;
  row.fail("parameterScale", fmt::format("\"{}\" must be lin, log or log10.", text));
}

std::optional<estimate::Prior> read_prior(const NamedRow& row) {
  const std::string type = row.text("objectivePriorType");
  if (type.empty()) return std::nullopt;
  if (type != "normal") {
    row.fail("objectivePriorType", fmt::format("\"{}\" cannot be used; only normal can.", type));
  }
  const std::string text = row.text("objectivePriorParameters");
  const auto cut = text.find(';');
  const auto mean = parse_number(trimmed(text.substr(0, cut)));
  const auto sd =
      cut == std::string::npos ? ParsedNumber{} : parse_number(trimmed(text.substr(cut + 1)));
  if (mean.kind != NumberKind::kNumber || sd.kind != NumberKind::kNumber) {
    row.fail("objectivePriorParameters",
             fmt::format("\"{}\" must be the mean and the standard deviation, \"mean;sd\".", text));
  }
  return estimate::Prior{mean.value, sd.value};
}

}  // namespace

ParameterTable read_parameter_table(std::string_view text, const std::string& file_name) {
  TableScanner scanner(text, file_name);
  const auto header = read_header(scanner, file_name);
  for (const char* name : {"parameterId", "nominalValue"}) {
    if (std::find(header.begin(), header.end(), name) != header.end()) continue;
    throw base::InputError(
        {file_name, 1, 1},
        fmt::format("a table of parameters needs the column \"{}\".{} Columns: "
                    "{}.",
                    name, base::suggestion(name, header), base::listing(header)));
  }
  ParameterTable table;
  std::vector<Cell> cells;
  while (scanner.next_row(cells)) {
    check_width(cells, header.size());
    const NamedRow row{header, cells};
    const std::string id = row.text("parameterId");
    const base::Place place = cells.front().place;
    if (id.empty()) row.fail("parameterId", "is empty.");
    const double nominal = row.number("nominalValue");
    if (std::isnan(nominal)) {
      row.fail("nominalValue", fmt::format("parameter \"{}\" needs a value to start from.", id));
    }
    if (!is_estimated(row)) {
      table.sets.push_back({id, nominal, place});
      continue;
    }
    Estimate& estimate = table.estimates.emplace_back();
    estimate.parameter = id;
    estimate.initial = nominal;
    const double lower = row.number("lowerBound", true), upper = row.number("upperBound", true);
    if (!std::isnan(lower)) estimate.lower = lower;
    if (!std::isnan(upper)) estimate.upper = upper;
    estimate.transform = read_scale(row);
    estimate.prior = read_prior(row);
    estimate.place = place;
  }
  return table;
}

}  // namespace parfait::io
