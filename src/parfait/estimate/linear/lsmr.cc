#include "parfait/estimate/linear/lsmr.h"

#include <cmath>
#include <vector>

namespace parfait::estimate {
namespace lsmr_steps {
namespace {

using Eigen::VectorXd;

/// [c s; -s c] (a, b) = (r, 0)
struct Rotation {
  double c, s, r;
  Rotation(double a, double b) : r(std::hypot(a, b)) {
    c = r > 0 ? a / r : 1;
    s = r > 0 ? b / r : 0;
  }
};

double normalize(VectorXd& v) {
  const double length = v.norm();
  if (length > 0) v /= length;
  return length;
}

}  // namespace
}  // namespace lsmr_steps

// The letters are those of the paper: A v_k = alpha_k u_k + beta_k u_(k-1), zeta the right-hand
// side of the second bidiagonal system, h and h_bar the directions of x.
LsmrResult lsmr(const LinearOperator& A, const Eigen::VectorXd& b, double tolerance,
                int max_iterations) {
  using namespace lsmr_steps;  // NOLINT(google-build-using-namespace): of this file
  LsmrResult out;
  out.x = VectorXd::Zero(A.cols);
  VectorXd u = b, v, product;
  double beta = normalize(u);
  if (beta == 0) return out;
  if (!A.transposed_times(u, v)) {
    out.is_complete = false;
    return out;
  }
  double alpha = normalize(v);
  if (alpha == 0) return out;
  std::vector<VectorXd> earlier = {v};
  VectorXd h = v, h_bar = VectorXd::Zero(A.cols);
  const double first = alpha * beta;  // |A^T b|
  double zeta_bar = first, alpha_bar = alpha, rho = 1, rho_bar = 1, c_bar = 1, s_bar = 0;
  while (std::abs(zeta_bar) > tolerance * first) {
    if (out.iterations == max_iterations || !A.times(v, product)) {
      out.is_complete = false;
      return out;
    }
    u = product - alpha * u;
    beta = normalize(u);
    if (!A.transposed_times(u, product)) {
      out.is_complete = false;
      return out;
    }
    v = product - beta * v;
    for (int pass = 0; pass < 2; ++pass) {
      for (const VectorXd& one : earlier) v -= one.dot(v) * one;
    }
    alpha = normalize(v);

    const Rotation first_turn(alpha_bar, beta);
    const double rho_before = rho, theta = first_turn.s * alpha;
    rho = first_turn.r;
    alpha_bar = first_turn.c * alpha;
    const double theta_bar = s_bar * rho, rho_bar_before = rho_bar;
    const Rotation second_turn(c_bar * rho, theta);
    c_bar = second_turn.c;
    s_bar = second_turn.s;
    rho_bar = second_turn.r;
    const double zeta = c_bar * zeta_bar;
    zeta_bar *= -s_bar;

    h_bar = h - (theta_bar * rho / (rho_before * rho_bar_before)) * h_bar;
    out.x += (zeta / (rho * rho_bar)) * h_bar;
    h = v - (theta / rho) * h;
    earlier.push_back(v);
    ++out.iterations;
    if (alpha == 0) break;
  }
  return out;
}

}  // namespace parfait::estimate
