#pragma once

#include <span>
#include <vector>

/// Low-pass filters without delay for evenly sampled signals.
namespace parfait::motion {

/// A digital Butterworth filter of third order by the bilinear transform,
///
///   y_k = sum_i b_i x_(k-i) - sum_(i>0) a_i y_(k-i),     |H(cutoff)| = 1/sqrt(2),
///
/// with w = tan(pi cutoff / rate) for the prototype 1 / ((s + 1)(s^2 + s + 1)).
struct Butterworth3 {
  double b[4] = {}, a[4] = {};

  /// InputError unless 0 < cutoff < rate / 2.
  Butterworth3(double cutoff, double rate);
};

/// Forward, then backward over the result: no delay, and the gain is |H|^2 (1/2 at the cutoff, as
/// OpenSim and most laboratories mean "6 Hz zero-lag"). The signal is first continued at both ends
/// by `padding` samples, turned round its end point (odd reflection: 2 x_0 - x_k), and the
/// continuation is kept: the result has signal.size() + 2 padding samples.
/// padding < signal.size(); at least four samples.
std::vector<double> filter_without_delay(std::span<const double> signal, const Butterworth3& filter,
                                         std::size_t padding);

}  // namespace parfait::motion
