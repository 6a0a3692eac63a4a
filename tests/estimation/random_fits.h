#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "parfait/estimate/problem/problem.h"

/// Small estimation problems drawn at random, and a judge that shares no code with the fit: it has
/// the models in closed form, differentiates them numerically and descends by a method of its own.
namespace parfait::estimation {

struct RandomFit {
  std::string kind;  ///< "line", "decay", ...
  estimate::Problem problem;
  /// Weighted residuals at parameters in the order of the estimates.
  std::function<std::vector<double>(const std::vector<double>& p)> residuals;
};

/// Models linear and nonlinear; parameters, times and data in units of 1e-12 ... 1e12; bounds,
/// active or not; outliers; sometimes fewer data than parameters; starts up to a factor of 10 away.
/// The same number gives the same problem.
RandomFit random_fit(std::uint64_t number);

enum class Verdict : std::uint8_t {
  kRight,
  kNotConverged,    ///< and said so
  kCrash,           ///< an exception
  kWorseThanStart,  ///< "converged" above the start
  kNotFirstOrder,   ///< "converged" where the gradient does not vanish
  kCanBeLowered,    ///< "converged", and another local method goes 1e-6 lower from there
};
const char* text(Verdict verdict);

struct RandomOutcome {
  Verdict verdict = Verdict::kRight;
  int iterations = 0;
  bool descended = false;  ///< auto changed its method
  std::string what;        ///< more about it, for a person
};
RandomOutcome try_random_fit(const RandomFit& random);

}  // namespace parfait::estimation
