#include "parfait/estimate/objective/objective.h"

#include <fmt/format.h>

#include <cmath>

#include "parfait/base/error.h"
#include "parfait/estimate/objective/objective_part.h"

namespace parfait::estimate {

const char* text(GradientBy by) {
  return by == GradientBy::kAdjoint ? "adjoint" : "forward";
}

Objective::Objective(const Problem& problem, double memory)
    : problem_(problem), unknowns_(problem.estimates) {
  if (problem.estimates.empty()) {
    throw base::InputError("nothing is estimated: a gradient needs an <estimate>.");
  }
  if (!problem.requirements.empty()) {
    throw base::InputError(
        problem.requirements.front().place,
        "the problem has a <require>, which only the method gauss_newton can treat.");
  }
  for (const auto& experiment : problem.experiments) {
    if (!experiment.system) {
      throw base::InputError(
          experiment.place,
          fmt::format("experiment \"{}\": has no model, and only the method gauss_newton can "
                      "treat that.",
                      experiment.id));
    }
    parts_.push_back(std::make_unique<Part>(problem, experiment, unknowns_, memory, names_));
  }
  if (names_.empty()) {
    throw base::InputError(
        "no experiment has a <cost> or data: there is nothing to differentiate.");
  }
  for (const auto& estimate : problem.estimates) {
    if (!estimate.prior) continue;
    names_.emplace_back("priors");
    break;
  }
}

Objective::~Objective() = default;

std::vector<std::string> Objective::without_pull_backs() const {
  std::vector<std::string> out;
  for (const auto& part : parts_) {
    if (!part->experiment().system->has_pull_backs()) out.push_back(part->experiment().id);
  }
  return out;
}

ObjectiveValue Objective::value(VecIn p) {
  return evaluate(p, nullptr, nullptr);
}

ObjectiveValue Objective::gradient(VecIn p, GradientBy by, Eigen::VectorXd& dJ_dp) {
  dJ_dp.setZero(size());
  return evaluate(p, &by, &dJ_dp);
}

ObjectiveValue Objective::evaluate(VecIn p, const GradientBy* by, Eigen::VectorXd* dJ_dp) {
  ObjectiveValue out;
  out.costs.assign(names_.size(), 0.0);
  for (auto& part : parts_) {
    part->evaluate(p, by, out, dJ_dp);
    if (!out.exists()) return out;
  }
  for (int i = 0; i < size(); ++i) {
    const auto& prior = unknowns_.estimate(i).prior;
    if (!prior) continue;
    const double factor = prior->scale == ValueScale::kLog10 ? 1 / std::log(10.0) : 1.0;
    const bool is_log = prior->scale != ValueScale::kLinear;
    const double x = is_log ? factor * std::log(p[i]) : p[i];
    const double r = (x - prior->value) / prior->sigma;
    out.costs.back() += 0.5 * r * r;
    if (dJ_dp) (*dJ_dp)[i] += r / prior->sigma * (is_log ? factor / p[i] : 1.0);
  }
  for (const double cost : out.costs) out.total += cost;
  return out;
}

}  // namespace parfait::estimate
