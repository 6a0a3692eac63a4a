#pragma once

#include <array>

#include "parfait/mbs/solver/mechanism_names.h"
#include "parfait/mechanism/description/general_frame.h"

namespace parfait::mbs {

/// The constant linear map between the coordinates a body shows, u = (u0 u1 u2 u3), and the
/// canonical ones (o e1 e2 e3) whose axes are orthonormal: columns satisfy canonical = u A, u =
/// canonical B. Covers points instead of vectors (Kraus 2006, section 5.1.1) and general frames X =
/// R S: the solver knows one kind of body only. The same maps serve rates, accelerations and
/// directions.
struct CoordinateMap {
  std::array<std::array<double, 4>, 4> A, B;
  std::array<std::array<double, 3>, 3> S;  ///< local components to canonical ones, upper triangular
  std::array<std::array<double, 3>, 3> S_inverse;
  bool is_identity = true;
  bool is_orthonormal = true;  ///< S = I

  static CoordinateMap of(const Body& body, BodyCoordinates coordinates);

  void to_canonical(const double* u, double* q) const { apply(A, u, q); }
  void from_canonical(const double* q, double* u) const { apply(B, q, u); }
  static void apply(const std::array<std::array<double, 4>, 4>& M, const double* in, double* out);
};

}  // namespace parfait::mbs
