#pragma once

#include <Eigen/Core>
#include <cstdint>

namespace parfait::dynamics {

/// What small disturbances of a point become, to first order.
enum class Stability : std::uint8_t {
  kStable,    ///< all decay
  kMarginal,  ///< none grows exponentially, some do not decay: undamped or neutral
  kUnstable,  ///< some grow
};
/// "stable", "marginal", "unstable".
const char* text(Stability stability);

/// Eigenvalues and right eigenvectors of a real matrix A, its zero eigenvalues apart.
///
/// Zero eigenvalues of mechanics are defective (a free body drifts: x' = v, v' = 0), so that
/// rounding would make them +- 1e-8 and more. They are found as null spaces and split off, first
/// that of A, then that of what is left, until nothing is.
struct Spectrum {
  Eigen::VectorXcd values;   ///< not zero; conjugate pairs are neighbours
  Eigen::MatrixXcd vectors;  ///< a column each
  Eigen::MatrixXd neutral;   ///< basis of A x = 0
  int num_zero = 0;          ///< algebraic multiplicity of 0: more than neutral has if it drifts
  Stability stability = Stability::kStable;
  double growth = 0;  ///< largest real part among `values`; 0 if there are none
};

/// Rows of A: n_q, n_v of mechanics, then first-order states. Pivots below 1e-10 of the largest in
/// rows scaled block by block count as zero; real parts within 1e-9 |lambda| of 0 as undamped.
Spectrum compute_spectrum(const Eigen::MatrixXd& A, int n_q, int n_v);

}  // namespace parfait::dynamics
