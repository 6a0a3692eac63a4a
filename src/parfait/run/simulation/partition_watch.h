#pragma once

#include <memory>
#include <string>
#include <vector>

#include "parfait/mechanism/stage/mechanical_system.h"
#include "parfait/result/simulation.h"

namespace parfait::run {

/// Watches which redundant rows of a mechanism with loops are left out along a motion (constraint
/// partitioning, docs/theory/partitioning.md), and whether they were redundant.
class PartitionWatch {
 public:
  PartitionWatch(const mechanism::MechanicalSystem& model, dynamics::ConstVec p);

  /// A point of the motion.
  void observe(double t, dynamics::ConstVec y, dynamics::Mode mode);

  /// A position where a row that was left out was not redundant, and quantities that are not
  /// unique.
  std::vector<std::string> warnings(const std::vector<std::string>& quantities) const;
  result::Partition result() const;

 private:
  struct Choice {
    double t;
    std::vector<int> rows;
  };
  std::vector<std::string> names(const std::vector<int>& rows) const;

  const mechanism::MechanicalSystem& model_;
  std::unique_ptr<dynamics::Workspace> workspace_;
  std::vector<double> dydt_;
  std::vector<Choice> choices_;  ///< the first and every other one
  double worst_ = 0;             ///< largest residual of a dropped row by the accelerations
  double worst_t_ = 0, worst_residual_ = 0;
  int worst_row_ = -1;
};

}  // namespace parfait::run
