#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "parfait/estimate/problem/problem.h"

namespace parfait::estimate {

/// The estimated parameters p as the iteration sees them, scaled unknowns x:
///
///   p = scale * x,   or with Transform::kLog   p = exp(scale * x).
///
/// The default scale is max(|initial|, 1); with log it is 1, so that |dx| is a relative change.
/// Both maps ascend, so bounds of p are bounds of x.
///
/// Laws  x_of(i, value_of(i, x)) = x; derivatives() is the derivative of values(), a diagonal.
class Unknowns {
 public:
  Unknowns() = default;
  /// `estimates` is copied. What check(Problem) forbids (scale <= 0, log of a number <= 0, initial
  /// outside its bounds) is an InputError with the estimate's place.
  explicit Unknowns(std::vector<Estimate> estimates);

  int size() const { return static_cast<int>(estimates_.size()); }
  const std::vector<Estimate>& estimates() const { return estimates_; }
  const Estimate& estimate(int i) const { return estimates_[static_cast<std::size_t>(i)]; }
  std::vector<std::string> names() const;
  /// Place of a name in the list; -1: not there.
  int find(const std::string& name) const;

  /// First guess, bounds (infinite where there are none), all in x. A lower bound <= 0 of a log
  /// unknown says nothing that the logarithm does not, and is -infinity.
  const Eigen::VectorXd& initial() const { return initial_; }
  const Eigen::VectorXd& lower() const { return lower_; }
  const Eigen::VectorXd& upper() const { return upper_; }
  double scale(int i) const { return scale_[i]; }
  bool is_log(int i) const { return estimate(i).transform == Estimate::Transform::kLog; }

  double value_of(int i, double x) const;
  double x_of(int i, double p) const;
  double derivative_of(int i, double x) const;
  /// p at x; the pointers have size() places.
  void values(VecIn x, double* p) const;
  Eigen::VectorXd values(VecIn x) const;
  /// The diagonal of dp/dx at x.
  void derivatives(VecIn x, double* dp_dx) const;
  Eigen::VectorXd derivatives(VecIn x) const;

  /// True values in p where the problem gives them.
  std::vector<std::optional<double>> truth() const;

 private:
  std::vector<Estimate> estimates_;
  Eigen::VectorXd scale_, initial_, lower_, upper_;
};

/// A finite bound as a row of inequalities in x: x - lower >= 0 or upper - x >= 0.
struct BoundRow {
  int unknown = 0;
  bool upper = false;
};
/// The finite bounds, in the order of the unknowns, lower before upper.
std::vector<BoundRow> bound_rows(const Unknowns& unknowns);
/// Value of such a row (>= 0 inside) and its derivative (+1 or -1) with respect to x[unknown].
double bound_value(const Unknowns& unknowns, const BoundRow& row, VecIn x);
double bound_sign(const BoundRow& row);
/// x[unknown] is at that bound, but for rounding of where it began.
bool is_at_bound(const Unknowns& unknowns, const BoundRow& row, VecIn x);

}  // namespace parfait::estimate
