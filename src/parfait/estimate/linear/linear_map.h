#pragma once

#include <span>
#include <vector>

#include "parfait/estimate/linear/bordered_least_squares.h"

namespace parfait::estimate {

/// What the rows of a block do while the solution is linear in the right-hand sides.
struct RowsInForce {
  std::vector<int> active;  ///< inequalities that are equations, ascending

  /// A data row that is an equation: A_i xi + B_i p + b_i = sign tau. l1: sign = 0.
  struct Fixed {
    int row;
    double sign;
    bool operator==(const Fixed&) const = default;
  };
  std::vector<Fixed> fixed;
  bool squares = true;  ///< the data rows are minimized in l2; otherwise only the fixed ones count
  Eigen::VectorXd weight;  ///< of the data rows, not squared; empty: all 1

  bool operator==(const RowsInForce& other) const;
};

/// -J+ for given rows in force. Unchanged blocks keep their elimination when the rows change.
class LinearMap {
 public:
  /// `with_tau`: one more shared variable, the largest residual of the l-infinity norm.
  LinearMap() = default;
  LinearMap(std::span<const Block> blocks, const Tolerances& tolerances, bool with_tau = false);

  void set_rows(std::vector<RowsInForce> rows);
  const std::vector<RowsInForce>& rows() const { return rows_; }

  LinearSolution solve(std::span<const RightSide> rights) const;
  /// Dependent equations that differ by more than `tolerance` max(1, |solution|).
  bool contradicts(std::span<const RightSide> rights, const LinearSolution& solution,
                   double tolerance) const;
  /// Multipliers of half the weighted sum of squares; the inequalities' are zero where inactive.
  std::vector<LinearFit::Multipliers> multipliers(std::span<const RightSide> rights,
                                                  const LinearSolution& solution) const;
  const BorderedLeastSquares& solver() const { return solver_; }
  /// Size of the terms of the gradient: multipliers are meaningful to rounding of this.
  double gradient_scale(std::span<const RightSide> rights, const LinearSolution& solution) const;

 private:
  using Right = BorderedLeastSquares::Right;
  std::vector<Right> in_force(std::span<const RightSide> rights) const;
  Eigen::Index num_shared() const;

  std::span<const Block> blocks_;
  Tolerances tolerances_;
  bool with_tau_ = false;
  std::vector<RowsInForce> rows_;
  BorderedLeastSquares::Eliminations eliminations_;
  BorderedLeastSquares solver_;
};

/// The right-hand sides that the blocks themselves carry.
std::vector<RightSide> own_right_sides(std::span<const Block> blocks);
double norm(const LinearSolution& solution);

}  // namespace parfait::estimate
