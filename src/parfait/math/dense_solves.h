#pragma once

#include <Eigen/Dense>

/// Decompositions, and what is written out often, behind plain functions. Eigen writes a
/// decomposition anew into every file that uses one, for every kind of expression it is applied to,
/// and that was up to 40 % of the time of compiling a target; here each is compiled once. Vectors
/// are matrices with one column.
namespace parfait::math {

using DenseIn = const Eigen::Ref<const Eigen::MatrixXd>&;

/// A^T A
Eigen::MatrixXd gram(DenseIn A);
/// A C A^T: the covariance of A x from that of x.
Eigen::MatrixXd congruence(DenseIn A, DenseIn C);
/// A real matrix times a complex one.
Eigen::MatrixXcd times(DenseIn A, const Eigen::MatrixXcd& X);
/// X - T T^T X: what is left of X beside the orthonormal columns of T.
Eigen::MatrixXd beside(DenseIn T, DenseIn X);
/// A^-1 B, A square and regular: LU with row exchanges.
Eigen::MatrixXd solve_lu(DenseIn A, DenseIn B);
/// R^-1 B, R upper triangular (what is below its diagonal is not read) and regular.
Eigen::MatrixXd solve_upper(DenseIn R, DenseIn B);
Eigen::MatrixXd solve_upper_transpose(DenseIn R, DenseIn B);  ///< R^-T B, likewise
/// The shortest X with the smallest |A X - B|, for any rank of A (complete orthogonal
/// decomposition).
Eigen::MatrixXd solve_least_squares(DenseIn A, DenseIn B);

Eigen::MatrixXd inverse(DenseIn A);
Eigen::MatrixXd pseudo_inverse(DenseIn A);
/// A = Q R, Q square, R with as many rows as A has columns at most.
struct QrFactors {
  Eigen::MatrixXd Q, R;
};
QrFactors qr_factors(DenseIn A);

/// LU with row exchanges, for several right-hand sides.
class Lu {
 public:
  Lu() = default;
  explicit Lu(DenseIn A);
  Eigen::MatrixXd solve(DenseIn B) const;

 private:
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
};

/// A = Q R with Q as a product of reflections.
class Reflections {
 public:
  Reflections() = default;
  explicit Reflections(DenseIn A);
  Eigen::MatrixXd R() const;                       ///< as in QrFactors
  void apply_transpose(Eigen::VectorXd& b) const;  ///< b := Q^T b

 private:
  Eigen::HouseholderQR<Eigen::MatrixXd> qr_;
};

/// A P = Q R with column exchanges; pivots below `threshold` times the largest are zero (0: below
/// rounding).
class PivotedQr {
 public:
  PivotedQr() = default;
  explicit PivotedQr(DenseIn A, double threshold = 0);
  Eigen::Index rank() const;
  /// Whether A is square and of full rank.
  bool is_regular() const { return qr_.rows() == qr_.cols() && rank() == qr_.cols(); }
  Eigen::MatrixXd solve(DenseIn B) const;  ///< A^-1 B where A is regular
  /// The column of A that came to place i.
  Eigen::Index column(Eigen::Index i) const { return qr_.colsPermutation().indices()[i]; }
  double pivot(Eigen::Index i) const { return std::abs(qr_.matrixQR()(i, i)); }
  /// The first columns of Q.
  Eigen::MatrixXd Q(Eigen::Index columns) const;

 private:
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr_;
};

/// A P = Q [T 0; 0 0] Z, T regular; the threshold as for PivotedQr.
class OrthogonalDecomposition {
 public:
  explicit OrthogonalDecomposition(DenseIn A, double threshold = 0);
  Eigen::Index rank() const;
  /// Orthonormal columns that span { x : A x = 0 }.
  Eigen::MatrixXd null_space() const;
  /// The columns of Q beyond the rank: they span { u : A^T u = 0 }.
  Eigen::MatrixXd left_null_space() const;
  Eigen::MatrixXd solve(DenseIn B) const;  ///< shortest, least squares
  Eigen::MatrixXd pseudo_inverse() const;

 private:
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> cod_;
};

struct EigenPairs {
  Eigen::VectorXcd values;
  Eigen::MatrixXcd vectors;
};
EigenPairs eigen_pairs(DenseIn A);
Eigen::VectorXcd eigenvalues(DenseIn A);

struct SymmetricPairs {
  Eigen::VectorXd values;  ///< ascending
  Eigen::MatrixXd vectors;
};
/// Of a symmetric matrix; the vectors are orthonormal.
SymmetricPairs symmetric_eigen_pairs(DenseIn A);
/// A x = l B x, A symmetric, B symmetric positive definite; x^T B x = 1.
SymmetricPairs generalized_eigen_pairs(DenseIn A, DenseIn B);

}  // namespace parfait::math
