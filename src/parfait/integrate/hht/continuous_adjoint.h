#pragma once

#include <memory>
#include <vector>

#include "parfait/dynamics/second_order.h"
#include "parfait/dynamics/system.h"
#include "parfait/integrate/stepping/options.h"

namespace parfait::integrate {

/// The adjoint equations of mechanics of index 3, solved backward in time along a motion by BDF of
/// order 2 with equal steps (Oberpeilsteiner 2018, section 3.3.4, with consistent end conditions;
/// docs/theory/adjoint.md, A8):
///
///   p' = -r_q^T w + f_e,q^T e_bar + G^T mu,      G w = 0,
///   M w' = f_e,v^T e_bar - p - r_v^T w,          e_bar' = -f_e,e^T e_bar + r_e^T w
///
/// with r = f - G^T lambda, and (-p, -M w, e_bar) the sensitivity of the cost to (q, v, e). It
/// discretizes what Adjoint transposes: its gradient converges to the exact one with the number of
/// steps, of second order, where constraints depend on a parameter of first. For teaching and
/// comparison.
class ContinuousAdjoint {
 public:
  /// `workspace` is bound to the parameters; it is copied. InputError if the system has no
  /// equations of second order.
  ContinuousAdjoint(const dynamics::System& system, const dynamics::Workspace& workspace);
  ~ContinuousAdjoint();

  /// A motion at equal distances, on the constraints, in one mode.
  struct Motion {
    std::vector<double> t;
    std::vector<std::vector<double>> y;
    std::vector<std::int8_t> mode;
  };
  /// From the derivative of the cost by the state where the motion ends to that by where it begins;
  /// in place. InputError if the constraints are not quadratic in q, as natural coordinates have
  /// them.
  [[nodiscard]] dynamics::Status run(const Motion& motion, dynamics::Vec ybar);

  /// The sensitivity at each time of the motion, as of the last run.
  const std::vector<std::vector<double>>& sensitivities() const;
  /// A workspace whose adjoints of parameters count, too: for the end and the start.
  dynamics::Workspace& workspace();
  /// The gradient of all that run() and workspace() have seen: np numbers, added.
  void add_parameter_gradient(dynamics::Vec gradient);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace parfait::integrate
