#pragma once

#include <memory>
#include <span>
#include <vector>

#include "parfait/estimate/linear/block_elimination.h"
#include "parfait/estimate/linear/linear_fit.h"
#include "parfait/math/constrained_least_squares.h"

namespace parfait::estimate {

/// Blocks that share p, each eliminated by itself, solved together:
///
///   min sum_e |A_e xi_e + B_e p + b_e|^2   s.t.   C_e xi_e + D_e p + c_e = 0
///
/// Where the rows do not determine everything, the solution is the shortest (xi, p) of all that are
/// equally good.
///
/// See  docs/theory/least_squares.md (L4-L10)
class BorderedLeastSquares {
 public:
  using Eliminations = std::vector<std::shared_ptr<const BlockElimination>>;

  /// The right-hand sides of a block: of its data and of its equations.
  struct Right {
    Eigen::VectorXd b, c;
  };

  BorderedLeastSquares() = default;
  BorderedLeastSquares(Eliminations blocks, Eigen::Index num_shared, const Tolerances& tolerances);

  LinearSolution solve(std::span<const Right> rights) const;
  /// How far dependent equations are from each other, in units of the scaled variables.
  double contradiction(std::span<const Right> rights) const;
  /// lambda_e with A_e^T residuals_e = C_e^T lambda_e, sum B_e^T residuals_e = sum D_e^T lambda_e.
  std::vector<Eigen::VectorXd> multipliers(std::span<const Right> rights,
                                           const LinearSolution& solution) const;

  int num_free() const { return num_free_; }
  int rank() const { return rank_; }
  int num_dependent() const { return num_dependent_; }  ///< equations
  double condition() const { return condition_; }

  /// Covariances for data of unit variance.
  Eigen::MatrixXd covariance_shared() const;
  Eigen::MatrixXd covariance_local(int block) const;
  Eigen::MatrixXd covariance_mixed(int block) const;  ///< xi (rows) with p
  /// As LinearFit::undetermined().
  Eigen::MatrixXd undetermined() const;

 private:
  using Reduced = std::vector<BlockElimination::Reduced>;
  Reduced reduce(std::span<const Right> rights) const;
  static Eigen::VectorXd stacked_r1(const Reduced& reduced);
  static Eigen::VectorXd stacked_r2(const Reduced& reduced);
  void find_shortest();

  Eliminations blocks_;
  Eigen::Index num_shared_ = 0;
  Eigen::MatrixXd J1_;
  math::ConstrainedLeastSquares shared_;
  int num_free_ = 0, rank_ = 0, num_dependent_ = 0;
  double condition_ = 1;
  double solve_flops_ = 0;

  /// Of the local unknowns of a block with q (below).
  Eigen::MatrixXd covariance_with_q(int block) const;

  /// Directions N of p that are not determined, xi following as S_e N: the solution is shortened by
  /// -(N, S N) K q, K^-1 = N^T N + sum (S_e N)^T S_e N, q = sum (S_e N)^T xi_e.
  struct Shortest {
    Eigen::MatrixXd N, K;
    Eigen::MatrixXd H;      ///< dq/dp
    Eigen::MatrixXd cov_q;  ///< covariance of q
    std::vector<Eigen::MatrixXd> S_N;
  };
  Shortest shortest_;
  Eigen::MatrixXd cov_p_;  ///< covariance of p before it is shortened
};

}  // namespace parfait::estimate
