#pragma once

#include <Eigen/Core>
#include <functional>

namespace parfait::estimate {

/// A matrix that is known by its products alone; false: a product could not be made.
struct LinearOperator {
  Eigen::Index rows = 0, cols = 0;
  std::function<bool(const Eigen::VectorXd& v, Eigen::VectorXd& Av)> times;
  std::function<bool(const Eigen::VectorXd& u, Eigen::VectorXd& At_u)> transposed_times;
};

struct LsmrResult {
  Eigen::VectorXd x;
  int iterations = 0;       ///< each with a product of both kinds
  bool is_complete = true;  ///< false: a product failed, or the limit of iterations was met
};

/// min |A x - b| by LSMR (Fong, Saunders 2011): Golub-Kahan bidiagonalization, with |A^T (A x - b)|
/// falling in every iteration, of all x that fit alike the shortest. The vectors v are kept
/// orthogonal to each other (cols numbers an iteration are stored), so that rounding does not
/// delay the end, which comes after rank(A) iterations at the latest.
///
/// @param tolerance  ends where |A^T (A x - b)| <= tolerance |A^T b|
LsmrResult lsmr(const LinearOperator& A, const Eigen::VectorXd& b, double tolerance,
                int max_iterations);

}  // namespace parfait::estimate
