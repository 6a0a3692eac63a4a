#include "parfait/motion/signals/butterworth.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "parfait/base/error.h"

namespace parfait::motion {
namespace {

/// Until there are enough values before, the signal passes unchanged: with a continuation at the
/// ends this decides nothing.
std::vector<double> filtered(const std::vector<double>& x, const Butterworth3& f) {
  std::vector<double> y = x;
  for (std::size_t k = 3; k < x.size(); ++k) {
    y[k] = f.b[0] * x[k] + f.b[1] * x[k - 1] + f.b[2] * x[k - 2] + f.b[3] * x[k - 3] -
           f.a[1] * y[k - 1] - f.a[2] * y[k - 2] - f.a[3] * y[k - 3];
  }
  return y;
}

}  // namespace

Butterworth3::Butterworth3(double cutoff, double rate) {
  if (!(cutoff > 0 && cutoff < rate / 2)) {
    throw base::InputError("a filter of " + std::to_string(cutoff) +
                           " Hz: must lie between 0 and half of the sampling rate, " +
                           std::to_string(rate / 2) + " Hz.");
  }
  const double w = std::tan(std::numbers::pi * cutoff / rate), w2 = w * w, w3 = w2 * w;
  const double d = 1 + 2 * w + 2 * w2 + w3;
  b[0] = b[3] = w3 / d;
  b[1] = b[2] = 3 * w3 / d;
  a[0] = 1;
  a[1] = (-3 - 2 * w + 2 * w2 + 3 * w3) / d;
  a[2] = (3 - 2 * w - 2 * w2 + 3 * w3) / d;
  a[3] = (-1 + 2 * w - 2 * w2 + w3) / d;
}

std::vector<double> filter_without_delay(std::span<const double> signal, const Butterworth3& filter,
                                         std::size_t padding) {
  const std::size_t n = signal.size();
  if (n < 4 || padding >= n) {
    throw base::InputError("a signal of " + std::to_string(n) + " samples is too short to filter.");
  }
  std::vector<double> x;
  x.reserve(n + 2 * padding);
  for (std::size_t k = padding; k > 0; --k) x.push_back(2 * signal[0] - signal[k]);
  x.insert(x.end(), signal.begin(), signal.end());
  for (std::size_t k = 1; k <= padding; ++k) x.push_back(2 * signal[n - 1] - signal[n - 1 - k]);
  for (int pass = 0; pass < 2; ++pass) {
    x = filtered(x, filter);
    std::reverse(x.begin(), x.end());
  }
  return x;
}

}  // namespace parfait::motion
