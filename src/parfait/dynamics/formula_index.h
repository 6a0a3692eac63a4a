#pragma once

#include <set>
#include <vector>

#include "parfait/dynamics/formula_model.h"

namespace parfait::dynamics {

/// The names that a formula contains, itself or through definitions.
struct FormulaUses {
  std::set<int> states, algebraics;
};

/// Whether the equations of a DAE can determine its algebraic states, by what they contain alone.
/// Where they cannot, the index is larger than 1: an equation has to be differentiated until an
/// algebraic state appears.
struct IndexCheck {
  std::vector<FormulaUses> equations, rates;

  /// InputError that names the equation and says what to do.
  void run(const FormulaModel& model) const;

 private:
  /// How often equation j has to be differentiated; 0: that does not help.
  int differentiations(int j) const;
  bool assign(int j, std::vector<bool>& seen, std::vector<int>& equation_of) const;
};

}  // namespace parfait::dynamics
