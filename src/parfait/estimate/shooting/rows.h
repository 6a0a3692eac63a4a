#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "parfait/estimate/linear/block.h"

namespace parfait::estimate {

struct Condensed;
struct ShootingLayout;
struct Trajectory;

/// A row of derivatives, by w and theta (trajectory.h) and by the local and shared unknowns
/// themselves (parameters that the model does not have).
struct RowDerivative {
  Eigen::RowVectorXd by_w, by_theta, by_local, by_shared;
};

/// A number that a trajectory determines, with its derivative. Residuals, requirements and bounds
/// are made of these; a new kind of observation is a new one.
///
/// Laws  add_derivative() adds weight times the derivative of value() along all nodes that the
///       matching conditions allow; shift() is what the correction of their defects adds to
///       value(), to first order.
class Observable {
 public:
  virtual ~Observable() = default;
  virtual double value(const Trajectory& at) const = 0;
  /// Why there is no such number on a trajectory; empty: there is one.
  virtual std::string missing(const Trajectory& /*at*/) const { return ""; }
  /// `at`: where the linearization was made.
  virtual void add_derivative(const Trajectory& at, const Condensed& condensed, double weight,
                              RowDerivative& row) const = 0;
  virtual double shift(const Trajectory& /*at*/, const Condensed& /*condensed*/) const { return 0; }
  /// The interval that it is seen in. None: it depends on more than what one interval shows.
  virtual std::optional<int> interval() const { return {}; }
};

/// sum of weight * observable + constant; where it has a period, the shortest way to zero.
struct ShootingRow {
  struct Term {
    std::shared_ptr<const Observable> what;
    double weight = 1;
  };
  std::vector<Term> terms;
  double constant = 0;
  double period = 0;  ///< of the sum; 0: it has none

  double value(const Trajectory& at) const;
  /// `out` has its sizes; it is overwritten.
  void derivative(const Trajectory& at, const Condensed& condensed, RowDerivative& out) const;
};

/// Why one of the rows has no value; empty: all have.
std::string missing_in(const std::vector<ShootingRow>& rows, const Trajectory& at);
Eigen::VectorXd values_of(const std::vector<ShootingRow>& rows, const Trajectory& at);

/// The derivatives of the rows by xi = (w | local unknowns) and by the shared parameters.
void fill_derivatives(const ShootingLayout& layout, const std::vector<ShootingRow>& rows,
                      const Trajectory& at, const Condensed& condensed, Eigen::MatrixXd& by_xi,
                      Eigen::MatrixXd& by_shared);

/// What the defects of the last point change in the values.
Eigen::VectorXd shifts_of(const std::vector<ShootingRow>& rows, const Trajectory& at,
                          const Condensed& condensed);

}  // namespace parfait::estimate
