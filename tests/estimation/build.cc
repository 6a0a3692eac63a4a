#include "build.h"

#include <cmath>
#include <stdexcept>

#include "parfait/dynamics/formula_system.h"
#include "problems.h"

namespace parfait::estimation {

using namespace estimate;  // NOLINT(google-build-using-namespace): tests of this room

std::vector<double> times(double begin, double end, int count) {
  std::vector<double> t;
  t.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) t.push_back(begin + (end - begin) * i / (count - 1));
  return t;
}

Data empty_data(const std::vector<double>& t, const std::vector<std::string>& columns) {
  Data data;
  data.header = {"t"};
  data.columns = {t};
  for (const auto& name : columns) {
    data.header.push_back(name);
    data.columns.emplace_back(t.size(), std::nan(""));
  }
  return data;
}

namespace {

void observe_all(ExperimentDescription& e,
                 const std::vector<std::pair<std::string, std::string>>& observe, double sigma) {
  for (const auto& [name, quantity] : observe) {
    e.observations.push_back({.column = name, .quantity = quantity, .sigma = {.absolute = sigma}});
  }
}

}  // namespace

ExperimentDescription dynamic_experiment(
    const std::string& id, const dynamics::FormulaModel& model, const std::vector<double>& t,
    const std::vector<std::pair<std::string, std::string>>& observe, double sigma) {
  ExperimentDescription e;
  e.id = id;
  e.system = dynamics::make_formula_system(model);
  std::vector<std::string> columns;
  columns.reserve(observe.size());
  for (const auto& [name, quantity] : observe) columns.push_back(name);
  e.data = empty_data(t, columns);
  observe_all(e, observe, sigma);
  return e;
}

ExperimentDescription algebraic_experiment(
    const std::string& id, const Data& data,
    const std::vector<std::pair<std::string, std::string>>& observe, double sigma) {
  ExperimentDescription e;
  e.id = id;
  e.data = data;
  observe_all(e, observe, sigma);
  return e;
}

void free_start(ExperimentDescription& e) {
  e.initial = {{.kind = InitialState::Kind::kFree}};
}

Requirement require(const std::vector<std::pair<double, std::string>>& terms, bool inequality) {
  Requirement requirement;
  requirement.inequality = inequality;
  for (const auto& [at, formula] : terms) {
    Requirement::Term& term = requirement.terms.emplace_back();
    if (std::isfinite(at)) term.at = at;
    term.formula = formula;
  }
  return requirement;
}

std::vector<double>& column(ExperimentDescription& e, const std::string& name) {
  return e.data.columns.at(static_cast<std::size_t>(e.data.find_column(name)));
}

const EstimateResult& find_in(const FitResult& result, const std::string& experiment,
                              const std::string& id) {
  for (const auto& estimate : result.estimates) {
    if (estimate.id == id && estimate.experiment == experiment) return estimate;
  }
  throw std::runtime_error("no estimate \"" + id + "\" in \"" + experiment + "\"");
}

double value(const FitResult& result, const std::string& id) {
  return find(result, id).statistics.value;
}

}  // namespace parfait::estimation
