#include "parfait/math/dense_solves.h"

#include <algorithm>

#include "parfait/math/dense_products.h"

namespace parfait::math {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Arguments become plain matrices first: each decomposition is written out for these alone.

Lu::Lu(DenseIn A) : lu_(MatrixXd(A)) {}

MatrixXd Lu::solve(DenseIn B) const {
  if (B.size() == 0) return B;  // Eigen would look at the first entry
  return lu_.solve(MatrixXd(B));
}

namespace {

MatrixXd upper_rows(const Eigen::HouseholderQR<MatrixXd>& qr) {
  return qr.matrixQR().topRows(std::min(qr.rows(), qr.cols())).triangularView<Eigen::Upper>();
}

}  // namespace

Reflections::Reflections(DenseIn A) : qr_(MatrixXd(A)) {}

MatrixXd Reflections::R() const {
  return upper_rows(qr_);
}

void Reflections::apply_transpose(VectorXd& b) const {
  MatrixXd column = b;  // as for all others: for vectors Eigen would write reflections out again
  column.applyOnTheLeft(qr_.householderQ().transpose());
  b = column;
}

PivotedQr::PivotedQr(DenseIn A, double threshold) {
  if (threshold > 0) qr_.setThreshold(threshold);
  qr_.compute(MatrixXd(A));
}

Eigen::Index PivotedQr::rank() const {
  return qr_.rank();
}

MatrixXd PivotedQr::solve(DenseIn B) const {
  return qr_.solve(MatrixXd(B));
}

MatrixXd PivotedQr::Q(Eigen::Index columns) const {
  return qr_.householderQ() * MatrixXd(MatrixXd::Identity(qr_.rows(), columns));
}

OrthogonalDecomposition::OrthogonalDecomposition(DenseIn A, double threshold) {
  if (threshold > 0) cod_.setThreshold(threshold);
  cod_.compute(MatrixXd(A));
}

Eigen::Index OrthogonalDecomposition::rank() const {
  return cod_.rank();
}

MatrixXd OrthogonalDecomposition::null_space() const {
  // Eigen permutes rows of a matrix without columns by their addresses, and it has none.
  if (rank() == cod_.cols()) return {cod_.cols(), 0};
  const MatrixXd Z = cod_.matrixZ();
  return cod_.colsPermutation() * MatrixXd(Z.transpose().rightCols(cod_.cols() - rank()));
}

MatrixXd OrthogonalDecomposition::left_null_space() const {
  const auto count = cod_.rows() - rank();
  if (count == 0) return {cod_.rows(), 0};
  MatrixXd last = MatrixXd::Zero(cod_.rows(), count);
  last.bottomRows(count).setIdentity();
  return cod_.householderQ() * last;
}

MatrixXd OrthogonalDecomposition::solve(DenseIn B) const {
  return cod_.solve(MatrixXd(B));
}

MatrixXd OrthogonalDecomposition::pseudo_inverse() const {
  return cod_.pseudoInverse();
}

MatrixXd gram(DenseIn A) {
  const MatrixXd plain = A;
  return plain.transpose() * plain;
}

MatrixXd congruence(DenseIn A, DenseIn C) {
  const MatrixXd plain = A, product = plain * MatrixXd(C);
  return product * plain.transpose();
}

Eigen::MatrixXcd times(DenseIn A, const Eigen::MatrixXcd& X) {
  const MatrixXd plain = A, re = plain * MatrixXd(X.real()), im = plain * MatrixXd(X.imag());
  Eigen::MatrixXcd result(re.rows(), re.cols());
  result.real() = re;
  result.imag() = im;
  return result;
}

MatrixXd beside(DenseIn T, DenseIn X) {
  const MatrixXd plain = T, along = plain.transpose() * MatrixXd(X);
  return X - plain * along;
}

MatrixXd solve_lu(DenseIn A, DenseIn B) {
  return Lu(A).solve(B);
}

MatrixXd solve_upper(DenseIn R, DenseIn B) {
  MatrixXd X = B;
  MatrixXd(R).triangularView<Eigen::Upper>().solveInPlace(X);
  return X;
}

MatrixXd solve_upper_transpose(DenseIn R, DenseIn B) {
  MatrixXd X = B;
  MatrixXd(R).transpose().triangularView<Eigen::Lower>().solveInPlace(X);
  return X;
}

MatrixXd solve_least_squares(DenseIn A, DenseIn B) {
  return OrthogonalDecomposition(A).solve(B);
}

MatrixXd inverse(DenseIn A) {
  return solve_lu(A, MatrixXd::Identity(A.rows(), A.rows()));
}

MatrixXd pseudo_inverse(DenseIn A) {
  return OrthogonalDecomposition(A).pseudo_inverse();
}

QrFactors qr_factors(DenseIn A) {
  const Eigen::HouseholderQR<MatrixXd> qr{MatrixXd(A)};
  return {qr.householderQ(), upper_rows(qr)};
}

EigenPairs eigen_pairs(DenseIn A) {
  const Eigen::EigenSolver<MatrixXd> solver{MatrixXd(A)};
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Eigen::VectorXcd eigenvalues(DenseIn A) {
  return Eigen::EigenSolver<MatrixXd>(MatrixXd(A), false).eigenvalues();
}

SymmetricPairs symmetric_eigen_pairs(DenseIn A) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver{MatrixXd(A)};
  return {solver.eigenvalues(), solver.eigenvectors()};
}

SymmetricPairs generalized_eigen_pairs(DenseIn A, DenseIn B) {
  const SymmetricPairs of_B = symmetric_eigen_pairs(B);
  const MatrixXd W = of_B.vectors * of_B.values.cwiseSqrt().cwiseInverse().asDiagonal();
  const SymmetricPairs pairs = symmetric_eigen_pairs(congruence(W.transpose(), A));  // W^T B W = I
  return {pairs.values, W * pairs.vectors};
}

}  // namespace parfait::math
