#include "parfait/estimate/experiment/shared_block.h"

#include <algorithm>
#include <cmath>

#include "parfait/estimate/experiment/likelihood.h"
#include "parfait/math/finite.h"

namespace parfait::estimate {

using Eigen::Index;

SharedBlock::SharedBlock(const Unknowns& shared, const std::vector<Requirement>& requirements)
    : shared_(shared), bounds_(bound_rows(shared)) {
  for (int i = 0; i < shared.size(); ++i) {
    if (shared.estimate(i).prior) priors_.push_back(i);
  }
  set_requirements(requirements);
}

void SharedBlock::set_requirements(const std::vector<Requirement>& requirements) {
  conditions_.clear();
  expr::Names names(shared_.names());
  for (const Requirement& r : requirements) {
    Condition& condition = conditions_.emplace_back();
    condition.inequality = r.inequality;
    for (const auto& term : r.terms) {
      condition.terms.emplace_back(term.formula.text, names, term.formula.place);
    }
  }
  std::stable_partition(conditions_.begin(), conditions_.end(),
                        [](const Condition& c) { return !c.inequality; });
}

bool SharedBlock::evaluate(VecIn x, Block& block) const {
  const auto inequalities = static_cast<Index>(
      std::ranges::count_if(conditions_, [](const Condition& c) { return c.inequality; }));
  const Index equations = static_cast<Index>(conditions_.size()) - inequalities;
  block = Block::zero(0, shared_.size(), static_cast<Index>(priors_.size()), equations,
                      inequalities + static_cast<Index>(bounds_.size()));
  const Eigen::VectorXd p = shared_.values(x);
  const Eigen::VectorXd dp_dx = shared_.derivatives(x);

  for (std::size_t k = 0; k < priors_.size(); ++k) {
    const auto row = static_cast<Index>(k);
    const int i = priors_[k];
    const Prior& prior = *shared_.estimate(i).prior;
    block.B(row, i) = transformed_slope(prior.scale, p[i]) * dp_dx[i] / prior.sigma;
    block.right.b[row] = (transformed(prior.scale, p[i]) - prior.value) / prior.sigma;
  }
  for (std::size_t k = 0; k < conditions_.size(); ++k) {
    const Condition& condition = conditions_[k];
    const auto row = static_cast<Index>(k) - (condition.inequality ? equations : 0);
    Eigen::MatrixXd& J = condition.inequality ? block.F : block.D;
    double& value = condition.inequality ? block.right.e[row] : block.right.c[row];
    for (const expr::Formula& formula : condition.terms) {
      std::vector<double> scratch(formula.scratch_size());
      std::vector<double> gradient(static_cast<std::size_t>(formula.num_used()));
      value += formula.gradient(p.data(), scratch.data(), gradient.data());
      for (int j = 0; j < formula.num_used(); ++j) {
        const int slot = formula.used_slots()[static_cast<std::size_t>(j)];
        J(row, slot) += gradient[static_cast<std::size_t>(j)] * dp_dx[slot];
      }
    }
  }
  for (std::size_t k = 0; k < bounds_.size(); ++k) {
    const Index row = inequalities + static_cast<Index>(k);
    block.F(row, bounds_[k].unknown) = bound_sign(bounds_[k]);
    block.right.e[row] = bound_value(shared_, bounds_[k], x);
  }
  return math::all_finite(block.right.c) && math::all_finite(block.right.e) &&
         math::all_finite(block.right.b);
}

std::vector<ResidualInfo> SharedBlock::residual_infos() const {
  std::vector<ResidualInfo> infos;
  for (int i : priors_) {
    const Estimate& e = shared_.estimate(i);
    infos.push_back({.column = e.parameter,
                     .t = 0,
                     .measured = e.prior->value,
                     .sigma = e.prior->sigma,
                     .prior = true});
  }
  return infos;
}

}  // namespace parfait::estimate
