#include "parfait/dynamics/spectrum.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <vector>

#include "parfait/dynamics/null_space.h"
#include "parfait/math/dense_solves.h"

namespace parfait::dynamics {
namespace {

using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kZeroRow = 1e-10;
constexpr double kUndamped = 1e-9;

/// Powers of two d that make row and column norms of D^-1 A D alike (Parlett and Reinsch 1969).
VectorXd balance(MatrixXd& A) {
  VectorXd d = VectorXd::Ones(A.rows());
  for (bool changed = true; changed;) {
    changed = false;
    for (Eigen::Index i = 0; i < A.rows(); ++i) {
      const double c = A.col(i).lpNorm<1>() - std::abs(A(i, i));
      const double r = A.row(i).lpNorm<1>() - std::abs(A(i, i));
      if (!(c > 0) || !(r > 0) || !std::isfinite(c + r)) continue;
      const double f = std::exp2(std::round(std::log2(r / c) / 2));
      if (c * f + r / f >= 0.95 * (c + r)) continue;
      A.col(i) *= f;
      A.row(i) /= f;
      d[i] *= f;
      changed = true;
    }
  }
  return d;
}

/// A basis change that splits a null space off: in (N, W), A = [0, N^T A W; 0, W^T A W].
struct Split {
  MatrixXd N, W, coupling;
};

MatrixXd complement(const MatrixXd& N) {
  return math::qr_factors(N).Q.rightCols(N.rows() - N.cols());
}

void judge(Spectrum& out) {
  out.stability = out.num_zero > 0 ? Stability::kMarginal : Stability::kStable;
  for (Eigen::Index i = 0; i < out.values.size(); ++i) {
    const auto lambda = out.values[i];
    out.growth = i == 0 ? lambda.real() : std::max(out.growth, lambda.real());
    if (lambda.real() > kUndamped * std::abs(lambda)) {
      out.stability = Stability::kUnstable;
    } else if (lambda.real() >= -kUndamped * std::abs(lambda) &&
               out.stability == Stability::kStable) {
      out.stability = Stability::kMarginal;
    }
  }
}

}  // namespace

const char* text(Stability stability) {
  switch (stability) {
    case Stability::kStable:
      return "stable";
    case Stability::kMarginal:
      return "marginal";
    case Stability::kUnstable:
      return "unstable";
  }
  return "unknown";
}

Spectrum compute_spectrum(const MatrixXd& A, int n_q, int n_v) {
  Spectrum out;
  const auto n = A.rows();
  const VectorXd scale = make_row_scale(A, {n_q, n_v});
  std::vector<Split> splits;
  MatrixXd B = A;                             // A on what is left
  MatrixXd rows = A;                          // the same, its rows still those of A
  MatrixXd basis = MatrixXd::Identity(n, n);  // of what is left
  while (B.rows() > 0) {
    // The rows of A keep their units, so what is zero is decided there.
    const MatrixXd N = compute_null_spaces(rows, scale, kZeroRow).N;
    if (N.cols() == 0) break;
    if (splits.empty()) out.neutral = N;
    out.num_zero += static_cast<int>(N.cols());
    const MatrixXd W = complement(N);
    const MatrixXd B_W = B * W;
    splits.push_back({N, W, N.transpose() * B_W});
    const MatrixXd gone = basis * N;
    rows = math::beside(gone, rows * W);
    B = W.transpose() * B_W;
    basis = (basis * W).eval();
  }
  if (splits.empty()) out.neutral.resize(n, 0);

  MatrixXd balanced = B;
  const VectorXd d = balance(balanced);
  if (B.rows() > 0) {
    const auto [values, vectors] = math::eigen_pairs(balanced);
    out.values = values;
    out.vectors = d.asDiagonal() * vectors;
  } else {
    out.vectors.resize(0, 0);
  }
  // Back through the splits: A (N c + W w) = lambda (N c + W w) where c = N^T A W w / lambda.
  for (auto split = splits.rbegin(); split != splits.rend(); ++split) {
    MatrixXcd c = math::times(split->coupling, out.vectors);
    for (Eigen::Index j = 0; j < c.cols(); ++j) c.col(j) /= out.values[j];
    out.vectors = (math::times(split->N, c) + math::times(split->W, out.vectors)).eval();
  }
  judge(out);
  return out;
}

}  // namespace parfait::dynamics
