#include "parfait/dynamics/formula_chain.h"

#include <algorithm>

namespace parfait::dynamics {

void FormulaChain::add(const FormulaStep& step) {
  steps_.push_back(step);
  scratch_size_ = std::max(scratch_size_, step.formula.scratch_size());
  gradient_size_ += static_cast<std::size_t>(step.formula.num_used());
}

void FormulaChain::evaluate(FormulaPoint& at, double* scratch) const {
  for (const FormulaStep& step : steps_) {
    at.slots[step.slot] = step.formula.value(at.slots.data(), scratch, at.mode_of(step));
  }
}

void FormulaChain::linearize(FormulaPoint& at, double* scratch) const {
  if (at.linearized) return;
  double* gradient = at.gradients.data();
  for (const FormulaStep& step : steps_) {
    step.formula.gradient(at.slots.data(), scratch, gradient, at.mode_of(step));
    gradient += step.formula.num_used();
  }
  at.linearized = true;
}

void FormulaChain::apply(const FormulaPoint& at, double* dslots) const {
  const double* gradient = at.gradients.data();
  for (const FormulaStep& step : steps_) {
    step.formula.apply(gradient, dslots, dslots + step.slot * math::kLanes);
    gradient += step.formula.num_used();
  }
}

void FormulaChain::pull_back(const FormulaPoint& at, double* adjoints) const {
  const double* gradient = at.gradients.data() + gradient_size_;
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    const auto used = step->formula.used_slots();
    gradient -= used.size();
    const double seed = adjoints[step->slot];
    adjoints[step->slot] = 0;
    if (seed == 0) continue;
    for (std::size_t j = 0; j < used.size(); ++j) adjoints[used[j]] += seed * gradient[j];
  }
}

}  // namespace parfait::dynamics
