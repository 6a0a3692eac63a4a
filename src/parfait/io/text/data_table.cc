#include "parfait/io/text/data_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "parfait/io/text/csv.h"
#include "parfait/io/text/table_scanner.h"

namespace parfait::io {
namespace {

using estimate::Data;

/// One row of a long table.
struct Measurement {
  std::size_t observable = 0;
  double time = 0;
  double value = 0;
  double sigma = std::numeric_limits<double>::quiet_NaN();  ///< none: not given
  int line = 0;
};

class LongTable {
 public:
  LongTable(TableScanner& scanner, std::vector<std::string> header, const std::string& file,
            const std::string& experiment_id)
      : header_(std::move(header)), file_(file) {
    const int condition = find("simulationConditionId");
    std::vector<Cell> row;
    while (scanner.next_row(row)) {
      check_width(row, header_.size());
      refuse(row, "preequilibrationConditionId", "experiments start from their initial state");
      refuse(row, "observableParameters", "write the observable as a formula in <observe>");
      if (condition >= 0) {
        const std::string& id = row[static_cast<std::size_t>(condition)].text;
        conditions_.insert(id);
        if (id != experiment_id) continue;
      }
      read_row(row);
    }
    if (measurements_.empty() && !conditions_.empty()) {
      throw base::InputError(
          {file_},
          fmt::format("no row has the simulationConditionId \"{}\", the id of the "
                      "experiment. Conditions: {}.",
                      experiment_id, base::listing({conditions_.begin(), conditions_.end()})));
    }
    // Same observable, same time: in the order of the file.
    std::stable_sort(measurements_.begin(), measurements_.end(),
                     [](const auto& a, const auto& b) { return a.time < b.time; });
  }

  Data wide() const {
    Data data;
    data.place.file = file_;
    data.time = "time";
    data.header = {"time"};
    data.header.insert(data.header.end(), observables_.begin(), observables_.end());
    // Column of the sigma of each observable that has one.
    std::map<std::size_t, std::size_t> sigma_columns;
    for (std::size_t i = 0; i < observables_.size(); ++i) {
      const bool has_sigma = std::any_of(
          measurements_.begin(), measurements_.end(),
          [&](const Measurement& m) { return m.observable == i && !std::isnan(m.sigma); });
      if (!has_sigma) continue;
      sigma_columns[i] = data.header.size();
      data.header.push_back(observables_[i] + ".sigma");
    }
    data.columns.resize(data.header.size());
    // Rows of the time at hand, and how many of them each observable has filled.
    std::size_t first_row = 0;
    std::vector<std::size_t> filled;
    for (const auto& m : measurements_) {
      auto& times = data.columns[0];
      if (times.empty() || m.time != times.back()) {
        first_row = times.size();
        filled.assign(observables_.size(), 0);
      }
      const std::size_t row = first_row + filled[m.observable]++;
      if (row == times.size()) {
        for (auto& column : data.columns) column.push_back(std::nan(""));
        times.back() = m.time;
        data.lines.push_back(m.line);
      }
      data.columns[m.observable + 1][row] = m.value;
      const auto sigma = sigma_columns.find(m.observable);
      if (sigma != sigma_columns.end()) data.columns[sigma->second][row] = m.sigma;
    }
    return data;
  }

 private:
  int find(const char* name) const {
    const auto found = std::find(header_.begin(), header_.end(), name);
    return found == header_.end() ? -1 : static_cast<int>(found - header_.begin());
  }

  /// Columns that would change what a measurement means.
  void refuse(const std::vector<Cell>& row, const char* name, const char* hint) const {
    const int column = find(name);
    if (column < 0 || row[static_cast<std::size_t>(column)].text.empty()) return;
    throw base::InputError(row[static_cast<std::size_t>(column)].place,
                           fmt::format("column \"{}\": cannot be used; {}.", name, hint));
  }

  double number(const std::vector<Cell>& row, const char* name) const {
    return cell_number(row[static_cast<std::size_t>(find(name))], name);
  }

  void read_row(const std::vector<Cell>& row) {
    const Cell& id = row[static_cast<std::size_t>(find("observableId"))];
    if (id.text.empty()) {
      throw base::InputError(id.place, "column \"observableId\": is empty.");
    }
    Measurement m;
    m.line = row.front().place.line;
    const Cell& time = row[static_cast<std::size_t>(find("time"))];
    m.time = cell_number(time, "time", true);
    if (std::isinf(m.time)) {
      throw base::InputError(time.place,
                             "measurements of a steady state (time inf) cannot be used.");
    }
    if (std::isnan(m.time)) throw base::InputError(time.place, "this row has no time.");
    m.value = number(row, "measurement");
    if (const int noise = find("noiseParameters"); noise >= 0) {
      const Cell& cell = row[static_cast<std::size_t>(noise)];
      m.sigma = cell_number(cell, "noiseParameters");
      if (m.sigma <= 0) {
        throw base::InputError(cell.place,
                               fmt::format("column \"noiseParameters\": {} is not > 0.", m.sigma));
      }
    }
    const auto known = std::find(observables_.begin(), observables_.end(), id.text);
    m.observable = static_cast<std::size_t>(known - observables_.begin());
    if (known == observables_.end()) observables_.push_back(id.text);
    measurements_.push_back(m);
  }

  std::vector<std::string> header_;
  const std::string& file_;
  std::vector<std::string> observables_;
  std::vector<Measurement> measurements_;
  std::set<std::string> conditions_;
};

}  // namespace

Data read_data_table(std::string_view text, const std::string& file_name,
                     const std::string& experiment_id, int first_line) {
  TableScanner scanner(text, file_name, first_line);
  auto header = read_header(scanner, file_name);
  const auto has = [&](const char* name) {
    return std::find(header.begin(), header.end(), name) != header.end();
  };
  if (has("observableId") && has("measurement") && has("time")) {
    return LongTable(scanner, std::move(header), file_name, experiment_id).wide();
  }
  CsvTable csv = read_csv_text(text, file_name, {.first_line = first_line});
  Data data;
  data.place.file = file_name;
  data.header = std::move(csv.header);
  data.columns = std::move(csv.columns);
  data.lines = std::move(csv.lines);
  return data;
}

std::string data_table_text(const Data& data) {
  return csv_text({.file = {}, .header = data.header, .columns = data.columns, .lines = {}});
}

}  // namespace parfait::io
