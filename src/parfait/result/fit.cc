#include "parfait/result/fit.h"

namespace parfait::result {

const Estimate* Fit::find(const std::string& parameter, const std::string& experiment) const {
  for (const auto& estimate : parameters) {
    if (estimate.id == parameter && estimate.experiment == experiment) return &estimate;
  }
  return nullptr;
}

std::string name_of(const Estimate& estimate, bool is_state, bool several) {
  std::string name = is_state ? estimate.id + "(0)" : estimate.id;
  if (!estimate.experiment.empty() && several) name += " (" + estimate.experiment + ")";
  return name;
}

std::vector<std::string> names_of_estimates(const Fit& fit) {
  const bool several = fit.experiments.size() > 1;
  std::vector<std::string> names;
  for (const auto& e : fit.parameters) names.push_back(name_of(e, false, several));
  for (const auto& e : fit.initial_states) names.push_back(name_of(e, true, several));
  return names;
}

}  // namespace parfait::result
