#pragma once

#include <Eigen/Core>

#include "parfait/math/ranked_columns.h"
#include "parfait/math/ranked_rows.h"

namespace parfait::math {

/// The linear least squares problem with equality constraints
///
///   min |J1 x + r1|   s.t.   J2 x + r2 = 0,        x = -J+ (r1, r2)
///
/// factorized once and solved for any number of right-hand sides: globalization asks for -J+ r at
/// trial points with the factorization of the current one.
///
///   J2 = rows by independence (RankedRows),   J1 Z = columns by what the data see (RankedColumns)
///   x = Y x_Y + Z V_1 w,   R1^T x_Y = -r2,   T w = -(Q^T (r1 + J1 Y x_Y))_1
///
/// Rank  Dependent constraint rows are left out; contradiction() says by how much they are violated
///       then. Data of deficient rank give the solution of least 2-norm.
/// Norm  Columns should be scaled beforehand: rank and minimum norm depend on it.
/// See   docs/theory/least_squares.md (L1-L3); Kraus 2006, section 1.3.2
class ConstrainedLeastSquares {
 public:
  struct Options {
    double constraint_tolerance = 1e-12;  ///< of a row of unit length, to be independent
    double tolerance = 1e-10;     ///< a direction 1e10 times weaker than the best is not determined
    double contradiction = 1e-8;  ///< of max(1, |x|): dependent rows that differ by more contradict
    /// What "the best" is, if larger than the longest column of J1: for a J1 that is the rest of an
    /// elimination.
    double scale = 0;
  };

  ConstrainedLeastSquares() = default;
  ConstrainedLeastSquares(MatIn J1, MatIn J2) : ConstrainedLeastSquares(J1, J2, Options()) {}
  ConstrainedLeastSquares(MatIn J1, MatIn J2, const Options& options);

  Eigen::VectorXd solve(VecIn r1, VecIn r2) const;
  /// Largest |J2 x + r2| / |row of J2| over the rows left out: the distance, in x, of what the
  /// equations want. Compared with options.contradiction max(1, |x|) where an answer is needed.
  double contradiction(VecIn r2) const;

  int num_variables() const { return static_cast<int>(rows_.Y().rows()); }
  int constraint_rank() const { return static_cast<int>(rows_.rank()); }
  /// Rank of J1 on the null space of J2.
  int rank() const { return static_cast<int>(columns_.rank()); }
  /// num_variables - constraint_rank: what the data have to determine.
  int num_free() const { return static_cast<int>(rows_.Z().cols()); }
  bool full_rank() const { return rank() == num_free(); }
  /// Largest and smallest pivot of J1 Z, of the rank found; 0 if that is none.
  double strongest() const { return columns_.strongest(); }
  double weakest() const { return columns_.weakest(); }
  /// Their ratio, 1 at rank 0.
  double condition() const;

  /// C = J+ diag(I, 0) J+^T: the covariance of x for data of unit variance. Directions that are not
  /// determined contribute nothing; undetermined() names them.
  Eigen::MatrixXd covariance() const;
  /// Orthonormal columns: directions x in which neither data nor constraints say anything.
  Eigen::MatrixXd undetermined() const;
  /// lambda of J1^T (J1 x + r1) = J2^T lambda for the gradient on the left, zero for rows left out.
  Eigen::VectorXd multipliers(VecIn gradient) const;
  const Eigen::MatrixXd& null_space() const { return rows_.Z(); }

 private:
  Eigen::MatrixXd J1_;
  RankedRows rows_;
  RankedColumns columns_;
};

}  // namespace parfait::math
