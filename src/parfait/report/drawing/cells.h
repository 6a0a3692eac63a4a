#pragma once

#include <limits>
#include <optional>
#include <string>

#include "parfait/report/html/html.h"

/// Pictures inside the cells of tables.
namespace parfait::report {

struct Range95 {
  double low = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();
};

/// One row of a forest plot: a value with its intervals on an axis of its own.
struct ForestRow {
  double value = 0;
  double sd = std::numeric_limits<double>::quiet_NaN();  ///< NaN: not known, the bar is open
  Range95 individual{}, joint{}, profile{};
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  std::optional<double> initial{}, truth{};
  std::optional<double> reach{};  ///< the axis is value +- this, one for all rows of a table
  std::string text;               ///< for those who cannot see it
};

/// The axis, where no reach is given: value +- 4 sd, wide enough for the intervals, clipped to the
/// bounds. Marks that lie outside become arrows at the edge.
Html forest_cell(const ForestRow& row);

/// A bar of this part of the full length, 0 to 1; a mark at `limit`, if it is > 0.
Html bar_cell(double part, bool alarm, double limit, const std::string& text);

}  // namespace parfait::report
