#pragma once

#include <Eigen/Core>
#include <vector>

#include "parfait/estimate/linear/block.h"

namespace parfait::estimate {

struct ShootingLayout;

/// The variables of a shooting experiment at a point, by what they are.
struct ShootingPoint {
  Eigen::VectorXd x, p;             ///< as the iteration sees them: own and shared, scaled
  std::vector<Eigen::VectorXd> s;   ///< differential states of each node, scaled
  std::vector<Eigen::VectorXd> z;   ///< algebraic states of each node
  Eigen::VectorXd local;            ///< local unknowns, scaled
  std::vector<double> parameters;   ///< of the system, conditions of the experiment included
  std::vector<double> dparameters;  ///< dp/dx of each entry of theta
  std::vector<double> parameters_before{};  ///< in the equilibrium before the experiment
};

/// Unpacks (x, p) into `point`, whose memory is used again.
void set_point(const ShootingLayout& layout, VecIn x, VecIn p, ShootingPoint& point);

}  // namespace parfait::estimate
