#include "parfait/math/nonnegative_least_squares.h"

#include <Eigen/QR>
#include <limits>
#include <vector>

#include "parfait/math/dense_solves.h"

namespace parfait::math {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// The least squares solution on the columns that are free, zero elsewhere.
VectorXd solve_free(const Eigen::Ref<const MatrixXd>& A, const Eigen::Ref<const VectorXd>& b,
                    const std::vector<bool>& is_free) {
  std::vector<Eigen::Index> columns;
  for (std::size_t j = 0; j < is_free.size(); ++j) {
    if (is_free[j]) columns.push_back(static_cast<Eigen::Index>(j));
  }
  VectorXd x = VectorXd::Zero(A.cols());
  if (!columns.empty()) {
    const VectorXd part = solve_least_squares(A(Eigen::all, columns), b);
    x(columns) = part;
  }
  return x;
}

}  // namespace

VectorXd nonnegative_least_squares(const Eigen::Ref<const MatrixXd>& A,
                                   const Eigen::Ref<const VectorXd>& b) {
  const Eigen::Index n = A.cols();
  std::vector<bool> is_free(n, false);
  std::vector<bool> is_useless(n, false);  // rounding alone made these look worth entering
  VectorXd x = VectorXd::Zero(n);
  const VectorXd tolerance = 10 * std::numeric_limits<double>::epsilon() *
                             static_cast<double>(A.rows()) * b.norm() *
                             A.colwise().norm().transpose();
  for (Eigen::Index outer = 0; outer < 3 * n + 10; ++outer) {
    const VectorXd gradient = A.transpose() * (b - A * x);
    Eigen::Index best = -1;
    for (Eigen::Index j = 0; j < n; ++j) {
      if (is_free[j] || is_useless[j] || gradient[j] <= tolerance[j]) continue;
      if (best < 0 || gradient[j] > gradient[best]) best = j;
    }
    if (best < 0) return x;
    is_free[best] = true;
    for (;;) {
      const VectorXd trial = solve_free(A, b, is_free);
      // Go towards the trial until the first variable would become negative, and bind that one.
      double alpha = 1;
      Eigen::Index blocking = -1;
      for (Eigen::Index j = 0; j < n; ++j) {
        if (!is_free[j] || trial[j] > 0) continue;
        const double ratio = x[j] > 0 ? x[j] / (x[j] - trial[j]) : 0;
        if (blocking < 0 || ratio < alpha) {
          alpha = ratio;
          blocking = j;
        }
      }
      if (blocking < 0) {
        x = trial;
        is_useless.assign(n, false);
        break;
      }
      x += alpha * (trial - x);
      x[blocking] = 0;
      is_free[blocking] = false;
      if (blocking == best && alpha == 0) {
        is_useless[best] = true;
        break;
      }
    }
  }
  return x;
}

bool least_distance(const Eigen::Ref<const MatrixXd>& G, const Eigen::Ref<const VectorXd>& h,
                    VectorXd& x) {
  const Eigen::Index n = G.cols(), m = G.rows();
  x = VectorXd::Zero(n);
  if (m == 0 || h.maxCoeff() <= 0) return true;  // the origin obeys
  // Rows of one length: an infeasible problem is told by a residual of 0 against 1.
  MatrixXd E(n + 1, m);
  for (Eigen::Index i = 0; i < m; ++i) {
    const double length = std::max(G.row(i).norm(), 1e-300);
    E.col(i).head(n) = G.row(i).transpose() / length;
    E(n, i) = h[i] / length;
  }
  VectorXd f = VectorXd::Zero(n + 1);
  f[n] = 1;
  const VectorXd u = nonnegative_least_squares(E, f);
  const VectorXd r = E * u - f;
  if (!(r.norm() > 1e-10)) return false;
  x = -r.head(n) / r[n];
  return true;
}

}  // namespace parfait::math
