#include "parfait/math/dense_solves.h"

#include <algorithm>

#include "parfait/math/dense_algebra.h"

namespace parfait::math {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Arguments become plain matrices first: each decomposition is written out for these alone.

Lu::Lu(DenseIn A) : lu_(MatrixXd(A)) {}

MatrixXd Lu::solve(DenseIn B) const {
  return lu_.solve(MatrixXd(B));
}

FullLu::FullLu(DenseIn A) : lu_(MatrixXd(A)) {}

bool FullLu::is_regular() const {
  return lu_.isInvertible();
}

MatrixXd FullLu::solve(DenseIn B) const {
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
  b.applyOnTheLeft(qr_.householderQ().transpose());
}

PivotedQr::PivotedQr(DenseIn A, double threshold) {
  if (threshold > 0) qr_.setThreshold(threshold);
  qr_.compute(MatrixXd(A));
}

Eigen::Index PivotedQr::rank() const {
  return qr_.rank();
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
  const MatrixXd Z = cod_.matrixZ();
  return cod_.colsPermutation() * MatrixXd(Z.transpose().rightCols(cod_.cols() - rank()));
}

MatrixXd OrthogonalDecomposition::left_null_space() const {
  const auto count = cod_.rows() - rank();
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

MatrixXd solve_lu(DenseIn A, DenseIn B) {
  return Lu(A).solve(B);
}

MatrixXd solve_full_lu(DenseIn A, DenseIn B) {
  return FullLu(A).solve(B);
}

MatrixXd solve_symmetric(DenseIn A, DenseIn B) {
  const Eigen::LDLT<MatrixXd> ldlt{MatrixXd(A)};
  return ldlt.solve(MatrixXd(B));
}

MatrixXd solve_least_squares(DenseIn A, DenseIn B) {
  return OrthogonalDecomposition(A).solve(B);
}

MatrixXd solve_least_squares_svd(DenseIn A, DenseIn B, double threshold) {
  Eigen::JacobiSVD<MatrixXd> svd(MatrixXd(A), Eigen::ComputeThinU | Eigen::ComputeThinV);
  svd.setThreshold(threshold);
  return svd.solve(MatrixXd(B));
}

MatrixXd inverse(DenseIn A) {
  return solve_lu(A, MatrixXd::Identity(A.rows(), A.rows()));
}

MatrixXd pseudo_inverse(DenseIn A) {
  return OrthogonalDecomposition(A).pseudo_inverse();
}

MatrixXd kernel(DenseIn A) {
  const Eigen::FullPivLU<MatrixXd> lu{MatrixXd(A)};
  return lu.kernel();
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

SymmetricPairs generalized_eigen_pairs(DenseIn A, DenseIn B) {
  const Eigen::LLT<MatrixXd> llt{MatrixXd(B)};
  const MatrixXd lower = llt.matrixL();
  const Lu L(lower), U(lower.transpose());
  const MatrixXd left = L.solve(A);  // L^-1 A L^-T, symmetric
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(L.solve(left.transpose()));
  return {solver.eigenvalues(), U.solve(solver.eigenvectors())};
}

}  // namespace parfait::math
