#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parfait/dynamics/system.h"

namespace parfait::integrate {

enum class Method : std::uint8_t {
  kDop853,  ///< explicit Runge-Kutta 8(5,3), dense output of order 7: the default
  kDopri5,  ///< explicit Runge-Kutta 5(4), dense output of order 4: low accuracy, many events
  kAbm,     ///< Adams-Bashforth-Moulton PECE, order 1-12: high accuracy, costly right-hand sides
  kBdf,     ///< backward differentiation (SUNDIALS): stiff ODEs and index-1 DAEs
  kHht,     ///< Hilber-Hughes-Taylor on M, G, f: stiff mechanics, constraints on position level
};
const char* text(Method method);  ///< "dop853", ...
/// InputError with the list of methods if there is none of this name.
Method method_of(std::string_view name);

struct Tolerance {
  double rtol = 1e-8;
  double atol = 1e-10;
};

/// How accurate, how long; shared by all methods.
struct Options {
  Method method = Method::kDop853;
  double rtol = 1e-8;
  double atol = 1e-10;
  /// For a group of components, instead of rtol and atol.
  std::optional<Tolerance> positions, velocities, externals;
  double first_step = 0;  ///< 0: chosen from the problem
  double max_step = 0;    ///< 0: no limit
  int max_steps = 1'000'000;
  /// The error of the sensitivities also limits the step.
  bool control_sensitivities = false;

  dynamics::Norm projection = dynamics::Norm::kMass;
  double projection_tolerance = 1e-12;  ///< largest |g| left after a step

  int max_order = 12;        ///< abm: 1 ... 12; bdf: at most 5
  double hht_alpha = -0.05;  ///< hht: in [-1/3, 0]; 0 is the trapezoidal rule, -1/3 damps most

  int max_events = 100'000;
};

/// InputError, one line per rule, if a value makes no sense.
void check_options(const Options& options);

}  // namespace parfait::integrate
