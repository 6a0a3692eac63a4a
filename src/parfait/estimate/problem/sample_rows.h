#pragma once

#include <string>
#include <vector>

#include "parfait/estimate/linear/block.h"

namespace parfait::estimate {

/// Residuals r(y) that all samples y of a column make together, (model - data) / sigma already,
/// without knowing where the samples come from: with r = 0 where they are those of the data.
class SampleRows {
 public:
  virtual ~SampleRows() = default;
  /// The measurements whose samples they are, by their place in the column.
  virtual const std::vector<int>& samples() const = 0;
  virtual int size() const = 0;  ///< rows

  /// Empty: r exists at y. Otherwise why it does not.
  virtual std::string missing(VecIn y) const = 0;
  virtual Eigen::VectorXd residuals(VecIn y) const = 0;
  /// r_y dy
  virtual Eigen::VectorXd push_forward(VecIn y, VecIn dy) const = 0;
  /// r_y^T r_bar
  virtual Eigen::VectorXd pull_back(VecIn y, VecIn r_bar) const = 0;
};

}  // namespace parfait::estimate
