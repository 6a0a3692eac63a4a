#include "parfait/io/results/fit_tables.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "parfait/base/error.h"
#include "parfait/io/text/csv.h"
#include "parfait/io/text/number.h"
#include "parfait/io/text/table_scanner.h"

namespace parfait::io {

namespace fit_tables {

using result::Fit;
using result::FitTables;
using Row = std::vector<std::string>;
using Rows = std::vector<Row>;

/// An empty cell: not a number. Infinity is written as such.
std::string cell(double x) {
  return std::isnan(x) ? "" : number_text(x);
}

std::string cell(const std::optional<double>& x) {
  return x ? cell(*x) : "";
}

std::string parameters_csv(const Fit& fit) {
  Rows rows = {{"id", "experiment", "kind", "value", "sd", "ci_low", "ci_high", "initial", "lower",
                "upper", "at_bound", "true", "shift"}};
  const auto add = [&](const result::Estimate& e, const char* kind) {
    rows.push_back({e.id, e.experiment, kind, cell(e.value), cell(e.sd), cell(e.individual.low),
                    cell(e.individual.high), cell(e.initial), cell(e.lower), cell(e.upper),
                    e.at_bound() ? "true" : "false", cell(e.truth), cell(e.shift)});
  };
  for (const auto& e : fit.parameters) add(e, "parameter");
  for (const auto& e : fit.initial_states) add(e, "initial_state");
  return csv_text(rows);
}

std::string covariance_csv(const FitTables& tables) {
  Rows rows = {{"name"}};
  for (int i = 0; i < tables.covariance.rows; ++i) {
    const std::string& name = tables.estimates[static_cast<std::size_t>(i)];
    rows.front().push_back(name);
    Row& row = rows.emplace_back(Row{name});
    for (int j = 0; j < tables.covariance.cols; ++j) row.push_back(cell(tables.covariance(i, j)));
  }
  return csv_text(rows);
}

std::string residuals_csv(const FitTables& tables, bool several) {
  Rows rows = {several ? Row{"experiment"} : Row{}};
  for (const char* name :
       {"column", "t", "measured", "model", "sigma", "weighted", "model.sd", "kind"}) {
    rows.front().emplace_back(name);
  }
  for (const auto& r : tables.residuals) {
    Row& row = rows.emplace_back(several ? Row{r.experiment} : Row{});
    row.push_back(r.column);
    for (const double x : {r.t, r.measured, r.model, r.sigma, r.weighted, r.sd}) {
      row.push_back(cell(x));
    }
    row.emplace_back(r.prior ? "prior" : "measurement");
  }
  return csv_text(rows);
}

/// A table of time, several quantities and their deviations, experiment after experiment; a column
/// that an experiment does not have stays empty there.
class ExperimentMotion {
 public:
  explicit ExperimentMotion(bool several) : rows_{several ? Row{"experiment", "t"} : Row{"t"}} {}

  /// Values and deviations: times x quantities. Deviations may be missing altogether.
  void add(const std::string& experiment, const std::vector<double>& t,
           const std::vector<std::string>& names, const result::Matrix& values,
           const result::Matrix& sd) {
    std::vector<std::size_t> columns;
    columns.reserve(names.size());
    for (const auto& name : names) columns.push_back(column(name));
    const bool several = rows_.front().front() == "experiment";
    for (std::size_t k = 0; k < t.size(); ++k) {
      Row row = several ? Row{experiment, cell(t[k])} : Row{cell(t[k])};
      row.resize(rows_.front().size());
      for (std::size_t i = 0; i < names.size(); ++i) {
        const int at = static_cast<int>(k), q = static_cast<int>(i);
        row[columns[i]] = cell(values(at, q));
        if (sd.rows > 0) row[columns[i] + 1] = cell(sd(at, q));
      }
      rows_.push_back(std::move(row));
    }
  }

  std::string text() {
    for (auto& row : rows_) row.resize(rows_.front().size());
    return csv_text(rows_);
  }

 private:
  /// Of a quantity; its deviation stands beside it.
  std::size_t column(const std::string& name) {
    Row& header = rows_.front();
    const auto found = std::find(header.begin(), header.end(), name);
    if (found != header.end()) return static_cast<std::size_t>(found - header.begin());
    header.push_back(name);
    header.push_back(name + ".sd");
    return header.size() - 2;
  }

