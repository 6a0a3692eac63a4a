#include "problems.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <stdexcept>

#include "parfait/dynamics/formula_system.h"
#include "parfait/io/text/csv.h"

namespace parfait::estimation {

using namespace estimate;  // NOLINT(google-build-using-namespace): tests of this room

Data read_data(const std::string& name) {
  const auto table =
      io::read_csv(std::string(PARFAIT_SOURCE_DIR) + "/tests/estimation/data/" + name);
  Data data;
  data.file = name;
  data.header = table.header;
  data.columns = table.columns;
  data.lines = table.lines;
  return data;
}

Problem make_problem(const dynamics::FormulaModel& model, const std::string& data,
                     const std::vector<std::pair<std::string, double>>& start,
                     const std::vector<std::pair<std::string, std::string>>& observe,
                     double sigma) {
  Problem problem;
  for (const auto& [id, initial] : start) {
    problem.estimates.push_back({.parameter = id, .initial = initial});
  }
  ExperimentDescription& e = problem.experiments.emplace_back();
  e.id = "run";
  e.system = dynamics::make_formula_system(model);
  e.data = read_data(data);
  for (const auto& [column, quantity] : observe) {
    e.observations.push_back(
        {.column = column, .quantity = quantity, .sigma = {.absolute = sigma}});
  }
  problem.options.integrator.rtol = 1e-11;
  problem.options.integrator.atol = 1e-13;
  problem.options.iteration.tolerance = 1e-11;
  return problem;
}

Problem bock_problem(bool measure_both, int intervals) {
  dynamics::FormulaModel model;
  model.state("y1", 0, "y2");
  model.state("y2", 0, "mu^2 * y1 - (mu^2 + p^2) * sin(p * t)");
  model.parameter("p", 1);
  model.parameter("mu", 60);
  std::vector<std::pair<std::string, std::string>> observe = {{"eta1", "y1"}};
  if (measure_both) observe.emplace_back("eta2", "y2");
  Problem problem = make_problem(model, "bock_notorious.csv", {{"p", 1}}, observe, 0.05);
  auto& e = problem.experiments.front();
  e.initial = {{.kind = InitialState::Kind::kFree}};
  e.grid.intervals = intervals;
  e.grid.nodes = Grid::Nodes::kMeasured;
  problem.options.iteration.tolerance = 3e-9;
  return problem;
}

Problem lotka_volterra_heidelberg() {
  dynamics::FormulaModel model;
  model.state("x1", 1, "-x1 + p1 * x1 * x2");
  model.state("x2", 1, "x2 - p2 * x1 * x2");
  model.parameter("p1", 0.5);
  model.parameter("p2", 0.5);
  Problem problem = make_problem(model, "lv_heidelberg.csv", {{"p1", 0.5}, {"p2", 0.5}},
                                 {{"x1", "x1"}, {"x2", "x2"}});
  auto& e = problem.experiments.front();
  e.observations[0].sigma.column = "sigma1";
  e.observations[1].sigma.column = "sigma2";
  e.initial = {{.kind = InitialState::Kind::kFree}};
  e.grid.intervals = 10;
  e.grid.nodes = Grid::Nodes::kMeasured;
  return problem;
}

Problem gas_oil() {
  dynamics::FormulaModel model;
  model.state("y1", 1, "-(theta1 + theta3) * y1^2");
  model.state("y2", 0, "theta1 * y1^2 - theta2 * y2");
  for (const char* id : {"theta1", "theta2", "theta3"}) model.parameter(id, 1);
  Problem problem =
      make_problem(model, "cops_gasoil.csv", {{"theta1", 10}, {"theta2", 8}, {"theta3", 2}},
                   {{"y1", "y1"}, {"y2", "y2"}});
  for (auto& estimate : problem.estimates) estimate.lower = 0;
  return problem;
}

Problem methanol() {
  dynamics::FormulaModel model;
  model.define("d", "(theta2 + theta5) * y1 + y2");
  model.state("y1", 1, "-(2 * theta2 - theta1 * y2 / d + theta3 + theta4) * y1");
  model.state("y2", 0, "theta1 * y1 * (theta2 * y1 - y2) / d + theta3 * y1");
  model.state("y3", 0, "theta1 * y1 * (y2 + theta5 * y1) / d + theta4 * y1");
  for (const char* id : {"theta1", "theta2", "theta3", "theta4", "theta5"}) model.parameter(id, 1);
  Problem problem =
      make_problem(model, "cops_methanol.csv",
                   {{"theta1", 1}, {"theta2", 1}, {"theta3", 1}, {"theta4", 1}, {"theta5", 1}},
                   {{"y1", "y1"}, {"y2", "y2"}, {"y3", "y3"}});
  for (auto& estimate : problem.estimates) estimate.lower = 0;
  return problem;
}

const EstimateResult& find(const FitResult& result, const std::string& id) {
  for (const auto& estimate : result.estimates) {
    if (estimate.id == id) return estimate;
  }
  throw std::runtime_error("no estimate \"" + id + "\"");
}

void print(const std::string& name, const FitResult& result) {
  std::printf("%s: %s, %s\n", name.c_str(), text(result.iteration.status),
              result.iteration.message.c_str());
  for (const Iteration& i : result.iteration.history) {
    std::printf(
        "  %2d  %.10e  %.1e  |dx| %.1e  t %.3f  omega %.1e  kappa %.1e  rank %d  cond %.1e\n",
        i.number, i.objective, i.infeasibility, i.increment, i.step, i.omega, i.kappa, i.rank,
        i.condition);
  }
}

}  // namespace parfait::estimation
