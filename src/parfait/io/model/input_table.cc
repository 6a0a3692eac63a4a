#include "parfait/io/model/input_table.h"

#include <fmt/format.h>

#include <cmath>

#include "parfait/io/text/csv.h"
#include "parfait/io/text/text_file.h"

namespace parfait::io {

InputTable read_input_table(const std::filesystem::path& folder, const Text& file,
                            const std::optional<Text>& column) {
  const auto path = (folder / file.text).lexically_normal();
  const CsvTable csv = read_csv_text(read_text_file(path, file.place), path.string());
  const base::Place& asked_at = column ? column->place : file.place;
  if (csv.columns.size() < 2) {
    throw base::InputError(asked_at, fmt::format("\"{}\" has one column; an input table needs the "
                                                 "time and a value.",
                                                 csv.file));
  }
  InputTable table;
  const auto& value = column ? csv.column(column->text, asked_at) : csv.columns[1];
  for (std::size_t i = 0; i < value.size(); ++i) {
    const double t = csv.columns[0][i];
    const base::Place row{csv.file, csv.lines[i], 1};
    if (std::isnan(t)) throw base::InputError(row, "this row has no time.");
    if (std::isnan(value[i])) continue;
    if (!table.t.empty() && t <= table.t.back()) {
      throw base::InputError(
          row, fmt::format("time {} follows {}; times must ascend.", t, table.t.back()));
    }
    table.t.push_back(t);
    table.value.push_back(value[i]);
  }
  if (table.t.empty()) {
    throw base::InputError(asked_at, fmt::format("\"{}\" holds no value.", csv.file));
  }
  return table;
}

}  // namespace parfait::io
