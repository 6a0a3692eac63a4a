#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "parfait/dynamics/formula_system.h"
#include "parfait/estimate/fit/fit.h"
#include "parfait/io/text/csv.h"
#include "parfait/run/verification/published.h"

// Fits whose results are known. tests/estimation/data/README.md and tests/reference/data/README.md
// name the sources of the tables.
namespace parfait::run {
namespace {

using dynamics::FormulaModel;
using estimate::Grid;
using estimate::InitialState;
using estimate::Problem;

struct Known {
  std::string id;
  double value = 0;
};

double fit_digits(Problem problem, const std::vector<Known>& known, Stop stop) {
  problem.options.integrator.stop = stop;
  problem.options.interrupted = [stop] { return stop != nullptr && stop->load(); };
  const auto result = estimate::fit(problem);
  if (!result.converged()) return 0;
  std::vector<double> values, references;
  for (const auto& k : known) {
    const auto found = std::find_if(result.estimates.begin(), result.estimates.end(),
                                    [&](const auto& e) { return e.id == k.id; });
    if (found == result.estimates.end()) return 0;
    values.push_back(found->statistics.value);
    references.push_back(k.value);
  }
  return matching_digits(values, references);
}

estimate::Data table_of(const std::string& name) {
  auto table = io::read_csv_text(embedded_file(name), name);
  estimate::Data data;
  data.header = std::move(table.header);
  data.columns = std::move(table.columns);
  return data;
}

Problem dynamic_problem(const FormulaModel& model, const std::string& table,
                        const std::vector<Known>& start,
                        const std::vector<std::pair<std::string, std::string>>& observe) {
  Problem problem;
  for (const auto& s : start) {
    problem.estimates.push_back({.parameter = s.id, .initial = s.value});
  }
  auto& e = problem.experiments.emplace_back();
  e.id = "run";
  e.system = dynamics::make_formula_system(model);
  e.data = table_of(table);
  for (const auto& [column, quantity] : observe) {
    e.observations.push_back({.column = column, .quantity = quantity});
  }
  problem.options.integrator.rtol = 1e-11;
  problem.options.integrator.atol = 1e-13;
  problem.options.iteration.tolerance = 1e-11;
  return problem;
}

double unstable_digits(bool both, Stop stop) {
  FormulaModel model;
  model.state("y1", 0, "y2");
  model.state("y2", 0, "mu^2 * y1 - (mu^2 + p^2) * sin(p * t)");
  model.parameter("p", 1);
  model.parameter("mu", 60);
  std::vector<std::pair<std::string, std::string>> observe = {{"eta1", "y1"}};
  if (both) observe.emplace_back("eta2", "y2");
  Problem problem = dynamic_problem(model, "bock_notorious.csv", {{"p", 1}}, observe);
  problem.options.iteration.tolerance = 1e-10;
  auto& e = problem.experiments.front();
  for (auto& o : e.observations) o.sigma.absolute = 0.05;
  e.initial = {{.kind = InitialState::Kind::kFree}};
  e.grid.intervals = 20;
  e.grid.nodes = Grid::Nodes::kMeasured;
  // Linear in the initial values: closed form.
  return fit_digits(problem, {{"p", both ? 3.14603987089008268 : 3.1440545722124041}}, stop);
}

double predator_digits(Stop stop) {
  FormulaModel model;
  model.state("x1", 1, "-x1 + p1 * x1 * x2");
  model.state("x2", 1, "x2 - p2 * x1 * x2");
  model.parameter("p1", 0.5);
  model.parameter("p2", 0.5);
  Problem problem = dynamic_problem(model, "lv_heidelberg.csv", {{"p1", 0.5}, {"p2", 0.5}},
                                    {{"x1", "x1"}, {"x2", "x2"}});
  auto& e = problem.experiments.front();
  e.observations[0].sigma.column = "sigma1";
  e.observations[1].sigma.column = "sigma2";
  e.initial = {{.kind = InitialState::Kind::kFree}};
  e.grid.intervals = 10;
  e.grid.nodes = Grid::Nodes::kMeasured;
  return fit_digits(problem,
                    {{"p1", 6.939711062323e-01},
                     {"p2", 3.409214843848e-01},
                     {"x1", 1.006348531421e+00},
                     {"x2", 1.015083987377e+00}},
                    stop);
}

double gas_oil_digits(Stop stop) {
  FormulaModel model;
  model.state("y1", 1, "-(theta1 + theta3) * y1^2");
  model.state("y2", 0, "theta1 * y1^2 - theta2 * y2");
  for (const char* id : {"theta1", "theta2", "theta3"}) model.parameter(id, 1);
  Problem problem =
      dynamic_problem(model, "cops_gasoil.csv", {{"theta1", 10}, {"theta2", 8}, {"theta3", 2}},
                      {{"y1", "y1"}, {"y2", "y2"}});
  for (auto& estimate : problem.estimates) estimate.lower = 0;
  return fit_digits(problem,
                    {{"theta1", 1.184673838177e+01},
                     {"theta2", 8.344519501241e+00},
                     {"theta3", 1.001439967199e+00}},
                    stop);
}

double methanol_digits(Stop stop) {
  FormulaModel model;
  model.define("d", "(theta2 + theta5) * y1 + y2");
  model.state("y1", 1, "-(2 * theta2 - theta1 * y2 / d + theta3 + theta4) * y1");
  model.state("y2", 0, "theta1 * y1 * (theta2 * y1 - y2) / d + theta3 * y1");
  model.state("y3", 0, "theta1 * y1 * (y2 + theta5 * y1) / d + theta4 * y1");
  std::vector<Known> start;
  for (const char* id : {"theta1", "theta2", "theta3", "theta4", "theta5"}) {
    model.parameter(id, 1);
    start.push_back({id, 1});
  }
  Problem problem = dynamic_problem(model, "cops_methanol.csv", start,
                                    {{"y1", "y1"}, {"y2", "y2"}, {"y3", "y3"}});
  for (auto& estimate : problem.estimates) estimate.lower = 0;
  return fit_digits(problem,
                    {{"theta1", 1.775181024471e+00},
                     {"theta2", 2.167982918822e+00},
                     {"theta3", 1.857559498799e+00},
                     {"theta4", 1.802447311032e+00},
                     {"theta5", 0}},
                    stop);
}

double oxygen_demand_digits(Stop stop) {
  Problem problem;
  problem.estimates = {{.parameter = "asymptote", .initial = 15},
                       {.parameter = "rate", .initial = 0.5}};
  auto& e = problem.experiments.emplace_back();
  e.id = "bottle";
  e.data.header = {"t", "y"};
  e.data.columns = {{1, 2, 3, 4, 5, 7}, {8.3, 10.3, 19.0, 16.0, 15.6, 19.8}};
  e.observations = {{.column = "y", .quantity = {"asymptote * (1 - exp(-rate * t))"}}};
  problem.options.iteration.tolerance = 1e-11;
  return fit_digits(problem, {{"asymptote", 1.91425752846179e+01}, {"rate", 5.31091376965210e-01}},
                    stop);
}

/// Rows of a table of words whose first word is `name`.
std::vector<std::vector<std::string>> rows_about(const std::string& name, const char* file) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream in{std::string(embedded_file(file))};
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string> words;
    std::istringstream cells(line);
    for (std::string word; std::getline(cells, word, ',');) words.push_back(word);
    if (!words.empty() && words.front() == name) rows.push_back(std::move(words));
  }
  return rows;
}

