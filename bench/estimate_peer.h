#pragma once

#include <array>
#include <vector>

// The fit of the comparison, and the peer that does it: Ceres around CVODES, in a library of its
// own (see CMakeLists.txt).
namespace parfait::bench {

using Parameters = std::array<double, 4>;

constexpr int kTimes = 50;
constexpr double kUntil = 10;
constexpr double kSigma = 0.05;
constexpr Parameters kGuess = {0.8, 1.2, 0.8, 1.2};
constexpr std::array<double, 2> kStart = {0.4, 1};

struct Outcome {
  Parameters p{};
  double seconds = 0;
  int iterations = 0;
};

struct Settings {
  double rtol = 1e-6;       ///< of the integrator; atol is a hundredth
  double tolerance = 1e-6;  ///< of the iteration
};

/// What CVODES can be asked to do; the comparison takes the fastest.
struct Variant {
  const char* name;
  int multistep;    ///< CV_ADAMS or CV_BDF
  bool newton;      ///< dense, analytic Jacobian; otherwise fixed point
  int sensitivity;  ///< CV_SIMULTANEOUS or CV_STAGGERED
};
std::vector<Variant> peer_variants();

/// `columns`: times and both measurements. `share`, if given: how much of the time was spent in
/// residuals and derivatives. Throws where it does not converge.
Outcome fit_peer(const std::vector<std::vector<double>>& columns, const Variant& variant,
                 Settings settings, double* share = nullptr);

}  // namespace parfait::bench
