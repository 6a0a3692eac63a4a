#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "parfait/estimate/linear/block.h"

namespace parfait::estimate {

enum class Norm : std::uint8_t {
  kL2,     ///< sum of squares
  kHuber,  ///< squares up to gamma, linear beyond: outliers count little
  kL1,     ///< sum of absolute values: outliers count almost nothing
  kLInf,   ///< the largest absolute value: errors that are bounded
};

/// Which rows decide: kept from one linearization to the next as a warm start, frozen while trial
/// points are compared. Ascending row numbers, one list per block.
struct WorkingSet {
  std::vector<std::vector<int>> active;  ///< inequalities that hold as equations
  std::vector<std::vector<int>>
      vanishing;  ///< l1: residuals that are zero; l-infinity: the largest
};

struct LinearFitOptions {
  Norm norm = Norm::kL2;
  double huber_gamma = 1.345;    ///< in units of sigma (95 % efficiency for normal noise)
  double rank_tolerance = 1e-9;  ///< a direction this much weaker than the best is unseen
  double constraint_tolerance =
      1e-11;  ///< pivot below which an equation of unit length is dependent
  /// Dependent equations that differ by more than this, in units of max(1, |solution|), contradict.
  double contradiction_tolerance = 1e-7;
  /// Columns of the data are divided by their lengths first, so that neither the rank nor the
  /// shortest solution depends on units; for sums of squares right-hand sides are measured by
  /// their length, too, so that 1 in what is said above is the size of the residuals.
  bool scale_columns = false;
};

/// Lengths of the columns of the data: of each block's own variables, and of the shared ones over
/// all blocks. A variable without data has that of its equations: the change that they answer with
/// a unit change of the others; 1 where nothing is said.
struct ColumnScales {
  std::vector<Eigen::VectorXd> xi;
  Eigen::VectorXd p;
};

/// Increments xi of all blocks, and p of the shared parameters.
struct LinearSolution {
  std::vector<Eigen::VectorXd> xi;
  Eigen::VectorXd p;
};

/// The linearized estimation problem of all experiments, solved and factorized:
///
///   min sum_e norm(A_e xi_e + B_e p + b_e)   s.t. the equations and inequalities of all blocks.
///
/// Each block is eliminated by itself (LQ of its equations, QR of its data), in parallel; what is
/// left of all of them are data and equations for p. Columns of p are never pivoted against those
/// of xi. With the working set frozen the solution is linear in the right-hand sides: that is J+.
///
/// Frozen    l2: the active inequalities. Huber: also the weights of the rows, at the solution.
///           l1: the residuals that vanish, as many as there are directions to be determined, are
///           equations. l-infinity: likewise the residuals that equal +-tau, tau one more unknown.
/// Rank      Where data and equations leave directions undetermined, the solution is the shortest
///           (xi, p), all together, of those that are equally good with the same working set.
/// Threads   Blocks are eliminated in parallel; the bits do not depend on how many threads there
/// are. See  docs/theory/least_squares.md
class LinearFit {
 public:
  enum class Status : std::uint8_t {
    kSolved,
    kInfeasible,     ///< no point obeys all inequalities and equations
    kContradiction,  ///< equations that depend on each other want different things
    kMaxIterations,  ///< the active set did not settle
    kNotFinite,
  };

  LinearFit();
  ~LinearFit();
  LinearFit(LinearFit&&) noexcept;
  LinearFit& operator=(LinearFit&&) noexcept;

  /// Solves for the blocks' own right-hand sides and keeps the factorization; the blocks are not
  /// needed afterwards. All have the same number of shared parameters. The warm start saves work in
  /// l2 and Huber; linear programs (l1, l-infinity) start anew. `sizes` of the variables, where
  /// known (> 0), tell columns from rounding errors: one whose variable, doubled, moves the data
  /// 1e13 times less than others do is not seen.
  [[nodiscard]] Status factorize(std::span<const Block> blocks,
                                 const LinearFitOptions& options = {},
                                 const WorkingSet& warm_start = {}, const ColumnScales& sizes = {});

  /// The solution that factorize() found.
  const LinearSolution& solution() const;
  /// -J+ r for other right-hand sides, with the working set as it is. Inactive inequalities are
  /// ignored.
  LinearSolution solve(std::span<const RightSide> rights) const;
  const WorkingSet& working_set() const;

  /// Multipliers of equations (any sign) and inequalities (>= 0) per block at solution(): gradient
  /// of the objective = C^T equations + E^T inequalities, for p summed over the blocks. The
  /// objective is half the sum of squares (Huber: continued linearly), the sum of absolute values,
  /// or the largest one. Zero for rows left out as dependent and for inactive inequalities.
  struct Multipliers {
    Eigen::VectorXd equations, inequalities;
  };
  const std::vector<Multipliers>& multipliers() const;

  /// Variables (xi and p) that equations and active inequalities leave free, and how many of those
  /// directions the data determine.
  int num_free() const;
  int rank() const;
  bool full_rank() const { return rank() == num_free(); }
  /// Ratio of the strongest to the weakest direction that is determined.
  double condition() const;

  /// Covariances for data of unit variance, under the equations and active inequalities; what is
  /// not determined contributes nothing. The blocks' errors are correlated through p alone, as long
  /// as everything is determined. Rank, condition and covariances are those of the l2 problem
  /// whatever the norm: the asymptotic covariance of the robust norms is a multiple of it.
  Eigen::MatrixXd covariance_shared() const;
  Eigen::MatrixXd covariance_local(int block) const;
  /// Of xi (rows) with p (columns).
  Eigen::MatrixXd covariance_mixed(int block) const;

  /// Orthonormal directions of all variables in which neither data nor equations say anything:
  /// shared parameters first, then xi of each block in order, all times scales().
  Eigen::MatrixXd undetermined() const;
  /// What columns were divided by; 1 without scale_columns.
  const ColumnScales& scales() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

const char* text(LinearFit::Status status);
const char* text(Norm norm);

}  // namespace parfait::estimate
