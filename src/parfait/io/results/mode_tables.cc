#include "parfait/io/results/mode_tables.h"

#include <fmt/format.h>

#include <cmath>

#include "parfait/io/text/csv.h"
#include "parfait/io/text/table_scanner.h"

namespace parfait::io {

namespace mode_tables {

std::string modes_csv(const result::Modes& modes) {
  result::Table table;
  table.header = {"mode",    "re",           "im", "frequency_hz", "damped_frequency_hz",
                  "damping", "time_constant"};
  table.columns.resize(table.header.size());
  for (const auto& m : modes.modes) {
    // Without decay there is no time constant: an empty cell.
    const double time = std::isfinite(m.time_constant) ? m.time_constant : NAN;
    const double row[] = {static_cast<double>(m.number), m.re,      m.im, m.frequency_hz,
                          m.damped_frequency_hz,         m.damping, time};
    for (std::size_t c = 0; c < table.columns.size(); ++c) table.columns[c].push_back(row[c]);
  }
  return csv_text(table);
}

std::string shapes_csv(const result::ModeShapes& shapes) {
  std::string text = "quantity";
  for (int j = 1; j <= shapes.re.cols; ++j) text += fmt::format(",mode{}_re,mode{}_im", j, j);
  text += '\n';
  for (int i = 0; i < shapes.re.rows; ++i) {
    text += shapes.quantities[static_cast<std::size_t>(i)];
    for (int j = 0; j < shapes.re.cols; ++j) {
      text += fmt::format(",{},{}", shapes.re(i, j), shapes.im(i, j));
    }
    text += '\n';
  }
  return text;
}

}  // namespace mode_tables

std::vector<std::pair<std::string, std::string>> mode_table_files(
    const result::Modes& modes, const result::ModeShapes& shapes) {
  return {{"modes.csv", mode_tables::modes_csv(modes)},
          {"shapes.csv", mode_tables::shapes_csv(shapes)},
          {"equilibrium.csv", csv_text(shapes.point)}};
}

result::ModeShapes read_mode_shapes(std::string_view shapes, std::string_view equilibrium) {
  result::ModeShapes out;
  out.point = read_table_text(equilibrium, "equilibrium.csv");
  TableScanner scanner(shapes, "shapes.csv");
  const auto header = read_header(scanner, "shapes.csv");
  const int num_modes = static_cast<int>(header.size()) / 2;
  std::vector<Cell> row;
  while (scanner.next_row(row)) {
    check_width(row, header.size());
    out.quantities.push_back(row.front().text);
    for (std::size_t j = 1; j < header.size(); ++j) {
      auto& values = j % 2 == 1 ? out.re.values : out.im.values;
      values.push_back(cell_number(row[j], header[j], /*non_finite=*/true));
    }
  }
  out.re.rows = out.im.rows = static_cast<int>(out.quantities.size());
  out.re.cols = out.im.cols = num_modes;
  return out;
}

}  // namespace parfait::io
