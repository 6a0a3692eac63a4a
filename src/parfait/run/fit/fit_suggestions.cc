#include "parfait/run/fit/fit_suggestions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "parfait/base/error.h"
#include "parfait/estimate/design/suggestions.h"
#include "parfait/estimate/problem/measurements.h"
#include "parfait/estimate/problem/observation_kind.h"
#include "parfait/io/problem/design_file.h"

namespace parfait::run {
namespace fit_suggestions {
namespace {

using estimate::ExperimentCandidates;
using estimate::ExperimentDescription;

/// What may be worth measuring of a mechanism: joint angles, centres of bodies, its other states.
std::vector<std::string> quantities_in(const mechanism::Description& model) {
  std::vector<std::string> out;
  for (const auto& joint : model.joints) out.push_back(joint.id + ".angle");
  for (const auto& body : model.bodies) {
    for (const char* axis : {"x", "y", "z"}) out.push_back(fmt::format("{}.com.{}", body.id, axis));
  }
  for (const auto& state : model.states) out.push_back(state.id);
  return out;
}

std::vector<std::string> quantities_in(const dynamics::FormulaModel& model) {
  std::vector<std::string> out;
  for (const auto& state : model.states) out.push_back(state.id);
  for (const auto& state : model.algebraics) out.push_back(state.id);
  return out;
}

bool exists(const dynamics::System& system, const std::string& quantity) {
  try {
    const std::vector<std::string> names = {quantity};
    return system.make_observer(names) != nullptr;
  } catch (const base::InputError&) {
    return false;  // a joint without an angle
  }
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// The median sigma of the measurements of each unit.
std::map<std::string, double> sigmas_by_unit(const estimate::Problem& problem,
                                             const ProblemSources& sources) {
  std::map<std::string, std::vector<double>> all;
  for (const auto& e : problem.experiments) {
    if (!e.system) continue;
    std::vector<std::string> units;
    for (const auto& o : e.observations) units.push_back(sources.quantity_unit(e, o.quantity.text));
    for (const auto& m : measurements_of(e)) {
      const auto& o = e.observations[static_cast<std::size_t>(m.observation)];
      if (!kind_of(o).is_at_row_time() || !(m.sigma > 0)) continue;
      if (o.noise.scale != estimate::ValueScale::kLinear) continue;
      all[units[static_cast<std::size_t>(m.observation)]].push_back(m.sigma);
    }
  }
  std::map<std::string, double> out;
  for (auto& [unit, list] : all) out[unit] = median(std::move(list));
  return out;
}

std::vector<dynamics::Input> inputs_in(const io::AnyModel& model) {
  return std::visit([](const auto& m) { return m.inputs; }, model);
}

ExperimentCandidates candidates_of(const ExperimentDescription& e, const io::AnyModel& model,
                                   const ProblemSources& sources,
                                   const std::map<std::string, double>& sigmas) {
  ExperimentCandidates out;
  const auto names = std::visit([](const auto& m) { return quantities_in(m); }, model);
  for (const auto& name : names) {
    const bool observed = std::ranges::any_of(
        e.observations, [&](const estimate::Observation& o) { return o.quantity.text == name; });
    const auto sigma = sigmas.find(sources.quantity_unit(e, name));
    if (observed || sigma == sigmas.end() || !exists(*e.system, name)) continue;
    out.quantities.push_back({.quantity = name, .sigma = sigma->second});
  }
  for (const auto& input : inputs_in(model)) {
    for (const double factor : {2.0, -1.0}) {
      dynamics::Input changed = input;
      for (double& value : changed.value) value *= factor;
      out.inputs.push_back(
          {.what = fmt::format("input {} {}", input.id, factor > 0 ? "doubled" : "reversed"),
           .system = io::system_with_inputs(model, {changed})});
    }
  }
  return out;
}

}  // namespace
}  // namespace fit_suggestions

std::vector<result::Suggestion> make_suggestions(estimate::PreparedProblem& prepared,
                                                 const ProblemSources& sources,
                                                 const estimate::FitResult& fit) {
  const auto& problem = prepared.problem();
  const auto sigmas = fit_suggestions::sigmas_by_unit(problem, sources);
  std::vector<estimate::ExperimentCandidates> candidates;
  for (const auto& e : problem.experiments) {
    const io::AnyModel* model = e.system ? sources.model(e) : nullptr;
    candidates.push_back(model == nullptr
                             ? estimate::ExperimentCandidates{}
                             : fit_suggestions::candidates_of(e, *model, sources, sigmas));
  }
  std::vector<result::Suggestion> out;
  for (const auto& s : estimate::suggest(prepared, fit.x, candidates)) {
    out.push_back({.experiment = s.experiment,
                   .what = s.what,
                   .worst_before = s.before,
                   .worst_after = s.after,
                   .worst = s.worst,
                   .undetermined = s.open});
  }
  return out;
}

}  // namespace parfait::run
