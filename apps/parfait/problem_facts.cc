#include "problem_facts.h"

#include <fmt/format.h>

#include <cmath>

#include "parfait/base/counted.h"
#include "parfait/estimate/problem/check_problem.h"
#include "parfait/estimate/problem/horizon.h"
#include "parfait/estimate/problem/problem_counts.h"
#include "parfait/io/problem_file.h"
#include "parfait/run/model.h"

namespace parfait::app {
namespace {

using estimate::Estimate;
using estimate::ExperimentDescription;

Json finite_or_null(double x) {
  return std::isfinite(x) ? Json(x) : Json(nullptr);
}

/// `experiment` is null for parameters that all share.
Json estimate_json(const Estimate& estimate, const Json& experiment) {
  const bool is_log = estimate.transform == Estimate::Transform::kLog;
  return {{"id", estimate.parameter},
          {"experiment", experiment},
          {"initial", estimate.initial},
          {"lower", finite_or_null(estimate.lower)},
          {"upper", finite_or_null(estimate.upper)},
          {"transform", is_log ? "log" : "none"}};
}

Json experiment_json(const ExperimentDescription& experiment) {
  const auto counts = estimate::count(experiment);
  Json observed = Json::array();
  for (const auto& observation : experiment.observations) observed.push_back(observation.column);
  Json out{{"id", experiment.id},
           {"model", experiment.system ? Json(experiment.model) : Json(nullptr)},
           {"data", experiment.data.file},
           {"observed", observed},
           {"rows", counts.rows},
           {"measurements", counts.measurements},
           {"nodes", counts.nodes},
           {"unknowns", counts.unknowns()},
           {"requirements", experiment.requirements.size()}};
  if (experiment.system) {
    const auto horizon = estimate::horizon_of(experiment);
    out["begin"] = horizon.begin;
    out["end"] = horizon.end;
  }
  return out;
}

std::string bound_text(const Json& bound, const char* none) {
  return bound.is_null() ? std::string(none) : fmt::format("{:g}", bound.get<double>());
}

void print_count(const char* what, const Json& count) {
  fmt::print("  {:<22}{:>4}\n", what, count.get<int>());
}

void print_experiment(const Json& e) {
  const auto counted_key = [&](const char* key, const char* one, const char* many) {
    return base::counted(e[key].get<std::int64_t>(), one, many);
  };
  const std::string model = e["model"].is_null() ? "no model" : e["model"].get<std::string>();
  const std::string data = e["data"].get<std::string>();
  fmt::print("    {}: {}, {}: {} in {}", e["id"].get<std::string>(), model,
             data.empty() ? "table" : data,
             counted_key("measurements", "measurement", "measurements"),
             counted_key("rows", "row", "rows"));
  if (e.contains("begin")) {
    fmt::print(", from {:g} to {:g}, {}", e["begin"].get<double>(), e["end"].get<double>(),
               counted_key("nodes", "node", "nodes"));
  }
  fmt::print(", {}\n", counted_key("unknowns", "unknown of its own", "unknowns of its own"));
}

void print_parameter(const Json& p) {
  const std::string whose =
      p["experiment"].is_null() ? "" : ", only in " + p["experiment"].get<std::string>();
  fmt::print("    {} = {:g}   in [{}, {}]{}{}\n", p["id"].get<std::string>(),
             p["initial"].get<double>(), bound_text(p["lower"], "-inf"),
             bound_text(p["upper"], "inf"), p["transform"] == "log" ? ", logarithm" : "", whose);
}

}  // namespace

Json problem_facts(const std::string& file) {
  const auto problem = io::read_problem(file);
  Json experiments = Json::array(), parameters = Json::array();
  for (const auto& e : problem.estimates) parameters.push_back(estimate_json(e, nullptr));
  int measurements = 0, nodes = 0, unknowns = static_cast<int>(problem.estimates.size());
  std::size_t requirements = problem.requirements.size();
  for (const auto& experiment : problem.experiments) {
    const auto counts = estimate::count(experiment);
    measurements += counts.measurements;
    nodes += counts.nodes;
    unknowns += counts.unknowns();
    requirements += experiment.requirements.size();
    experiments.push_back(experiment_json(experiment));
    for (const auto& e : experiment.locals) parameters.push_back(estimate_json(e, experiment.id));
  }
  return {{"problem", file},
          {"kind", "problem"},
          {"experiments", experiments},
          {"measurements", measurements},
          {"nodes", nodes},
          {"unknowns", unknowns},
          {"requirements", requirements},
          {"parameters", parameters},
          {"warnings", estimate::check(problem)}};
}

void print_problem(const Json& facts) {
  fmt::print("{} is a problem\n", facts["problem"].get<std::string>());
  fmt::print("  {:<22}{:>4}\n", "experiments", facts["experiments"].size());
  for (const auto& experiment : facts["experiments"]) print_experiment(experiment);
  print_count("measurements", facts["measurements"]);
  print_count("nodes", facts["nodes"]);
  print_count("unknowns", facts["unknowns"]);
  print_count("requirements", facts["requirements"]);
  fmt::print("  {:<22}{:>4}\n", "parameters", facts["parameters"].size());
  for (const auto& parameter : facts["parameters"]) print_parameter(parameter);
  for (const auto& warning : facts["warnings"]) {
    fmt::print("  warning: {}\n", warning.get<std::string>());
  }
}

}  // namespace parfait::app
