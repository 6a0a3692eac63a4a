#include "parfait/estimate/statistics/fixing_sets.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace parfait::estimate {
namespace fixing_sets_detail {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr double kMostSubsets = 20'000;

double binomial(Index n, Index k) {
  double value = 1;
  for (Index i = 0; i < k; ++i) value *= static_cast<double>(n - i) / static_cast<double>(i + 1);
  return value;
}

/// Of rows `places`; infinite: they leave something open.
double amplification_of(const MatrixXd& U, const std::vector<int>& places) {
  const MatrixXd own = U(places, Eigen::all);
  const Eigen::FullPivLU<MatrixXd> lu(own);
  if (!lu.isInvertible()) return std::numeric_limits<double>::infinity();
  const MatrixXd inverse = lu.inverse();
  const MatrixXd answer = U * inverse;
  const double largest = answer.cwiseAbs().maxCoeff();
  return std::isfinite(largest) ? largest : std::numeric_limits<double>::infinity();
}

/// The next subset of {0 ... n - 1} in lexical order.
bool advance(std::vector<int>& subset, int n) {
  const auto d = static_cast<int>(subset.size());
  for (int i = d - 1; i >= 0; --i) {
    auto& place = subset[static_cast<std::size_t>(i)];
    if (place >= n - d + i) continue;
    ++place;
    for (int j = i + 1; j < d; ++j) {
      subset[static_cast<std::size_t>(j)] = subset[static_cast<std::size_t>(j) - 1] + 1;
    }
    return true;
  }
  return false;
}

/// Rows chosen one after the other, each the largest of what the ones before leave of it.
std::vector<int> pivot_rows(MatrixXd U) {
  std::vector<int> places;
  const Index d = U.cols();
  for (Index k = 0; k < d; ++k) {
    Index row = 0, column = 0;
    U.rightCols(d - k).cwiseAbs().maxCoeff(&row, &column);
    column += k;
    U.col(column).swap(U.col(k));
    places.push_back(static_cast<int>(row));
    for (Index j = k + 1; j < d; ++j) U.col(j) -= U(row, j) / U(row, k) * U.col(k);
  }
  std::ranges::sort(places);
  return places;
}

}  // namespace
}  // namespace fixing_sets_detail

std::vector<FixingSet> fixing_sets(MatIn U, int most, double largest) {
  using namespace fixing_sets_detail;  // NOLINT(google-build-using-namespace): of this file
  const auto n = static_cast<int>(U.rows());
  const auto d = static_cast<std::size_t>(U.cols());
  std::vector<FixingSet> sets;
  if (d == 0 || U.rows() < U.cols()) return sets;
  const auto consider = [&](const std::vector<int>& places) {
    const double amplification = amplification_of(U, places);
    if (amplification <= largest) sets.push_back({places, amplification});
  };
  if (binomial(U.rows(), U.cols()) > kMostSubsets) {
    consider(pivot_rows(U));
    return sets;
  }
  std::vector<int> subset(d);
  std::iota(subset.begin(), subset.end(), 0);
  do {
    consider(subset);
  } while (advance(subset, n));
  // Equal to rounding: in the order of their places.
  std::ranges::stable_sort(sets, [](const FixingSet& a, const FixingSet& b) {
    return a.amplification < b.amplification * (1 - 1e-6);
  });
  if (std::ssize(sets) > most) sets.resize(static_cast<std::size_t>(most));
  return sets;
}

}  // namespace parfait::estimate