/// NIST Statistical Reference Datasets, from the far start.
double nist_digits(const std::string& name, estimate::Globalization globalization, Stop stop) {
  Problem problem;
  std::vector<Known> certified;
  for (const auto& row : rows_about(name, "parameters.csv")) {
    const double initial = std::stod(row[2]);
    problem.estimates.push_back(
        {.parameter = row[1], .initial = initial, .scale = std::abs(initial)});
    certified.push_back({row[1], std::stod(row[4])});
  }
  auto& e = problem.experiments.emplace_back();
  e.id = name;
  e.data = table_of(name + ".csv");
  e.observations = {
      {.column = e.data.header.front(), .quantity = {rows_about(name, "problems.csv")[0][3]}}};
  auto& options = problem.options;
  options.iteration.globalization = globalization;
  options.iteration.tolerance = 1e-11;
  options.iteration.max_iterations = 2000;
  options.linear.rank_tolerance = 1e-13;  // far starts are nearly singular, not singular
  return fit_digits(problem, certified, stop);
}

PublishedProblem nist(const std::string& name, estimate::Globalization globalization,
                      double digits) {
  return {name, "NIST StRD", fmt::format("formula, {}", estimate::text(globalization)), digits,
          [=](Stop stop) { return nist_digits(name, globalization, stop); }};
}

}  // namespace

std::vector<PublishedProblem> published_fits() {
  using estimate::Globalization;
  return {
      {"unstable, y1 and y2", "Bock", "20 intervals", 9,
       [](Stop stop) { return unstable_digits(true, stop); }},
      {"unstable, y1 alone", "Bock", "20 intervals", 9,
       [](Stop stop) { return unstable_digits(false, stop); }},
      {"Lotka-Volterra", "Heidelberg", "10 intervals", 9, predator_digits},
      {"gas oil cracking", "COPS", "single shooting", 8, gas_oil_digits},
      {"methanol, at a bound", "COPS", "single shooting", 7, methanol_digits},
      {"oxygen demand", "Rooney, Biegler", "formula", 8, oxygen_demand_digits},
      nist("Misra1a", Globalization::kRmt, 9),
      nist("Thurber", Globalization::kLm, 9),
      nist("MGH17", Globalization::kLm, 9),
      nist("Eckerle4", Globalization::kLm, 9),
  };
}

}  // namespace parfait::run
