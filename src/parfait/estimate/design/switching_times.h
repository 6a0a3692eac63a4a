#pragma once

#include <Eigen/Core>
#include <vector>

#include "parfait/estimate/design/criterion.h"
#include "parfait/estimate/design/linear_plan.h"

namespace parfait::estimate {

/// What the switching times of a linear plan are judged by: psi(K (known + information) K^T).
struct SwitchingCriterion {
  CriterionKind kind = CriterionKind::kD;
  Eigen::MatrixXd known;    ///< of the unknowns of the plan, k x k
  Eigen::MatrixXd inverse;  ///< K^-1, from what is of interest to the unknowns
};

struct SwitchingTimes {
  std::vector<double> t;  ///< of the switches, ascending
  double psi = 0;
  Eigen::MatrixXd information;  ///< of what is of interest
  int iterations = 0;
  double residual = 0;   ///< the largest p.b at a switch, beside that between them
  double violation = 0;  ///< of the conditions at the end
  bool converged = false;
  bool is_minimum = false;  ///< no neighbouring times are better
  /// The input is on the bound that p.b asks for, everywhere (Pontryagin): more switches would not
  /// help where they are few.
  bool keeps_sign = false;
};

/// Newton's method on the switching conditions
///
///   sigma(t_i) = p(t_i).b = 0,   p' = -A^T p - Q z,   p(end) = C^T nu,   C z(end) = 0,
///
/// Q = 2 sum_q S_q^T Psi S_q, Psi = dpsi/dM at the information M of these times: (5.22) of
/// Oberpeilsteiner (2018) for any criterion that has a second derivative. `u`: values of the input,
/// one more than times. The derivatives are exact. See docs/theory/design.md
SwitchingTimes find_switching_times(const LinearPlan& plan, const SwitchingCriterion& criterion,
                                    const std::vector<double>& u, std::vector<double> t);

/// The switching function sigma at some times, for given switches.
std::vector<double> switching_function(const LinearPlan& plan, const SwitchingCriterion& criterion,
                                       const std::vector<double>& u, const std::vector<double>& t,
                                       const std::vector<double>& at);

}  // namespace parfait::estimate
