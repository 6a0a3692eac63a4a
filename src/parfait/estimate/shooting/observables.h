#pragma once

#include "parfait/estimate/problem/variables.h"
#include "parfait/estimate/shooting/rows.h"

namespace parfait::estimate {

/// A quantity of the model at a sample time.
class QuantityAtTime final : public Observable {
 public:
  QuantityAtTime(int interval, int sample, int quantity)
      : interval_(interval), sample_(sample), quantity_(quantity) {}
  double value(const Trajectory& at) const override;
  void add_derivative(const Trajectory& at, const Condensed& condensed, double weight,
                      RowDerivative& row) const override;
  double shift(const Condensed& condensed) const override;
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
  double shift(const Condensed& condensed) const override;

 private:
  int node_, entry_;
};

/// A local parameter in its own unit.
class LocalParameter final : public Observable {
 public:
  LocalParameter(const Unknowns& locals, int index)
      : parameter_({locals.estimate(index)}), index_(index) {}
  double value(const Trajectory& at) const override;
  void add_derivative(const Trajectory& at, const Condensed& condensed, double weight,
                      RowDerivative& row) const override;

 private:
  Unknowns parameter_;  ///< alone
  int index_;
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