  Rows rows_;
};

/// What is held, then all parameters by their names.
std::string profile_csv(const Fit& fit) {
  Rows rows = {{"parameter", "value", "objective", "converged"}};
  for (const auto& e : fit.parameters) {
    rows.front().push_back(name_of(e, /*is_state=*/false, fit.experiments.size() > 1));
  }
  for (const auto& profile : fit.profiles) {
    for (const auto& point : profile.points) {
      Row& row = rows.emplace_back(Row{profile.parameter, cell(point.value), cell(point.objective),
                                       point.converged ? "true" : "false"});
      for (const double value : point.values) row.push_back(cell(value));
      row.resize(rows.front().size());
    }
  }
  return csv_text(rows);
}

/// Best first: where each start began and ended.
std::string starts_csv(const result::Starts& starts) {
  Rows rows = {
      {"rank", "start", "status", "minimum", "objective", "first_objective", "iterations"}};
  for (const auto& name : starts.names) rows.front().push_back("initial " + name);
  for (const auto& name : starts.names) rows.front().push_back(name);
  int rank = 0;
  for (const auto& start : starts.list) {
    Row& row = rows.emplace_back(
        Row{std::to_string(++rank), std::to_string(start.number), start.status,
            start.minimum > 0 ? std::to_string(start.minimum) : "", cell(start.objective),
            cell(start.first_objective), std::to_string(start.iterations)});
    for (const auto* list : {&start.initial, &start.values}) {
      for (std::size_t i = 0; i < starts.names.size(); ++i) {
        row.push_back(i < list->size() ? cell((*list)[i]) : "");
      }
    }
  }
  return csv_text(rows);
}

/// A table of words and numbers as read, a row at a time, cells by the name of their column.
class WordTable {
 public:
  WordTable(std::string_view text, const char* file)
      : scanner_(text, file), header_(read_header(scanner_, file)) {}

  const std::vector<std::string>& header() const { return header_; }
  bool next() {
    if (!scanner_.next_row(row_)) return false;
    check_width(row_, header_.size());
    return true;
  }
  bool has(const std::string& name) const {
    return std::find(header_.begin(), header_.end(), name) != header_.end();
  }
  const std::string& word(std::size_t column) const { return row_[column].text; }
  const std::string& word(const char* name) const { return row_[at(name)].text; }
  double number(std::size_t column) const {
    return cell_number(row_[column], header_[column], /*non_finite=*/true);
  }
  double number(const char* name) const { return number(at(name)); }

 private:
  std::size_t at(const char* name) const {
    const auto found = std::find(header_.begin(), header_.end(), name);
    if (found == header_.end()) {
      throw base::InputError(std::string("there is no column \"") + name + "\".");
    }
    return static_cast<std::size_t>(found - header_.begin());
  }

  TableScanner scanner_;
  std::vector<std::string> header_;
  std::vector<Cell> row_;
};

void read_covariance(std::string_view text, FitTables& out) {
  WordTable table(text, "covariance.csv");
  int rows = 0;
  for (; table.next(); ++rows) {
    for (std::size_t j = 1; j < table.header().size(); ++j) {
      out.covariance.values.push_back(table.number(j));
    }
  }
  out.covariance.rows = rows;
  out.covariance.cols = static_cast<int>(table.header().size()) - 1;
}

void read_residuals(std::string_view text, const std::string& only, FitTables& out) {
  WordTable table(text, "residuals.csv");
  const bool several = table.has("experiment");
  while (table.next()) {
    out.residuals.push_back({.experiment = several ? table.word("experiment") : only,
                             .column = table.word("column"),
                             .t = table.number("t"),
                             .measured = table.number("measured"),
                             .model = table.number("model"),
                             .sigma = table.number("sigma"),
                             .weighted = table.number("weighted"),
                             .sd = table.number("model.sd"),
                             .prior = table.word("kind") == "prior"});
  }
}

/// Rows of one experiment become a prediction; columns that are empty there are of others.
class PredictionReader {
 public:
  PredictionReader(WordTable& table, std::size_t first) : table_(table), first_(first) {}

  void add_row() {
    t_.push_back(table_.number("t"));
    auto& row = rows_.emplace_back();
    for (std::size_t j = first_; j < table_.header().size(); ++j) row.push_back(table_.number(j));
  }

