#pragma once

#include <memory>
#include <vector>

#include "parfait/integrate/driver/integrator.h"
#include "parfait/mbs/model.h"

namespace parfait::reference {

/// A mechanical model integrated along fixed steps from starts and parameters that can be moved.
///
///   start(x, p) = project(y0 + sum_j x_j d_j, p)
///
/// with random d_j: moving x_j moves the start along the manifold, moving a geometric parameter
/// moves the manifold under it. The unknowns are the x_j, then all parameters; W has a column for
/// each, and begins as the derivative of the projection.
class FrozenRun {
 public:
  FrozenRun(std::shared_ptr<const mbs::Model> model, int num_tangents,
            const integrate::Options& options);

  int num_unknowns() const { return static_cast<int>(x_.size() + p_.size()); }
  double& unknown(int j);
  /// Step of a difference: large enough that rounding and what the projection leaves (1e-13)
  /// disappear in 1e-8.
  double step(int j) const;

  integrate::State run(double until, integrate::Record& record) const;
  /// The end state along the recorded steps from the present unknowns.
  std::vector<double> replay(const integrate::Record& record) const;

 private:
  integrate::State start(dynamics::Workspace& ws, bool with_directions) const;

  std::shared_ptr<const mbs::Model> model_;
  integrate::Options options_;
  std::vector<double> y0_, x_, p_;
  dynamics::Directions d_;  ///< one column per tangent
};

/// d end / d unknown j by central differences of order 4 along the recorded steps.
std::vector<double> difference(FrozenRun& run, const integrate::Record& record, int j);

}  // namespace parfait::reference
