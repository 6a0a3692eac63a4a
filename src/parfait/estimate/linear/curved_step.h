#pragma once

#include <span>
#include <vector>

#include "parfait/estimate/linear/linear_fit.h"

namespace parfait::estimate {

/// The curvature of residuals that Gauss-Newton leaves out, S = sum_i r_i d2r_i, one matrix per
/// block over (xi, p), learned from steps by a structured secant (J. E. Dennis, D. M. Gay,
/// R. E. Welsch, ACM Trans. Math. Softw. 7 (1981) 348-368): of each step s
///
///   S s = (J_new - J_old)^T r_new,     S changes as little as possible in the metric of y,
///   y = J_new^T r_new - J_old^T r_old
///
/// after S was sized by min(1, |s^T S s wanted| / |s^T S s|), so that it fades as residuals do. The
/// change of one experiment does not enter the matrix of another (partial separability). Where y is
/// no metric, s^T y <= 0, the symmetric change of rank one.
class SecantCurvature {
 public:
  /// Forgets everything; S = 0 for blocks of these sizes.
  void reset(std::span<const Block> blocks);
  bool empty() const { return S_.empty(); }
  /// `step` led from the point of `before` to that of `after`. `here`: the values of the new point
  /// with the matrices of `before`. Rows may be others at every point (where unknowns were
  /// eliminated by rotations): only products of matrices and values of one point are taken. Empty
  /// for a likelihood: its rows are no residuals but J^T r is half the gradient, so that
  /// S s = y - J_new^T J_new s.
  void learn(std::span<const Block> before, std::span<const RightSide> here,
             std::span<const Block> after, const LinearSolution& step);
  const std::vector<Eigen::MatrixXd>& matrices() const { return S_; }
  /// s^T S s.
  double along(const LinearSolution& step) const;

 private:
  std::vector<Eigen::MatrixXd> S_;
};

/// min sum_e |A xi + B p + b|^2 + (xi, p)^T S_e (xi, p) + lambda |D (xi, p)|^2   under the
/// equations and inequalities of all blocks, dense, in variables scaled by D. Directions of
/// negative curvature count with its absolute value.
struct CurvedStep {
  bool solved = false;
  LinearSolution solution;
  /// Of the sum of squares with its curvature, without damping; without curvature.
  double decrease = 0, decrease_without = 0;
};
CurvedStep solve_curved(std::span<const Block> blocks, const std::vector<Eigen::MatrixXd>& S,
                        const ColumnScales& D, double lambda, const LinearFitOptions& options);
/// The same with other values than those of the blocks.
CurvedStep solve_curved(std::span<const Block> blocks, std::span<const RightSide> rights,
                        const std::vector<Eigen::MatrixXd>& S, const ColumnScales& D, double lambda,
                        const LinearFitOptions& options);

/// Number of all variables of blocks.
Eigen::Index num_variables(std::span<const Block> blocks);

}  // namespace parfait::estimate
