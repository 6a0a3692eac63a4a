#pragma once

#include <array>

#include "parfait/math/vec3.h"

/// Mass properties of a body in its canonical (orthonormal) frame.
namespace parfait::mechanism {

/// Mass, centre of mass and second moment J = int rho rho^T dm about it (xx yy zz xy xz yz).
/// J = tr(Theta)/2 I - Theta for the inertia tensor Theta about the centre of mass (K eq. 4.13 for
/// a centre anywhere; docs/theory/corrections.md).
template <class S>
struct Inertia {
  S m{};
  std::array<S, 3> c{};
  std::array<S, 6> J{};
};

/// Theta (xx yy zz xy xz yz) to J.
template <class S>
std::array<S, 6> second_moment(const std::array<S, 6>& Theta) {
  const S half(0.5);
  return {half * (Theta[1] + Theta[2] - Theta[0]),
          half * (Theta[0] + Theta[2] - Theta[1]),
          half * (Theta[0] + Theta[1] - Theta[2]),
          -Theta[3],
          -Theta[4],
          -Theta[5]};
}

/// m (|c|^2 I - c c^T): the tensor of the whole mass at the centre, about the origin.
template <class S>
std::array<S, 6> steiner(const S& m, const std::array<S, 3>& c) {
  return {m * (c[1] * c[1] + c[2] * c[2]),
          m * (c[0] * c[0] + c[2] * c[2]),
          m * (c[0] * c[0] + c[1] * c[1]),
          -(m * c[0] * c[1]),
          -(m * c[0] * c[2]),
          -(m * c[1] * c[2])};
}

/// From the Cholesky factor of the pseudo-inertia [[J + m c c^T, m c], [m c^T, m]] = L L^T, L row
/// by row: every L with a nonzero diagonal is a body that can exist.
template <class S>
Inertia<S> inertia_from_cholesky(const std::array<S, 10>& L) {
  const auto at = [&](int i, int j) -> const S& { return L[i * (i + 1) / 2 + j]; };
  const auto P = [&](int i, int j) {  // i >= j
    S sum = at(i, 0) * at(j, 0);
    for (int k = 1; k <= j; ++k) sum = sum + at(i, k) * at(j, k);
    return sum;
  };
  Inertia<S> out;
  out.m = P(3, 3);
  for (int i = 0; i < 3; ++i) out.c[i] = P(3, i) / out.m;
  const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 0}, {2, 0}, {2, 1}};
  for (int e = 0; e < 6; ++e) {
    const auto [i, j] = pair[e];
    out.J[e] = P(i, j) - out.m * out.c[i] * out.c[j];
  }
  return out;
}

/// The inverse of inertia_from_cholesky; false if the body is not physical.
bool cholesky_from_inertia(const Inertia<double>& inertia, std::array<double, 10>& L);

}  // namespace parfait::mechanism
