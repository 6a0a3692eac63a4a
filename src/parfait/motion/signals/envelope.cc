#include "parfait/motion/signals/envelope.h"

#include <cmath>

#include "parfait/motion/signals/butterworth.h"

namespace parfait::motion {
namespace {

std::vector<double> low_pass(std::span<const double> signal, double rate, double cutoff) {
  const std::size_t padding = signal.size() / 2;
  const auto filtered = filter_without_delay(signal, Butterworth3(cutoff, rate), padding);
  return {filtered.begin() + static_cast<std::ptrdiff_t>(padding),
          filtered.end() - static_cast<std::ptrdiff_t>(padding)};
}

}  // namespace

std::vector<double> emg_envelope(std::span<const double> signal, double rate, double cutoff) {
  constexpr double kHighPass = 20;  // Hz: movements of cables are slower
  const auto slow = low_pass(signal, rate, kHighPass);
  std::vector<double> out(signal.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = std::abs(signal[i] - slow[i]);
  return low_pass(out, rate, cutoff);
}

}  // namespace parfait::motion
