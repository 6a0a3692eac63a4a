#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "parfait/dynamics/system.h"

namespace parfait::testing_support {

/// Where a System is tried. Choose a generic point: not on a kink, nothing zero by chance.
struct LawPoint {
  double t = 0;
  std::vector<double> y, z, p;
  std::vector<std::int8_t> mode = {};  ///< empty: branches by values
  std::vector<double> u = {};          ///< empty: generic inputs are chosen
};

struct LawOptions {
  /// First step of the differences of x, relative to max(|x|, scale); it is halved six times and
  /// extrapolated, so within it nothing may switch or leave its domain.
  double step = 0.01;
  double scale = 1;
  /// Of a derivative, relative to 1 + the largest of its column. Extrapolated central differences
  /// of smooth functions are good to 1e-11 or better.
  double tolerance = 1e-8;
  std::vector<std::string> quantities = {};  ///< observed
  double projection_tolerance = 1e-12;
  /// Of a pull-back against the directions, relative to the sum of magnitudes.
  double adjoint_tolerance = 1e-11;
};

struct LawReport {
  std::vector<std::string> violations;
  int num_compared = 0;  ///< derivatives
  int num_nonzero = 0;   ///< of them: otherwise the comparison says little
};

/// The laws of dynamics/system.h at a point: every function that has directions, along t, each y,
/// z, u and p, against differences of its values: the right-hand side, the residual, the switching
/// functions, each jump, the start, the quantities, and for systems with invariants these
/// themselves, of which those of the velocity must be the rates of those of the position, and the
/// projection, which must also reach its tolerance and be idempotent; and every pull-back, against
/// the directions it transposes.
LawReport check_system_laws(const dynamics::System& system, const LawPoint& point,
                            const LawOptions& options = {});

/// Only the pull-backs, against the directions: for models too large for differences of all.
LawReport check_pull_backs(const dynamics::System& system, const LawPoint& point,
                           const LawOptions& options = {});

}  // namespace parfait::testing_support
