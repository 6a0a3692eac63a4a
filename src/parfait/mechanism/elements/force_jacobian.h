#pragma once

#include <cstddef>
#include <vector>

#include "parfait/mechanism/elements/force.h"

/// Local derivatives of a force element, as one dense block (docs/theory/forces.md, W6).
namespace parfait::mechanism {

/// Numbers with directions that a Jacobian is made of; kept between calls.
struct JacobianScratch {
  std::vector<EndFrame<Dual>> ends;
  std::vector<EndForce<Dual>> forces;
  std::vector<Dual> constants, states, rates;
  std::vector<EndForce<double>> values;
  std::vector<double> value_rates;
};

/// d(rows) / d(columns). Rows: per end the force and the three conjugate vectors (12), then the
/// rates of the states. Columns: per end the point, its velocity, the axes and their rates (24),
/// then constants, states, t, and the value of the law at fixed s and s' (through which everything
/// else in its formula acts).
struct ForceJacobian {
  static constexpr int kEndRows = 12, kEndColumns = 24;
  static constexpr int kPointColumn = 0, kVelocityColumn = 3, kAxisColumn = 6, kRateColumn = 15;

  int num_ends = 0, num_constants = 0, num_states = 0;

  /// All zero.
  void resize(std::size_t ends, std::size_t constants, std::size_t states) {
    num_ends = static_cast<int>(ends);
    num_constants = static_cast<int>(constants);
    num_states = static_cast<int>(states);
    values_.assign(static_cast<std::size_t>(rows()) * static_cast<std::size_t>(columns()), 0.0);
  }
  int rows() const { return kEndRows * num_ends + num_states; }
  int columns() const { return kEndColumns * num_ends + num_constants + num_states + 2; }
  int first_state_row() const { return kEndRows * num_ends; }
  int first_constant() const { return kEndColumns * num_ends; }
  int first_state() const { return first_constant() + num_constants; }
  int time_column() const { return first_state() + num_states; }
  int law_column() const { return time_column() + 1; }
  double& operator()(int row, int column) {
    return values_[static_cast<std::size_t>(row) * columns() + column];
  }
  double operator()(int row, int column) const {
    return values_[static_cast<std::size_t>(row) * columns() + column];
  }

  JacobianScratch& scratch() { return scratch_; }

 private:
  std::vector<double> values_;
  JacobianScratch scratch_;
};

/// Whether an element with this use reads a column of an end.
bool reads_column(unsigned use, int column);

/// By differentiating act() along every column that the element reads.
void jacobian_by_directions(const ForceElement& element, const ElementPoint<double>& at,
                            ForceJacobian& out);

}  // namespace parfait::mechanism
