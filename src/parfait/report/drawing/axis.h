#pragma once

#include <string>
#include <vector>

namespace parfait::report {

/// What an axis shows, as it is asked for.
struct Axis {
  std::string label{};
  std::string unit{};
  bool log = false;
  bool whole = false;  ///< counts: ticks at whole numbers only
  /// Where both are given (low < high) the axis has this range, otherwise that of the data.
  double low = 0, high = 0;
  bool has_range() const { return low < high; }
};

struct Tick {
  double value = 0;
  std::string label{};  ///< empty: a line without a label
};

/// From values to places: `from` and `to` are where `low` and `high` stand, in pixels.
struct Scale {
  double low = 0, high = 1;
  bool log = false;
  double from = 0, to = 1;

  double place(double value) const;
  /// Can it be shown? Zero and less have no place on a logarithmic axis.
  bool has(double value) const;
};

/// The range of the data with a margin; a range without extent gets one.
Scale make_scale(double low, double high, bool log, double from, double to);

/// Values at 1, 2 or 5 times a power of ten (logarithmic axes of two decades or more: powers of
/// ten), at most one for each `spacing` pixels. Labels share a number of decimals, and `factor` and
/// `offset` are what they leave out: 4.0003e5 with factor 5 and offset 0 reads 4.0003, with offset
/// 4e5 reads 30.
struct Ticks {
  std::vector<Tick> ticks{};
  int factor = 0;     ///< labels times 10^factor ...
  double offset = 0;  ///< ... plus this
};
Ticks make_ticks(const Scale& scale, double spacing, bool whole = false);

/// "x (10⁻³ m)": name, unit and what the labels leave out.
std::string axis_title(const Axis& axis, const Ticks& ticks);

}  // namespace parfait::report
