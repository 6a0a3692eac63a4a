#include "parfait/run/fit/fitted_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "parfait/base/error.h"
#include "parfait/mechanism/checks/check_description.h"
#include "parfait/mechanism/stage/mechanical_system.h"

namespace parfait::run {

std::vector<double> fitted_values(const estimate::ExperimentDescription& experiment,
                                  const result::Fit& fit) {
  std::vector<double> p;
  for (const auto& parameter : experiment.system->parameters()) {
    double value = parameter.initial;
    for (const auto& set : experiment.sets) {
      if (set.parameter == parameter.id) value = set.value;
    }
    for (const auto& estimate : fit.parameters) {
      const bool applies = estimate.experiment.empty() || estimate.experiment == experiment.id;
      if (applies && estimate.id == parameter.id && std::isfinite(estimate.value)) {
        value = estimate.value;
      }
    }
    p.push_back(value);
  }
  return p;
}

std::vector<std::string> impossible_mechanisms(const estimate::Problem& problem,
                                               const result::Fit& fit) {
  std::vector<std::string> out;
  std::set<std::pair<const dynamics::System*, std::vector<double>>> seen;  // most share a model
  for (const auto& experiment : problem.experiments) {
    const auto* model = dynamic_cast<const mechanism::MechanicalSystem*>(experiment.system.get());
    if (!model) continue;
    const auto values = fitted_values(experiment, fit);
    if (!seen.emplace(model, values).second) continue;
    mechanism::Description description = model->description();
    for (std::size_t i = 0; i < description.parameters.size(); ++i) {
      description.parameters[i].initial = values[i];
    }
    try {
      static_cast<void>(mechanism::check(description));
    } catch (const base::InputError& error) {
      auto text = fmt::format(
          "with these estimates the model is impossible: {} Bounds (lower, upper), or a parameter "
          "that drives an element of the body's cholesky factor, keep it possible.",
          error.what());
      if (std::ranges::find(out, text) == out.end()) out.push_back(std::move(text));
    }
  }
  return out;
}

}  // namespace parfait::run
