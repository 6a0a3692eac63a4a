#include "parfait/integrate/adams/adams_coefficients.h"

#include <algorithm>
#include <cassert>

namespace parfait::integrate {

const std::array<double, kMaxAdamsOrder + 2>& adams_moulton_errors() {
  static const auto errors = [] {
    std::array<double, kMaxAdamsOrder + 2> gamma{};  // signed until the end
    gamma[0] = 1;
    for (int m = 1; m < static_cast<int>(gamma.size()); ++m) {
      for (int j = 0; j < m; ++j) gamma[m] -= gamma[j] / (m + 1 - j);  // (A9)
    }
    for (double& x : gamma) x = x < 0 ? -x : x;
    return gamma;
  }();
  return errors;
}

void AdamsCoefficients::start() {
  num_known_ = 1;
  order_ = 0;
  h_ = 0;
  psi_.fill(0);
  noise_[1] = 1;
}

void AdamsCoefficients::plan(double h, int order) {
  assert(h > 0 && order >= 1 && order <= num_known_ && order <= kMaxAdamsOrder);
  h_ = h;
  order_ = order;
  const int known = std::min(order + 1, num_known_);
  for (int i = 1; i <= known; ++i) psi_next_[i] = psi_[i - 1] + h;  // (A2), psi_0 = 0

  beta_[1] = 1;
  for (int i = 2; i <= known; ++i)
    beta_[i] = beta_[i - 1] * (psi_next_[i - 1] / psi_[i - 1]);  // (A3)

  sigma_[1] = 1;
  for (int i = 1; i <= known; ++i) sigma_[i + 1] = sigma_[i] * (i * h / psi_next_[i]);  // (A8)

  noise_next_[1] = 1;
  for (int i = 1; i <= known; ++i)
    noise_next_[i + 1] = noise_next_[i] + beta_[i] * noise_[i];  // (A10)

  AdamsArray c;
  basis(1, c, g_);
}

void AdamsCoefficients::accept() {
  num_known_ = std::min(num_known_ + 1, order_ + 2);
  for (int i = 1; i < num_known_; ++i) psi_[i] = psi_next_[i];
  for (int i = 1; i <= num_known_; ++i) noise_[i] = noise_next_[i];
}

void AdamsCoefficients::basis(double s, AdamsArray& c, AdamsArray& g) const {
  const double H = s * h_;
  AdamsArray column;  // g_(i,q) of the present i, q = 1 ... k + 2 - i
  for (int q = 1; q <= order_ + 1; ++q) column[q] = 1.0 / q;
  c[1] = 1;
  g[1] = 1;
  for (int i = 2; i <= order_ + 1; ++i) {
    // At s = 1 both sums are the same number, so that the ratio is exactly 1.
    const double ratio = (psi_[i - 2] + H) / psi_next_[i - 1];
    const double eta = H / psi_next_[i - 1];
    for (int q = 1; q <= order_ + 2 - i; ++q) {
      column[q] = ratio * column[q] - eta * column[q + 1];  // (A5)
    }
    c[i] = c[i - 1] * ratio;  // (A4)
    g[i] = column[1];
  }
}

}  // namespace parfait::integrate
