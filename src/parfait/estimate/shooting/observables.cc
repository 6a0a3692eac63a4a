#include "parfait/estimate/shooting/observables.h"

#include "parfait/estimate/experiment/likelihood.h"
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

double QuantityAtTime::shift(const Trajectory&, const Condensed& condensed) const {
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

double NodeState::shift(const Trajectory&, const Condensed& condensed) const {
  return condensed.nodes[node_].state_shift[entry_];
}

double UnknownParameter::unknown(const Trajectory& at) const {
  return is_shared_ ? at.at.p[index_] : at.at.local[index_];
}

double UnknownParameter::value(const Trajectory& at) const {
  return transformed(scale_, parameter_.value_of(0, unknown(at)));
}

void UnknownParameter::add_derivative(const Trajectory& at, const Condensed&, double weight,
                                      RowDerivative& row) const {
  const double x = unknown(at);
  const double slope = transformed_slope(scale_, parameter_.value_of(0, x));
  (is_shared_ ? row.by_shared : row.by_local)[index_] +=
      weight * slope * parameter_.derivative_of(0, x);
}

std::vector<double> Combination::values_of_parts(const Trajectory& at) const {
  std::vector<double> values;
  values.reserve(parts_.size());
  for (const auto& part : parts_) values.push_back(part->value(at));
  return values;
}

double Combination::value(const Trajectory& at) const {
  const std::vector<double> values = values_of_parts(at);
  std::vector<double> scratch(formula_.scratch_size());
  return formula_.value(values.data(), scratch.data());
}

std::string Combination::missing(const Trajectory& at) const {
  for (const auto& part : parts_) {
    if (std::string why = part->missing(at); !why.empty()) return why;
  }
  return "";
}

std::vector<double> Combination::gradient(const Trajectory& at) const {
  const std::vector<double> values = values_of_parts(at);
  std::vector<double> scratch(formula_.scratch_size());
  std::vector<double> gradient(static_cast<std::size_t>(formula_.num_used()));
  formula_.gradient(values.data(), scratch.data(), gradient.data());
  return gradient;
}

void Combination::add_derivative(const Trajectory& at, const Condensed& condensed, double weight,
                                 RowDerivative& row) const {
  const std::vector<double> slope = gradient(at);
  const auto used = formula_.used_slots();
  for (std::size_t j = 0; j < used.size(); ++j) {
    parts_[used[j]]->add_derivative(at, condensed, weight * slope[j], row);
  }
}

double Combination::shift(const Trajectory& at, const Condensed& condensed) const {
  const std::vector<double> slope = gradient(at);
  const auto used = formula_.used_slots();
  double sum = 0;
  for (std::size_t j = 0; j < used.size(); ++j) {
    sum += slope[j] * parts_[used[j]]->shift(at, condensed);
  }
  return sum;
}

double LocalUnknown::value(const Trajectory& at) const {
  return at.at.local[index_];
}

void LocalUnknown::add_derivative(const Trajectory&, const Condensed&, double weight,
                                  RowDerivative& row) const {
  row.by_local[index_] += weight;
}

}  // namespace parfait::estimate
