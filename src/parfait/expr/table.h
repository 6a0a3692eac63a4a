#pragma once

#include <memory>
#include <vector>

#include "parfait/base/error.h"

namespace parfait::expr {

enum class Interpolation {
  kPrevious,  ///< the value of the last knot not after t; jumps at knots
  kLinear,    ///< continuous; the slope jumps at knots
  kCubic,     ///< natural cubic spline: C2 between the first and the last knot
};

/// A function of time given at knots.
///
/// Outside the knots the end values are held, with all derivatives zero, for all three kinds; so at
/// the first and the last knot even the cubic spline is in general only continuous. At a knot the
/// derivatives are those of the interval to its right (at the last knot: zero), and `kPrevious` has
/// the new value. Whoever wants the limit from the left evaluates at std::nextafter(knot, -inf).
///
/// A handle to immutable data: cheap to copy, safe to share between threads.
/// Cost  O(log n) per evaluation, O(n) to build; evaluation does not allocate.
class Table {
 public:
  /// InputError unless t and value have the same size >= 1, are finite, and t ascends strictly.
  Table(std::vector<double> t, std::vector<double> value, Interpolation interpolation,
        const base::Place& place = {});

  double value(double t) const;
  /// The value and its first, second and third derivative at t.
  void evaluate(double t, double derivatives[4]) const;

  Interpolation interpolation() const;
  const std::vector<double>& knots() const;
  /// Handles to the same data.
  bool is_same_as(const Table& other) const { return data_ == other.data_; }

  /// Appends the knots where at most `smooth` derivatives are continuous (-1: the value jumps): all
  /// but the first of kPrevious at -1, those of kLinear at 0; of kCubic the ends at 0 and the inner
  /// ones at 2.
  void append_breaks(std::vector<double>& out, int smooth = 2) const;

 private:
  struct Data;
  std::shared_ptr<const Data> data_;
};

}  // namespace parfait::expr
