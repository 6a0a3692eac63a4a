#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "parfait/estimate/iteration/least_squares_problem.h"

namespace parfait::estimate {

enum class Globalization : std::uint8_t {
  kAuto,     ///< rmt as long as it gets somewhere, then descent of the objective
  kFull,     ///< always the whole increment
  kNatural,  ///< the natural level function decreases: |J_k+ r(x_k + t dx)| < |dx|
  kRmt,      ///< restrictive monotonicity test: the step stays on the way the tangent shows
  kLm,       ///< Levenberg-Marquardt: for hard starts of algebraic problems
};
const char* text(Globalization globalization);

/// When an iteration has arrived.
enum class Convergence : std::uint8_t {
  kStatistical,  ///< increments do not matter beside the size and the deviation of any unknown
  kIncrement,    ///< |dx| <= tolerance, unknowns in the scales of the problem
};
const char* text(Convergence convergence);

struct GaussNewtonOptions {
  Globalization globalization = Globalization::kAuto;
  bool back_projection = true;  ///< x_k + t dx + delta(t), where that is closer to the path
  Convergence convergence = Convergence::kStatistical;
  double tolerance = 1e-6;  ///< relative, of each unknown; kIncrement: on |dx|
  bool last_resort = true;  ///< auto, without equations: in the end also lm, from the start
  std::optional<int> max_iterations{};             ///< none: as long as there is progress
  double min_step = 1e-8;                          ///< shortest t before giving up
  double eta = 1.0, eta_min = 0.8, eta_max = 1.2;  ///< rmt: window of t [omega] |dx|
};
void check_options(const GaussNewtonOptions& options);

/// One line of the iteration table.
struct Iteration {
  int number = 0;  ///< increments applied before this point
  double objective = 0;
  double infeasibility = 0;
  double increment = 0;  ///< |dx| at this point
  double step = 0;       ///< t that was taken from here; 0: none
  double omega = 0;      ///< nonlinearity: |J+ (J(x + t dx) - J) dx| <= omega t |dx|^2
  double kappa = 0;      ///< incompatibility of the data left over; >= 1: not a stable minimum
  double test = 0;       ///< rmt: eta(t); natural: |J+ r(x + t dx)| / |dx|
  int trials = 0;
  int rank = 0;
  int num_free = 0;
  double condition = 0;
  bool descent = false;  ///< auto: the step is one of the descent
};

struct GaussNewtonResult {
  enum class Status : std::uint8_t {
    kConverged,
    kMaxIterations,
    kStepTooSmall,      ///< the globalization finds no acceptable step
    kEvaluationFailed,  ///< the start cannot be evaluated (integration failed, not finite)
    kLinearFailed,      ///< the linear problem has no solution (contradiction, infeasible)
    kInterrupted,
  };
  Status status = Status::kConverged;
  std::string message;  ///< one sentence for a person
  Eigen::VectorXd x;
  Eigen::VectorXd increment;  ///< the last one computed
  int iterations = 0;         ///< increments applied
  int evaluations = 0;        ///< trial points included
  std::vector<Iteration> history;
  double objective = 0;               ///< at x
  std::optional<int> descent_from{};  ///< auto: the iteration from which the objective descended
  std::string descent_reason{};
  /// Rate of Gauss-Newton at the end where that is in question, from the curvature of the residuals
  /// there; >= 1: a minimum that noise would move (Bock 1987).
  std::optional<double> kappa{};
  bool converged() const { return status == Status::kConverged; }
};
const char* text(GaussNewtonResult::Status status);  ///< "converged", "max_iterations", ...

/// Called with each line of the table and its point; false interrupts.
using OnIteration = std::function<bool(const Iteration&, VecIn x)>;

/// Asked where a point does not exist: true if that is only because the work was interrupted.
using Interrupted = std::function<bool()>;

/// Generalized Gauss-Newton: x_{k+1} = x_k + t_k dx_k, dx_k = -J(x_k)+ r(x_k), for constrained
/// least squares. Converges linearly with rate kappa to minima that are stable under changes of the
/// data, and is repelled by others (Bock 1987).
///
/// See  docs/theory/gauss_newton.md
GaussNewtonResult gauss_newton(LeastSquaresProblem& problem, VecIn start,
                               const GaussNewtonOptions& options = {},
                               const OnIteration& on_iteration = {},
                               const Interrupted& interrupted = {});

}  // namespace parfait::estimate
