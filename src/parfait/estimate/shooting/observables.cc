#include "parfait/estimate/shooting/observables.h"

#include "parfait/estimate/shooting/trajectory.h"

namespace parfait::estimate {

double QuantityAtTime::value(const Trajectory& at) const {
  return at.intervals[interval_].quantities(quantity_, sample_);
}

void QuantityAtTime::add_derivative(const Trajectory&, const Condensed& condensed, double weight,
                                    RowDerivative& row) const {
  const CondensedNode& node = condensed.nodes[interval_];
  row.by_w += weight * node.watched_by_w[sample_].row(quantity_);
  row.by_theta += weight * node.watched_by_theta[sample_].row(quantity_);
}

double QuantityAtTime::shift(const Condensed& condensed) const {
  return condensed.nodes[interval_].watched_shift[sample_][quantity_];
}

double NodeState::value(const Trajectory& at) const {
  return at.at.s[node_][entry_];
}

void NodeState::add_derivative(const Trajectory&, const Condensed& condensed, double weight,
                               RowDerivative& row) const {
  const CondensedNode& node = condensed.nodes[node_];
  row.by_w += weight * node.state_by_w.row(entry_);
  row.by_theta += weight * node.state_by_theta.row(entry_);
}

double NodeState::shift(const Condensed& condensed) const {
  return condensed.nodes[node_].state_shift[entry_];
}

double LocalParameter::value(const Trajectory& at) const {
  return parameter_.value_of(0, at.at.local[index_]);
}

void LocalParameter::add_derivative(const Trajectory& at, const Condensed&, double weight,
                                    RowDerivative& row) const {
  row.by_local[index_] += weight * parameter_.derivative_of(0, at.at.local[index_]);
}

double LocalUnknown::value(const Trajectory& at) const {
  return at.at.local[index_];
}

void LocalUnknown::add_derivative(const Trajectory&, const Condensed&, double weight,
                                  RowDerivative& row) const {
  row.by_local[index_] += weight;
}

}  // namespace parfait::estimate
