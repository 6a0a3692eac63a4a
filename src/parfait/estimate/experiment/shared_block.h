#pragma once

#include <vector>

#include "parfait/estimate/experiment/experiment.h"
#include "parfait/estimate/linear/block.h"
#include "parfait/estimate/problem/variables.h"
#include "parfait/expr/formula.h"

namespace parfait::estimate {

/// What is said about the shared parameters alone: priors are data, requirements are equations or
/// inequalities, bounds are inequalities. A block without local variables.
class SharedBlock {
 public:
  SharedBlock(const Unknowns& shared, const std::vector<Requirement>& requirements);

  /// Instead of those it was made with.
  void set_requirements(const std::vector<Requirement>& requirements);

  /// Values and derivatives at x; false if a requirement is not finite there.
  [[nodiscard]] bool evaluate(VecIn x, Block& block) const;
  std::vector<ResidualInfo> residual_infos() const;
  /// The last rows of the inequalities.
  const std::vector<BoundRow>& bounds() const { return bounds_; }

 private:
  struct Condition {
    std::vector<expr::Formula> terms;
    bool inequality = false;
  };
  const Unknowns& shared_;
  std::vector<int> priors_;
  std::vector<Condition> conditions_;
  std::vector<BoundRow> bounds_;
};

}  // namespace parfait::estimate
