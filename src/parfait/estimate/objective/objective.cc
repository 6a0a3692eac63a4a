#include "parfait/estimate/objective/objective.h"

#include <fmt/format.h>

#include <cmath>

#include "parfait/base/error.h"
#include "parfait/estimate/objective/objective_part.h"

namespace parfait::estimate {

const char* text(GradientBy by) {
  return by == GradientBy::kAdjoint   ? "adjoint"
         : by == GradientBy::kForward ? "forward"
                                      : "continuous";
}

namespace objectives {
namespace {

struct PriorResidual {
  double r = 0, slope = 0;  ///< dr/dp
};
PriorResidual residual_of(const Prior& prior, double p) {
  const double factor = prior.scale == ValueScale::kLog10 ? 1 / std::log(10.0) : 1.0;
  const bool is_log = prior.scale != ValueScale::kLinear;
  const double x = is_log ? factor * std::log(p) : p;
  return {.r = (x - prior.value) / prior.sigma, .slope = (is_log ? factor / p : 1.0) / prior.sigma};
}

}  // namespace
}  // namespace objectives

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
  adjoints_.clear();
  for (auto& part : parts_) {
    AdjointPath* path = by && keeps_adjoints_ ? &adjoints_.emplace_back() : nullptr;
    part->evaluate(p, by, continuous_steps_, out, dJ_dp, path);
    if (!out.exists()) return out;
  }
  for (int i = 0; i < size(); ++i) {
    const auto& prior = unknowns_.estimate(i).prior;
    if (!prior) continue;
    const auto [r, slope] = objectives::residual_of(*prior, p[i]);
    out.costs.back() += 0.5 * r * r;
    if (dJ_dp) (*dJ_dp)[i] += r * slope;
  }
  for (const double cost : out.costs) out.total += cost;
  return out;
}

int Objective::num_residuals() const {
  int out = 0;
  for (const auto& part : parts_) out += part->num_residuals();
  for (const auto& estimate : unknowns_.estimates()) out += estimate.prior ? 1 : 0;
  return out;
}

/// visit(part, its first row, value) for each experiment.
template <class Visit>
ObjectiveValue Objective::for_rows(const Visit& visit) {
  ObjectiveValue out;
  out.costs.assign(names_.size(), 0.0);
  int first = 0;
  for (auto& part : parts_) {
    out.why = visit(*part, first, out);
    if (!out.exists()) return out;
    first += part->num_residuals();
  }
  return out;
}

ObjectiveValue Objective::linearize(VecIn p, Eigen::VectorXd& r) {
  for (const auto& experiment : problem_.experiments) {
    if (experiment.costs.empty()) continue;
    throw base::InputError(experiment.place,
                           fmt::format("experiment \"{}\": has a <cost>, which is no sum of "
                                       "squares: the method lsmr cannot treat it.",
                                       experiment.id));
  }
  p_ = p;
  r.setZero(num_residuals());
  ObjectiveValue out = for_rows([&](Part& part, int first, ObjectiveValue& value) {
    Eigen::VectorXd own;
    std::string why = part.linearize(p, value, own);
    if (why.empty()) r.segment(first, own.size()) = own;
    return why;
  });
  Eigen::Index row = r.size();
  for (int i = size(); i-- > 0;) {
    if (const auto& prior = unknowns_.estimate(i).prior) {
      r[--row] = objectives::residual_of(*prior, p[i]).r;
    }
  }
  out.total = 0.5 * r.squaredNorm();
  return out;
}

ObjectiveValue Objective::times(VecIn v, Eigen::VectorXd& Jv) {
  Jv.setZero(num_residuals());
  ObjectiveValue out = for_rows([&](Part& part, int first, ObjectiveValue& value) {
    Eigen::VectorXd own;
    std::string why = part.times(v, value, own);
    if (why.empty()) Jv.segment(first, own.size()) = own;
    return why;
  });
  Eigen::Index row = Jv.size();
  for (int i = size(); i-- > 0;) {
    if (const auto& prior = unknowns_.estimate(i).prior) {
      Jv[--row] = objectives::residual_of(*prior, p_[i]).slope * v[i];
    }
  }
  return out;
}

ObjectiveValue Objective::transposed_times(VecIn u, Eigen::VectorXd& Jt_u) {
  Jt_u.setZero(size());
  ObjectiveValue out = for_rows([&](Part& part, int first, ObjectiveValue&) {
    return part.transposed_times(u.segment(first, part.num_residuals()), Jt_u);
  });
  Eigen::Index row = u.size();
  for (int i = size(); i-- > 0;) {
    if (const auto& prior = unknowns_.estimate(i).prior) {
      Jt_u[i] += objectives::residual_of(*prior, p_[i]).slope * u[--row];
    }
  }
  return out;
}

}  // namespace parfait::estimate
