#pragma once

#include <array>

#include "parfait/mechanism/description/description.h"

namespace parfait::mechanism {

/// Initial axes closer to orthonormal than this are meant to be: only beyond it is a frame general.
inline constexpr double kOrthonormalTolerance = 1e-3;

/// The general frame of a body, X = R S: R its canonical frame, with orthonormal axes, and S upper
/// triangular with a positive diagonal (Gram-Schmidt: x keeps its direction, y stays in the x-y
/// plane). S maps components in the described frame to components in the canonical one.
struct GeneralFrame {
  std::array<std::array<double, 3>, 3> S;
  bool is_orthonormal = true;  ///< S = I

  static GeneralFrame of(const Body& body);
};

}  // namespace parfait::mechanism
