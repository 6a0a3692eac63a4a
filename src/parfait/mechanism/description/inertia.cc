#include "parfait/mechanism/description/inertia.h"

#include <cmath>

#include "parfait/math/symmetric.h"

namespace parfait::mechanism {

bool cholesky_from_inertia(const Inertia<double>& inertia, std::array<double, 10>& L) {
  const auto& c = inertia.c;
  const double m = inertia.m;
  double P[4][4];
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) P[i][j] = inertia.J[math::kEntry[i][j]] + m * c[i] * c[j];
    P[3][i] = P[i][3] = m * c[i];
  }
  P[3][3] = m;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j <= i; ++j) {
      double sum = P[i][j];
      for (int k = 0; k < j; ++k) sum -= L[i * (i + 1) / 2 + k] * L[j * (j + 1) / 2 + k];
      if (i == j) {
        if (!(sum > 0)) return false;
        L[i * (i + 1) / 2 + j] = std::sqrt(sum);
      } else {
        L[i * (i + 1) / 2 + j] = sum / L[j * (j + 1) / 2 + j];
      }
    }
  }
  return true;
}

}  // namespace parfait::mechanism
