#pragma once

#include <Eigen/Core>
#include <vector>

#include "parfait/estimate/design/planned_experiment.h"
#include "parfait/estimate/problem/variables.h"

namespace parfait::estimate {

/// A planned experiment whose model is linear in its states and its one designed input u, together
/// with its sensitivities to the parameters:
///
///   z' = A z + b u,   z = (y, y_1 ... y_k, 1),   z(begin) = z0
///
/// (Oberpeilsteiner 2018, (5.18), (5.23)). What is measured all the time has the information
/// sum_q int (S_q z)(S_q z)^T dt, all copies together; conditions at the end are C z(end) = 0.
struct LinearPlan {
  Eigen::MatrixXd A;
  Eigen::VectorXd b, z0;
  std::vector<Eigen::MatrixXd> S;  ///< k x n, divided by the square root of the density
  Eigen::MatrixXd C;
  double begin = 0;     ///< of the experiment
  double measured = 0;  ///< from here to the end
  double end = 0;
};

/// `description` as DesignSpace makes it, p scaled. InputError that says why it has no such form.
LinearPlan linear_plan_of(const PlannedExperiment& planned, ExperimentDescription description,
                          const Unknowns& shared, VecIn p, const FitOptions& options);

}  // namespace parfait::estimate
