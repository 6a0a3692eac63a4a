#include "fit_run.h"

#include <fmt/format.h>

namespace parfait::app {

std::string FitRun::message() const {
  const auto& iteration = result.iteration;
  const bool later = result.converged() && interrupted;
  return fmt::format("{}: {}{}", result.converged() ? "converged" : "not converged",
                     iteration.message, later ? "; interrupted afterwards" : "");
}

std::string FitRun::status() const {
  using Status = estimate::GaussNewtonResult::Status;
  const bool later = result.converged() && interrupted;
  return estimate::text(later ? Status::kInterrupted : result.iteration.status);
}

std::vector<int> EstimateOrder::all() const {
  std::vector<int> both = parameters;
  both.insert(both.end(), states.begin(), states.end());
  return both;
}

EstimateOrder order_of(const estimate::FitResult& result) {
  EstimateOrder order;
  for (int i = 0; i < static_cast<int>(result.estimates.size()); ++i) {
    const bool is_state = result.estimates[static_cast<std::size_t>(i)].is_state;
    (is_state ? order.states : order.parameters).push_back(i);
  }
  return order;
}

std::string name_of(const estimate::FitResult& result, int estimate) {
  const auto& e = result.estimates[static_cast<std::size_t>(estimate)];
  std::string name = e.is_state ? e.id + "(0)" : e.id;
  if (!e.experiment.empty() && result.experiments.size() > 1) name += " (" + e.experiment + ")";
  return name;
}

}  // namespace parfait::app
