#include "parfait/estimate/statistics/sparse_basis.h"

#include <Eigen/QR>
#include <algorithm>
#include <numeric>
#include <utility>

#include "parfait/math/dense_solves.h"

namespace parfait::estimate {

using Eigen::Index;
using Eigen::MatrixXd;

MatrixXd sparse_basis(MatIn U, double tolerance) {
  MatrixXd rows = U.transpose();
  Index found = 0;
  for (; found < rows.rows(); ++found) {
    Index i = 0, j = 0;
    const double pivot = rows.bottomRows(rows.rows() - found).cwiseAbs().maxCoeff(&i, &j);
    if (!(pivot > tolerance)) break;
    rows.row(found).swap(rows.row(found + i));
    rows.row(found) /= rows(found, j);
    for (Index k = 0; k < rows.rows(); ++k) {
      if (k == found) continue;
      const double factor = rows(k, j);
      rows.row(k) -= factor * rows.row(found);
      rows(k, j) = 0;
    }
  }
  MatrixXd basis = rows.topRows(found).transpose();
  return (basis.array().abs() > tolerance).select(basis, 0.0);
}

MatrixXd sparse_complement(MatIn U, double tolerance) {
  if (U.cols() == 0) return MatrixXd::Identity(U.rows(), U.rows());
  const math::PivotedQr qr(U, tolerance);
  return sparse_basis(qr.Q(U.rows()).rightCols(U.rows() - qr.rank()), tolerance);
}

std::vector<Tied> tied_places(MatIn basis) {
  // Each vector gives all its places the least label among them, until nothing changes.
  std::vector<Index> label(static_cast<std::size_t>(basis.rows()));
  std::iota(label.begin(), label.end(), Index{0});
  const auto label_of = [&](Index i) -> Index& { return label[static_cast<std::size_t>(i)]; };
  for (bool changed = true; changed;) {
    changed = false;
    for (Index v = 0; v < basis.cols(); ++v) {
      Index least = basis.rows();
      for (Index i = 0; i < basis.rows(); ++i) {
        if (basis(i, v) != 0) least = std::min(least, label_of(i));
      }
      for (Index i = 0; i < basis.rows(); ++i) {
        if (basis(i, v) == 0 || label_of(i) == least) continue;
        label_of(i) = least;
        changed = true;
      }
    }
  }
  std::vector<Tied> sets;
  for (Index first = 0; first < basis.rows(); ++first) {
    Tied set;
    for (Index v = 0; v < basis.cols(); ++v) {
      Index i = 0;
      basis.col(v).cwiseAbs().maxCoeff(&i);
      if (label_of(i) == first) set.vectors.push_back(static_cast<int>(v));
    }
    if (set.vectors.empty()) continue;
    for (Index i = 0; i < basis.rows(); ++i) {
      if (label_of(i) == first) set.places.push_back(static_cast<int>(i));
    }
    sets.push_back(std::move(set));
  }
  return sets;
}

}  // namespace parfait::estimate
