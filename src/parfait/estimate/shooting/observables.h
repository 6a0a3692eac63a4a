#pragma once

#include "parfait/estimate/problem/variables.h"
#include "parfait/estimate/shooting/rows.h"
#include "parfait/expr/formula.h"

namespace parfait::estimate {

/// A quantity of the model at a sample time.
class QuantityAtTime final : public Observable {
 public:
  QuantityAtTime(int interval, int sample, int quantity)
      : interval_(interval), sample_(sample), quantity_(quantity) {}
  double value(const Trajectory& at) const override;
  void add_derivative(const Trajectory& at, const Condensed& condensed, double weight,
                      RowDerivative& row) const override;
  double shift(const Trajectory& at, const Condensed& condensed) const override;
  std::optional<int> interval() const override { return interval_; }

 private:
  int interval_, sample_, quantity_;
};

/// A scaled entry of the state at a node.
class NodeState final : public Observable {
 public:
  NodeState(int node, int entry) : node_(node), entry_(entry) {}
  double value(const Trajectory& at) const override;
  void add_derivative(const Trajectory& at, const Condensed& condensed, double weight,
                      RowDerivative& row) const override;
  double shift(const Trajectory& at, const Condensed& condensed) const override;

 private:
  int node_, entry_;
};

/// A local or a shared parameter in its own unit, or as its scale says.
class UnknownParameter final : public Observable {
 public:
  UnknownParameter(const Unknowns& unknowns, int index, bool is_shared,
                   ValueScale scale = ValueScale::kLinear)
      : parameter_({unknowns.estimate(index)}),
        index_(index),
        is_shared_(is_shared),
        scale_(scale) {}
  double value(const Trajectory& at) const override;
  void add_derivative(const Trajectory& at, const Condensed& condensed, double weight,
                      RowDerivative& row) const override;

 private:
  double unknown(const Trajectory& at) const;

  Unknowns parameter_;  ///< alone
  int index_;
  bool is_shared_;
  ValueScale scale_;
};

/// A number that does not vary.
class Constant final : public Observable {
 public:
  explicit Constant(double value) : value_(value) {}
  double value(const Trajectory&) const override { return value_; }
  void add_derivative(const Trajectory&, const Condensed&, double, RowDerivative&) const override {}

 private:
  double value_;
};

/// A formula of others.
class Combination final : public Observable {
 public:
  /// Slot j of the formula is parts[j].
  Combination(expr::Formula formula, std::vector<std::shared_ptr<const Observable>> parts)
      : formula_(std::move(formula)), parts_(std::move(parts)) {}
  double value(const Trajectory& at) const override;
  std::string missing(const Trajectory& at) const override;
  void add_derivative(const Trajectory& at, const Condensed& condensed, double weight,
                      RowDerivative& row) const override;
  double shift(const Trajectory& at, const Condensed& condensed) const override;

 private:
  std::vector<double> values_of_parts(const Trajectory& at) const;
  std::vector<double> gradient(const Trajectory& at) const;

  expr::Formula formula_;
  std::vector<std::shared_ptr<const Observable>> parts_;
};

/// A local parameter as the iteration sees it: scaled, perhaps its logarithm.
class LocalUnknown final : public Observable {
 public:
  explicit LocalUnknown(int index) : index_(index) {}
  double value(const Trajectory& at) const override;
  void add_derivative(const Trajectory& at, const Condensed& condensed, double weight,
                      RowDerivative& row) const override;

 private:
  int index_;
};

}  // namespace parfait::estimate
