#include <algorithm>
#include <cmath>

#include "fit_run.h"
#include "parfait/io/number.h"
#include "text_table.h"

// The tables of a fit, as CSV.
namespace parfait::app {
namespace {

using estimate::FitResult;
using Row = std::vector<std::string>;
using Rows = std::vector<Row>;

/// An empty cell: not a number. Infinity is written as such.
std::string cell(double x) {
  return std::isnan(x) ? "" : io::number_text(x);
}

std::string cell(const std::optional<double>& x) {
  return x ? cell(*x) : "";
}

std::string parameters_csv(const FitResult& result) {
  Rows rows = {{"id", "experiment", "kind", "value", "sd", "ci_low", "ci_high", "initial", "lower",
                "upper", "at_bound", "true", "shift"}};
  for (const int i : order_of(result).all()) {
    const auto& e = result.estimates[static_cast<std::size_t>(i)];
    const auto& s = e.statistics;
    const bool at_bound = estimate::at_bound(s.determined);
    rows.push_back({e.id, e.experiment, e.is_state ? "initial_state" : "parameter", cell(s.value),
                    cell(s.sd), cell(s.individual.low), cell(s.individual.high), cell(e.initial),
                    cell(e.lower), cell(e.upper), at_bound ? "true" : "false", cell(e.truth),
                    cell(e.shift)});
  }
  return csv_text(rows);
}

std::string covariance_csv(const FitResult& result) {
  const auto order = order_of(result).all();
  Rows rows = {{"name"}};
  for (const int i : order) {
    rows.front().push_back(name_of(result, i));
    Row& row = rows.emplace_back(Row{name_of(result, i)});
    for (const int j : order) row.push_back(cell(result.covariance(i, j)));
  }
  return csv_text(rows);
}

std::string residuals_csv(const FitResult& result) {
  const bool several = result.experiments.size() > 1;
  Rows rows = {several ? Row{"experiment"} : Row{}};
  for (const char* name :
       {"column", "t", "measured", "model", "sigma", "weighted", "model.sd", "kind"}) {
    rows.front().emplace_back(name);
  }
  for (const auto& experiment : result.experiments) {
    for (const auto& r : experiment.residuals) {
      Row& row = rows.emplace_back(several ? Row{experiment.id} : Row{});
      row.push_back(r.info.column);
      for (const double x :
           {r.info.t, r.info.measured, r.model, r.info.sigma, r.weighted, r.sd_model}) {
        row.push_back(cell(x));
      }
      row.emplace_back(r.info.prior ? "prior" : "measurement");
    }
  }
  return csv_text(rows);
}

/// A table of time, several quantities and their deviations, experiment after experiment; a column
/// that an experiment does not have stays empty there.
class MotionTable {
 public:
  explicit MotionTable(bool several) : rows_{several ? Row{"experiment", "t"} : Row{"t"}} {}

  void add(const std::string& experiment, const std::vector<double>& t,
           const std::vector<std::string>& names, const Eigen::MatrixXd& values,
           const Eigen::MatrixXd& sd) {
    std::vector<std::size_t> columns;
    columns.reserve(names.size());
    for (const auto& name : names) columns.push_back(column(name));
    const bool several = rows_.front().front() == "experiment";
    for (std::size_t k = 0; k < t.size(); ++k) {
      Row row = several ? Row{experiment, cell(t[k])} : Row{cell(t[k])};
      row.resize(rows_.front().size());
      for (std::size_t i = 0; i < names.size(); ++i) {
        const auto q = static_cast<Eigen::Index>(i), at = static_cast<Eigen::Index>(k);
        row[columns[i]] = cell(values(q, at));
        row[columns[i] + 1] = cell(sd(q, at));
      }
      rows_.push_back(std::move(row));
    }
  }

  std::string text() const {
    Rows rows = rows_;
    for (auto& row : rows) row.resize(rows.front().size());
    return csv_text(rows);
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

std::string profile_csv(const std::vector<estimate::Profile>& profiles) {
  Rows rows = {{"parameter", "value", "objective", "converged"}};
  for (const auto& profile : profiles) {
    for (const auto& point : profile.points) {
      rows.push_back({profile.parameter, cell(point.value), cell(point.objective),
                      point.converged ? "true" : "false"});
    }
  }
  return csv_text(rows);
}

}  // namespace

void write_tables(const FitRun& run, run::RunFolder& folder) {
  const FitResult& result = run.result;
  if (!result.has_values()) return;
  const bool several = result.experiments.size() > 1;
  folder.write("parameters.csv", parameters_csv(result));
  folder.write("covariance.csv", covariance_csv(result));
  folder.write("residuals.csv", residuals_csv(result));
  if (!run.predictions.empty()) {
    MotionTable motion(several);
    for (const auto& p : run.predictions) {
      motion.add(p.experiment, p.t, p.quantities, p.values, p.sd);
    }
    folder.write("trajectory.csv", motion.text());
  }
  MotionTable nodes(several);
  bool has_nodes = false;
  for (const auto& e : result.experiments) {
    if (e.state_names.empty()) continue;
    has_nodes = true;
    nodes.add(e.id, e.node_times, e.state_names, e.nodes, e.nodes_sd);
  }
  if (has_nodes) folder.write("nodes.csv", nodes.text());
  if (!run.profiles.empty()) folder.write("profile.csv", profile_csv(run.profiles));
}

}  // namespace parfait::app
