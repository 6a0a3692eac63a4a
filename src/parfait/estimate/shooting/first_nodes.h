#pragma once

#include "parfait/estimate/problem/problem.h"
#include "parfait/estimate/shooting/shooting_intervals.h"

namespace parfait::estimate {

/// First values of all variables of a shooting experiment at the shared parameters p, by the rule
/// of its grid (Kraus 2006, section 3.2): nodes by integration, as measured, projected onto what
/// was measured, or given by hand. False: an integration that the rule needs failed;
/// intervals.why() says where.
[[nodiscard]] bool find_first_nodes(const ExperimentDescription& description, VecIn p,
                                    ShootingIntervals& intervals, Eigen::VectorXd& x);

}  // namespace parfait::estimate
