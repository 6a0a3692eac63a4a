#include <fmt/format.h>

#include <cmath>
#include <sstream>

#include "parfait/base/error.h"
#include "parfait/estimate/problem/problem_counts.h"
#include "parfait/io/problem/problem_elements.h"
#include "parfait/io/problem/problem_file.h"
#include "parfait/io/text/data_table.h"
#include "parfait/io/text/number.h"
#include "parfait/io/text/text_file.h"
#include "parfait/io/text/xml_attributes.h"

namespace parfait::io {
namespace {

using dynamics::FormulaText;
using estimate::Estimate;
using estimate::ExperimentDescription;
using estimate::Grid;
using estimate::InitialState;
using estimate::Problem;
using estimate::Requirement;
using pugi::xml_node;

xml_node append(xml_node parent, const char* name, const std::string& text) {
  xml_node node = parent.append_child(name);
  node.text().set(text.c_str());
  return node;
}

using Systems = std::vector<const dynamics::System*>;

/// Where nothing is said the bounds of a model are taken: that there is none must be said.
void write_bounds(xml_node node, const Estimate& estimate, const Systems& systems) {
  bool has_lower = std::isfinite(estimate.lower), has_upper = std::isfinite(estimate.upper);
  for (const auto* system : systems) {
    for (const auto& info : system->parameters()) {
      if (info.id != estimate.parameter) continue;
      has_lower |= std::isfinite(info.lower);
      has_upper |= std::isfinite(info.upper);
    }
  }
  if (has_lower) set(node, "lower", estimate.lower);
  if (has_upper) set(node, "upper", estimate.upper);
}

void write_estimate(xml_node parent, const char* name, const Estimate& estimate,
                    const Systems& systems) {
  xml_node node = parent.append_child(name);
  set(node, "parameter", estimate.parameter);
  set(node, "initial", estimate.initial);
  write_bounds(node, estimate, systems);
  set(node, "scale", estimate.scale);
  if (estimate.transform == Estimate::Transform::kLog) set(node, "transform", std::string("log"));
  set(node, "true", estimate.truth);
  if (!estimate.prior) return;
  set(node, "prior", estimate.prior->value);
  set(node, "sigma", estimate.prior->sigma);
  if (estimate.prior->scale != estimate::ValueScale::kLinear) {
    set(node, "prior_of", std::string(text(estimate.prior->scale)));
  }
}

void write_requirement(xml_node parent, const Requirement& requirement) {
  if (requirement.terms.size() == 1) {
    const auto& term = requirement.terms.front();
    xml_node node =
        append(parent, "require", term.formula.text + (requirement.inequality ? " >= 0" : " = 0"));
    set(node, "at", term.at);
    return;
  }
  xml_node node = parent.append_child("require");
  if (requirement.inequality) set(node, "relation", std::string(">="));
  for (const auto& term : requirement.terms) {
    set(append(node, "term", term.formula.text), "at", term.at);
  }
}

void write_table(xml_node node, const char* attribute, const estimate::Data& data) {
  if (!data.file.empty()) {
    set(node, attribute, data.file);
  } else {
    append(node, "table", "\n" + data_table_text(data));
  }
}

/// The time column is found by itself if it is called t, or time and there is no t.
bool is_found_as_time(const estimate::Data& data) {
  return data.time == "t" || (data.time == "time" && data.find_column("t") < 0);
}

void write_observation(xml_node parent, const estimate::Observation& observation) {
  xml_node node = parent.append_child("observe");
  set(node, "column", observation.column);
  if (!observation.quantity.empty()) set(node, "quantity", observation.quantity.text);
  for (const auto& setting : observation.settings) set(node, setting.name.c_str(), setting.text);
  const auto& sigma = observation.sigma;
  if (!sigma.formula.empty()) {
    set(node, "sigma", sigma.formula.text);
  } else if (!sigma.column.empty()) {
    set(node, "sigma_column", sigma.column);
  } else if (sigma.relative != 0) {
    set(node, "relative", sigma.relative);
    set(node, "absolute", sigma.absolute);
  } else {
    set(node, "sigma", sigma.absolute);
  }
  const auto& noise = observation.noise;
  if (noise.distribution != estimate::Noise::Distribution::kNormal) {
    set(node, "distribution", std::string(text(noise.distribution)));
  }
  if (noise.distribution == estimate::Noise::Distribution::kStudent) set(node, "df", noise.df);
  if (noise.scale != estimate::ValueScale::kLinear) {
    set(node, "transform", std::string(text(noise.scale)));
  }
}

void write_set(xml_node parent, const estimate::SetParameter& s) {
  xml_node node = parent.append_child("set");
  set(node, "parameter", s.parameter);
  if (s.estimate.empty()) {
    set(node, "value", s.value);
  } else {
    set(node, "value", s.estimate);
  }
}

void write_initial(xml_node parent, const InitialState& initial) {
  xml_node node = parent.append_child("initial");
  if (!initial.state.empty()) set(node, "state", initial.state);
  if (initial.kind == InitialState::Kind::kPrior) {
    set(node, "sigma", initial.sigma);
  } else {
    set(node, "fixed", std::string(initial.kind == InitialState::Kind::kFixed ? "true" : "false"));
  }
  set(node, "value", initial.value);
  if (initial.scale != 1) set(node, "scale", initial.scale);
}

void write_grid(xml_node parent, const Grid& grid) {
  constexpr const char* kNodes[] = {"integrate", "measured", "project", "average", "given"};
  xml_node node = parent.append_child("grid");
  if (grid.times.empty()) {
    set(node, "intervals", std::to_string(grid.intervals));
  } else {
    set(node, "times", list_text(grid.times));
  }
  if (grid.end_node) set(node, "end_node", std::string("true"));
  if (grid.nodes != Grid::Nodes::kIntegrate) {
    set(node, "nodes", std::string(kNodes[static_cast<int>(grid.nodes)]));
  }
  if (grid.nodes == Grid::Nodes::kAverage) set(node, "weight", grid.weight);
  if (grid.nodes == Grid::Nodes::kGiven) write_table(node, "file", grid.values);
}

void write_samples(xml_node parent, const estimate::Samples& samples) {
  xml_node node = parent.append_child("samples");
  if (samples.times.empty()) {
    set(node, "from", samples.from);
    set(node, "to", samples.to);
    set(node, "count", std::to_string(samples.count));
  } else {
    set(node, "times", list_text(samples.times));
  }
}

void write_cost(xml_node parent, const estimate::Cost& cost) {
  xml_node node = parent.append_child("cost");
  set(node, "id", cost.id);
  for (const auto& term : cost.terms) {
    node.append_child(text(term.kind)).text().set(term.formula.text.c_str());
  }
}

void write_experiment(xml_node root, const ExperimentDescription& experiment) {
  if (experiment.system && experiment.model.empty()) {
    throw base::InputError(
        fmt::format("experiment \"{}\": its system was made in code and has no "
                    "model file, so the problem cannot be written.",
                    experiment.id));
  }
  xml_node node = root.append_child("experiment");
  set(node, "id", experiment.id);
  if (!experiment.model.empty()) set(node, "model", experiment.model);
  const bool only_samples = experiment.samples && experiment.data.file.empty() &&
                            estimate::count(experiment).measurements == 0;
  const bool only_costs = experiment.data.header.empty() && !experiment.costs.empty();
  if (!only_samples && !only_costs) write_table(node, "data", experiment.data);
  if (experiment.system && !only_costs && !is_found_as_time(experiment.data)) {
    set(node, "time", experiment.data.time);
  }
  set(node, "begin", experiment.begin);
  set(node, "end", experiment.end);
  if (experiment.samples) write_samples(node, *experiment.samples);
  for (const auto& s : experiment.sets) write_set(node, s);
  if (experiment.equilibrium) {
    xml_node child = node.append_child("equilibrium");
    for (const auto& s : experiment.equilibrium->sets) write_set(child, s);
  }
  Systems systems;
  if (experiment.system) systems.push_back(experiment.system.get());
  for (const auto& local : experiment.locals) write_estimate(node, "local", local, systems);
  for (const auto& row : experiment.row_locals) {
    xml_node child = node.append_child("row_local");
    set(child, "parameter", row.parameter);
    set(child, "initial", row.initial.text);
    if (row.scale != 1) set(child, "scale", row.scale);
  }
  for (const auto& observation : experiment.observations) write_observation(node, observation);
  for (const auto& initial : experiment.initial) write_initial(node, initial);
  if (experiment.system) write_grid(node, experiment.grid);
  for (const auto& bounds : experiment.state_bounds) {
    xml_node child = node.append_child("bounds");
    set(child, "state", bounds.state);
    if (std::isfinite(bounds.lower)) set(child, "lower", bounds.lower);
    if (std::isfinite(bounds.upper)) set(child, "upper", bounds.upper);
  }
  for (const auto& requirement : experiment.requirements) write_requirement(node, requirement);
  for (const auto& cost : experiment.costs) write_cost(node, cost);
}

}  // namespace

std::string problem_text(const Problem& problem) {
  pugi::xml_document document;
  xml_node root = document.append_child("problem");
  for (const auto& remark : problem.remarks) append(root, "remark", remark);
  Systems systems;
  for (const auto& experiment : problem.experiments) {
    if (experiment.system) systems.push_back(experiment.system.get());
  }
  for (const auto& estimate : problem.estimates) {
    write_estimate(root, "estimate", estimate, systems);
  }
  for (const auto& requirement : problem.requirements) write_requirement(root, requirement);
  for (const auto& experiment : problem.experiments) write_experiment(root, experiment);
  write_fit_options(root, problem.options);
  std::ostringstream out;
  document.save(out, "  ", pugi::format_default, pugi::encoding_utf8);
  return out.str();
}

void write_problem(const Problem& problem, const std::filesystem::path& file) {
  namespace fs = std::filesystem;
  const fs::path old_folder = fs::absolute(problem.file).parent_path();
  const fs::path new_folder = fs::absolute(file).parent_path();
  const auto move = [&](std::string& path) {
    const bool stays = path.empty() || old_folder == new_folder || fs::path(path).is_absolute();
    if (!stays) path = fs::proximate(old_folder / path, new_folder).string();
  };
  Problem moved = problem;
  for (auto& experiment : moved.experiments) {
    move(experiment.model);
    move(experiment.data.file);
    move(experiment.grid.values.file);
  }
  write_text_file(file, problem_text(moved));
}

}  // namespace parfait::io
