#include "parfait/math/active_set.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "parfait/math/nonnegative_least_squares.h"

namespace parfait::math {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

using Status = ActiveSetResult::Status;

/// The problem with its constants, and what both the start and the iteration ask about a point.
struct Problem {
  MatIn J1, J2, J3;
  VecIn r1, r2, r3;
  const ConstrainedLeastSquares::Options& options;
  VectorXd row_norm = J3.rowwise().norm();

  double slack(int i, const VectorXd& x) const { return J3.row(i).dot(x) + r3[i]; }
  /// Above the rounding of slack().
  double tolerance(int i, const VectorXd& x) const {
    return 1e-11 * (std::abs(r3[i]) + row_norm[i] * (1 + x.norm()));
  }
  bool obeys_inequalities(const VectorXd& x) const {
    for (int i = 0; i < J3.rows(); ++i) {
      if (slack(i, x) < -tolerance(i, x)) return false;
    }
    return true;
  }

  /// J2 and the rows of J3 in the working set as equations.
  ConstrainedLeastSquares factorized(const std::vector<int>& working) const {
    MatrixXd J(J2.rows() + static_cast<Index>(working.size()), J2.cols());
    J.topRows(J2.rows()) = J2;
    J.bottomRows(static_cast<Index>(working.size())) = J3(working, Eigen::all);
    return ConstrainedLeastSquares(J1, J, options);
  }
  VectorXd right_side(const std::vector<int>& working) const {
    VectorXd r(r2.size() + static_cast<Index>(working.size()));
    r << r2, r3(working);
    return r;
  }
};

/// A point that obeys all constraints, the nearest to the origin; false if there is none.
bool feasible_point(const Problem& problem, VectorXd& x) {
  const auto& [J1, J2, J3, r1, r2, r3, options, row_norm] = problem;
  const ConstrainedLeastSquares equations(MatrixXd(0, J2.cols()), J2, options);
  x = equations.solve(VectorXd(0), r2);
  if (equations.contradiction(r2) > options.contradiction * std::max(1.0, x.norm())) return false;
  const MatrixXd& Z = equations.null_space();
  // Rows that the equations leave no freedom hold at x, or nowhere.
  const MatrixXd G = J3 * Z;
  std::vector<int> rows;
  for (int i = 0; i < J3.rows(); ++i) {
    if (G.row(i).norm() > 1e-12 * row_norm[i]) {
      rows.push_back(i);
    } else if (problem.slack(i, x) <
               -options.contradiction * row_norm[i] * std::max(1.0, x.norm())) {
      return false;
    }
  }
  VectorXd z;
  if (!least_distance(G(rows, Eigen::all), -(r3 + J3 * x)(rows), z)) return false;
  x += Z * z;
  return true;
}

/// The solution with the working set of a neighbouring problem, if it is feasible here.
bool warm_point(const Problem& problem, const std::vector<int>& working, VectorXd& x) {
  for (int i : working) {
    if (i < 0 || i >= problem.J3.rows()) return false;
  }
  const ConstrainedLeastSquares solver = problem.factorized(working);
  // Equations that depend on each other would leave it to chance which of them hold.
  const RankedRows equations(problem.J2, problem.options.constraint_tolerance);
  if (solver.constraint_rank() < equations.rank() + static_cast<Index>(working.size())) {
    return false;
  }
  const VectorXd right_side = problem.right_side(working);
  x = solver.solve(problem.r1, right_side);
  return solver.contradiction(right_side) <=
             problem.options.contradiction * std::max(1.0, x.norm()) &&
         problem.obeys_inequalities(x);
}

/// How far x may go along a direction before an inequality outside the working set is violated;
/// `blocking` is that row, -1 if the whole way is free.
double reach(const Problem& problem, const std::vector<int>& working, const VectorXd& x,
             const VectorXd& direction, int& blocking) {
  double step = 1;
  blocking = -1;
  for (int i = 0; i < problem.J3.rows(); ++i) {
    if (std::find(working.begin(), working.end(), i) != working.end()) continue;
    const double change = problem.J3.row(i).dot(direction);
    if (change >= -1e-14 * problem.row_norm[i] * direction.norm()) continue;
    const double length = std::max(problem.slack(i, x), 0.0) / -change;
    if (length < step) {
      step = length;
      blocking = i;
    }
  }
  return step;
}

/// Position in the working set of the row to leave, the one with the most negative multiplier; -1
/// if there is none. Rows in `kept` have left before, and that brought nothing.
int leaving_row(const Problem& problem, const std::vector<int>& working,
                const VectorXd& multipliers, double gradient_scale, const std::vector<bool>& kept) {
  int leaving = -1;
  double lowest = -1e-12 * gradient_scale;
  for (int i = 0; i < static_cast<int>(working.size()); ++i) {
    const double size = multipliers[i] * problem.row_norm[working[i]];
    if (size >= lowest || kept[static_cast<std::size_t>(working[i])]) continue;
    leaving = i;
    lowest = size;
  }
  return leaving;
}

}  // namespace

ActiveSetResult solve_active_set(MatIn J1, VecIn r1, MatIn J2, VecIn r2, MatIn J3, VecIn r3,
                                 const std::vector<int>& warm_start,
                                 const ConstrainedLeastSquares::Options& options) {
  const Problem problem{J1, J2, J3, r1, r2, r3, options};
  ActiveSetResult result;
  VectorXd& x = result.x;
  result.multipliers = VectorXd::Zero(J3.rows());
  std::vector<int> working = warm_start;
  if (working.empty() || !warm_point(problem, working, x)) {
    working.clear();
    if (!feasible_point(problem, x)) {
      result.status = Status::kInfeasible;
      return result;
    }
  }

  // Degenerate problems could go round in circles, and so could those whose weakest directions are
  // taken for none: the promise of a multiplier is then not kept. A row that left without any
  // decrease stays the next time, until there is one.
  std::vector<bool> kept(static_cast<std::size_t>(J3.rows()), false);
  double least = std::numeric_limits<double>::infinity();
  int last_left = -1;

  const int most = 50 + 20 * static_cast<int>(J3.rows());
  result.status = Status::kMaxIterations;
  for (result.iterations = 0; result.iterations < most; ++result.iterations) {
    result.solver = problem.factorized(working);
    const VectorXd target = result.solver.solve(r1, problem.right_side(working));
    int blocking = -1;
    const double step = reach(problem, working, x, target - x, blocking);
    if (blocking >= 0) {
      x += step * (target - x);
      working.push_back(blocking);
      continue;
    }
    x = target;
    const VectorXd gradient = J1.transpose() * (J1 * x + r1);
    const VectorXd multipliers =
        result.solver.multipliers(gradient).tail(static_cast<Index>(working.size()));
    const double scale = gradient.norm() + (J1.transpose() * r1).norm();
    const double objective = (J1 * x + r1).squaredNorm();
    if (objective < (1 - 1e-13) * least) {
      least = objective;
      std::fill(kept.begin(), kept.end(), false);
    } else if (last_left >= 0) {
      kept[static_cast<std::size_t>(last_left)] = true;
    }
    const int leaving = leaving_row(problem, working, multipliers, scale, kept);
    if (leaving < 0) {
      result.status = Status::kSolved;
      result.multipliers(working) = multipliers.cwiseMax(0);
      break;
    }
    last_left = working[static_cast<std::size_t>(leaving)];
    working.erase(working.begin() + leaving);
  }
  std::sort(working.begin(), working.end());
  result.active = working;
  return result;
}

}  // namespace parfait::math