  result::Prediction take(const std::string& experiment) {
    result::Prediction out;
    out.experiment = experiment;
    std::vector<std::size_t> columns;
    for (std::size_t j = 0; first_ + j + 1 < table_.header().size(); j += 2) {
      const bool used = std::any_of(rows_.begin(), rows_.end(),
                                    [&](const auto& row) { return !std::isnan(row[j]); });
      if (!used) continue;
      columns.push_back(j);
      out.quantities.push_back(table_.header()[first_ + j]);
    }
    out.values = out.sd = {static_cast<int>(rows_.size()), static_cast<int>(columns.size())};
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      for (std::size_t i = 0; i < columns.size(); ++i) {
        const int at = static_cast<int>(k), q = static_cast<int>(i);
        out.values(at, q) = rows_[k][columns[i]];
        out.sd(at, q) = rows_[k][columns[i] + 1];
      }
    }
    out.t = std::move(t_);
    t_.clear();
    rows_.clear();
    return out;
  }

  bool empty() const { return rows_.empty(); }

 private:
  WordTable& table_;
  std::size_t first_;
  std::vector<double> t_;
  std::vector<std::vector<double>> rows_;
};

std::vector<result::Prediction> read_predictions(std::string_view text, const char* file,
                                                 const std::string& only) {
  std::vector<result::Prediction> out;
  WordTable table(text, file);
  const bool several = table.has("experiment");
  PredictionReader reader(table, several ? 2 : 1);
  std::string experiment = only;
  while (table.next()) {
    const std::string& whose = several ? table.word("experiment") : only;
    if (whose != experiment && !reader.empty()) out.push_back(reader.take(experiment));
    experiment = whose;
    reader.add_row();
  }
  if (!reader.empty()) out.push_back(reader.take(experiment));
  return out;
}

}  // namespace fit_tables

std::vector<std::pair<std::string, std::string>> fit_table_files(const result::Fit& fit,
                                                                 const result::FitTables& tables) {
  using namespace fit_tables;  // NOLINT(google-build-using-namespace): helpers of this file
  std::vector<std::pair<std::string, std::string>> files;
  if (fit.starts) files.emplace_back("starts.csv", starts_csv(*fit.starts));
  if (!fit.has_values()) return files;
  const bool several = fit.experiments.size() > 1;
  files.emplace_back("parameters.csv", parameters_csv(fit));
  if (tables.covariance.rows > 0) files.emplace_back("covariance.csv", covariance_csv(tables));
  files.emplace_back("residuals.csv", residuals_csv(tables, several));
  const auto add_motion = [&](const char* name, const std::vector<result::Prediction>& list) {
    if (list.empty()) return;
    ExperimentMotion motion(several);
    for (const auto& p : list) motion.add(p.experiment, p.t, p.quantities, p.values, p.sd);
    files.emplace_back(name, motion.text());
  };
  add_motion("trajectory.csv", tables.predictions);
  add_motion("trajectory_initial.csv", tables.first_guess);
  ExperimentMotion nodes(several);
  bool has_nodes = false;
  for (const auto& e : fit.experiments) {
    if (!e.nodes) continue;
    has_nodes = true;
    nodes.add(e.id, e.nodes->t, e.nodes->states, e.nodes->values, e.nodes->sd);
  }
  if (has_nodes) files.emplace_back("nodes.csv", nodes.text());
  if (!fit.profiles.empty()) files.emplace_back("profile.csv", profile_csv(fit));
  return files;
}

result::FitTables read_fit_tables(const result::Fit& fit, std::string_view covariance,
                                  std::string_view residuals, std::string_view trajectory,
                                  std::string_view trajectory_initial) {
  result::FitTables tables;
  if (!fit.has_values()) return tables;
  const std::string only = fit.experiments.size() == 1 ? fit.experiments.front().id : "";
  tables.estimates = names_of_estimates(fit);
  if (!covariance.empty()) fit_tables::read_covariance(covariance, tables);
  fit_tables::read_residuals(residuals, only, tables);
  using fit_tables::read_predictions;
  if (!trajectory.empty()) {
    tables.predictions = read_predictions(trajectory, "trajectory.csv", only);
  }
  if (!trajectory_initial.empty()) {
    tables.first_guess = read_predictions(trajectory_initial, "trajectory_initial.csv", only);
    for (auto& p : tables.first_guess) p.sd = {};
  }
  return tables;
}

}  // namespace parfait::io
