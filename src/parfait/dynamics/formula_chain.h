#pragma once

#include <cstdint>
#include <vector>

#include "parfait/dynamics/system.h"
#include "parfait/expr/formula.h"

/// Formulas evaluated one after another. Internal to dynamics.
namespace parfait::dynamics {

/// slots[slot] = formula(slots).
struct FormulaStep {
  expr::Formula formula;
  int slot = 0;
  int first_switch = -1;  ///< its switches in the mode of the system; -1: decided by values
};

/// A point where formulas are evaluated: the values of all names, and gradients once asked for.
struct FormulaPoint {
  std::vector<double> slots;
  std::vector<double> gradients;
  std::vector<std::int8_t> mode;  ///< of the system; counts if by_mode
  bool by_mode = false;
  bool linearized = false;

  expr::Formula::Mode mode_of(const FormulaStep& step) const {
    return by_mode && step.first_switch >= 0 ? mode.data() + step.first_switch : nullptr;
  }
};

/// Steps in an order in which each finds in the slots what it reads. Derivatives follow the chain
/// rule: a step's directions are its gradient times the directions of the slots it reads, some of
/// which earlier steps have written.
class FormulaChain {
 public:
  void add(const FormulaStep& step);

  const std::vector<FormulaStep>& steps() const { return steps_; }
  std::size_t scratch_size() const { return scratch_size_; }
  std::size_t gradient_size() const { return gradient_size_; }

  void evaluate(FormulaPoint& at, double* scratch) const;
  /// Gradients of all steps at the values in `at`; once per point.
  void linearize(FormulaPoint& at, double* scratch) const;
  /// One chunk: rows of `dslots` (slots x kLanes) that steps write, from the others.
  void apply(const FormulaPoint& at, double* dslots) const;
  /// The transpose: adjoints of the slots that steps write move to those they read, and are zero
  /// afterwards.
  void pull_back(const FormulaPoint& at, double* adjoints) const;

 private:
  std::vector<FormulaStep> steps_;
  std::size_t scratch_size_ = 0, gradient_size_ = 0;
};

}  // namespace parfait::dynamics
