#pragma once

#include <span>
#include <vector>

namespace parfait::motion {

/// How active a muscle is, from its electromyogram: what is above 20 Hz (the signal less its
/// zero-lag low-pass), rectified, and smoothed at `cutoff` Hz without delay. For a sine of
/// amplitude a well above 20 Hz it is 2 a / pi. `rate`: samples per second, more than 40 and twice
/// the cutoff.
std::vector<double> emg_envelope(std::span<const double> signal, double rate, double cutoff = 6);

}  // namespace parfait::motion
