#pragma once

#include <Eigen/Core>
#include <functional>
#include <string>
#include <vector>

#include "parfait/estimate/problem/problem.h"

namespace parfait::estimate {

/// Which way downhill.
enum class Descent : std::uint8_t {
  kLbfgs,     ///< limited memory BFGS, two-loop recursion over the last 10 steps
  kBfgs,      ///< inverse BFGS with the whole matrix
  kSteepest,  ///< along the negative gradient
  kLsmr,      ///< Gauss-Newton steps by products with J: minimize_residuals()
};
/// How far to go.
enum class StepSearch : std::uint8_t {
  kWolfe,      ///< strong Wolfe conditions, cubic interpolation
  kGolden,     ///< golden section: values only
  kQuadratic,  ///< parabola through value and slope here and the value there
  kCubic,      ///< cubic through values and slopes
  kParallel,   ///< eight steps at once, twice
};
const char* text(Descent method);     ///< "lbfgs", "bfgs", "descent", "lsmr"
const char* text(StepSearch search);  ///< "wolfe", "golden", "quadratic", "cubic", "parallel"
/// InputError with the choices if there is none of that name.
Descent descent_of(const std::string& name, const std::string& what);
StepSearch line_search_of(const std::string& name, const std::string& what);

struct MinimizeOptions {
  Descent method = Descent::kLbfgs;
  StepSearch line_search = StepSearch::kWolfe;
  int max_iterations = 200;
  /// Reached when the largest component of the projected gradient is this small against that of the
  /// start or |f|, or a hundred times this where a step changes f by less than rounding shows.
  double tolerance = 1e-8;
  /// For kParallel: f at several points at once, NaN where it does not exist. Empty: one by one.
  std::function<std::vector<double>(const std::vector<Eigen::VectorXd>&)> values{};
};

/// f and, if g is not null, its gradient; false: f does not exist there.
using ScalarFunction = std::function<bool(const Eigen::VectorXd& x, double& f, Eigen::VectorXd* g)>;

struct MinimizeStep {
  int iteration = 0;
  double f = 0, gradient = 0;  ///< largest component of the projected gradient
  double length = 0;           ///< of the step: alpha
  int evaluations = 0;         ///< so far
  Eigen::VectorXd x{};
};

struct MinimizeResult {
  enum class Outcome : std::uint8_t {
    kConverged,
    kStalled,  ///< no step leads down any more: the end of what rounding allows, or a wrong
               ///< gradient
    kMaxIterations,
    kFailed,  ///< the function does not exist at the start
    kInterrupted,
  };
  Outcome outcome = Outcome::kConverged;
  Eigen::VectorXd x, gradient;
  double f = 0;
  int iterations = 0, evaluations = 0;
  std::vector<MinimizeStep> path;  ///< the start first

  bool converged() const { return outcome == Outcome::kConverged; }
};
const char* text(MinimizeResult::Outcome outcome);

/// A local minimum of f within lower <= x <= upper, by any method but kLsmr.
///
/// Unknowns at a bound whose gradient pushes out stay there (they are left out of the direction);
/// a step ends at the first bound it meets. Curvature pairs that are not convex are skipped.
/// After each step `on_step` is told; false stops.
MinimizeResult minimize(const ScalarFunction& f, const Eigen::VectorXd& start,
                        const Eigen::VectorXd& lower, const Eigen::VectorXd& upper,
                        const MinimizeOptions& options = {},
                        const std::function<bool(const MinimizeStep&)>& on_step = {});

}  // namespace parfait::estimate
