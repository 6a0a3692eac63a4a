#include "parfait/estimate/iteration/gauss_newton.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "parfait/base/error.h"
#include "parfait/estimate/iteration/globalization.h"

namespace parfait::estimate {

using Eigen::VectorXd;
using Ending = GaussNewtonResult::Status;

const char* text(Globalization globalization) {
  switch (globalization) {
    case Globalization::kFull:
      return "full";
    case Globalization::kNatural:
      return "natural";
    case Globalization::kRmt:
      return "rmt";
    case Globalization::kLm:
      return "lm";
  }
  return "";
}

const char* text(Ending status) {
  switch (status) {
    case Ending::kConverged:
      return "converged";
    case Ending::kMaxIterations:
      return "max_iterations";
    case Ending::kStepTooSmall:
      return "step_too_small";
    case Ending::kEvaluationFailed:
      return "integration_failed";
    case Ending::kLinearFailed:
      return "linear_problem_failed";
    case Ending::kInterrupted:
      return "interrupted";
  }
  return "";
}

void check_options(const GaussNewtonOptions& o) {
  const auto require = [](bool holds, const std::string& message) {
    if (!holds) throw base::InputError(message);
  };
  require(o.tolerance > 0, fmt::format("options.tol = {}: must be > 0.", o.tolerance));
  require(o.max_iterations >= 0,
          fmt::format("options.max_iterations = {}: must be >= 0.", o.max_iterations));
  require(o.min_step > 0 && o.min_step < 1,
          fmt::format("options.min_step = {}: must lie between 0 and 1.", o.min_step));
  require(0 < o.eta_min && o.eta_min < o.eta && o.eta < o.eta_max && o.eta_max < 2,
          fmt::format("options.eta_min, eta, eta_max = {}, {}, {}: must be ascending in (0, 2).",
                      o.eta_min, o.eta, o.eta_max));
}

namespace {

/// Increments below this are rounding errors of the linear algebra.
double rounding_level(const LeastSquaresProblem& problem, const VectorXd& x) {
  return 4 * std::numeric_limits<double>::epsilon() * problem.condition() * (1 + x.norm());
}

}  // namespace

GaussNewtonResult gauss_newton(LeastSquaresProblem& problem, VecIn start,
                               const GaussNewtonOptions& options, const OnIteration& on_iteration,
                               const Interrupted& interrupted) {
  check_options(options);
  const auto chooser = make_step_chooser(options);
  GaussNewtonResult result;
  VectorXd x = problem.into_bounds(start);
  VectorXd x_plain = x, x_before = x, remainder;
  bool last_was_full = true;

  const auto finish = [&](Ending status, std::string message) {
    result.status = status;
    result.message = std::move(message);
    result.x = x;
    return result;
  };

  while (true) {
    // r(x_k), J(x_k); if back projection went where nothing exists, without it.
    auto values = problem.linearize(x);
    ++result.evaluations;
    if (!values.exists && x_plain != x) {
      x = x_plain;
      values = problem.linearize(x);
      ++result.evaluations;
    }
    if (!values.exists) {
      if (interrupted && interrupted()) return finish(Ending::kInterrupted, "interrupted");
      return finish(values.defined ? Ending::kLinearFailed : Ending::kEvaluationFailed,
                    problem.why());
    }

    // dx_k = -J_k+ r_k
    const VectorXd dx = problem.increment();
    result.increment = dx;
    Iteration line{.number = result.iterations,
                   .objective = values.objective,
                   .infeasibility = values.infeasibility,
                   .increment = dx.norm(),
                   .rank = problem.rank(),
                   .num_free = problem.num_free(),
                   .condition = problem.condition()};
    // kappa_{k-1} = |J_k+ (r + J dx)_{k-1}| / |x_k - x_{k-1}|: how much of what the data left over
    // comes back as a new increment.
    if (remainder.size() > 0 && x != x_before) {
      line.kappa = problem.increment_of(remainder).norm() / (x - x_before).norm();
    }
    const auto report = [&] {
      result.history.push_back(line);
      return !on_iteration || on_iteration(line, x);
    };
    if (!std::isfinite(line.increment)) {
      report();
      return finish(Ending::kLinearFailed, "the increment is not finite");
    }

    const double rounding = rounding_level(problem, x);
    if ((line.increment <= options.tolerance && last_was_full) || line.increment <= rounding) {
      report();
      return finish(Ending::kConverged,
                    fmt::format("increment {:.1e} after {} iteration{}", line.increment,
                                result.iterations, result.iterations == 1 ? "" : "s"));
    }
    if (result.iterations >= options.max_iterations) {
      report();
      return finish(Ending::kMaxIterations,
                    fmt::format("increment {:.1e} > {:.1e} after {} iterations", line.increment,
                                options.tolerance, result.iterations));
    }
    remainder = problem.remainder();

    // x_{k+1} = x_k + t_k dx_k (+ delta)
    const Step step = chooser->choose(problem, x, dx, values);
    result.evaluations += step.trials;
    line.step = step.t;
    line.omega = step.omega;
    line.test = step.test;
    line.trials = step.trials;
    const bool go_on = report();
    if (!step.found) {
      if (interrupted && interrupted()) return finish(Ending::kInterrupted, "interrupted");
      if (line.increment <= 1e3 * rounding) {
        return finish(Ending::kConverged, fmt::format("increment {:.1e} cannot be told from "
                                                      "rounding errors",
                                                      line.increment));
      }
      if (line.increment <= 10 * problem.noise() * problem.condition() * (1 + x.norm())) {
        return finish(Ending::kConverged,
                      fmt::format("increment {:.1e} cannot be told from integration errors; a "
                                  "smaller rtol would go further",
                                  line.increment));
      }
      if (options.globalization == Globalization::kFull) {
        return finish(Ending::kEvaluationFailed,
                      "the full step leads to a point that cannot be evaluated: " + problem.why());
      }
      return finish(Ending::kStepTooSmall,
                    fmt::format("no acceptable step along an increment of {:.1e}{}", line.increment,
                                problem.why().empty() ? "" : " (" + problem.why() + ")"));
    }
    x_before = x;
    x = problem.adopt(step.x);
    x_plain = step.x_plain;
    last_was_full = step.t >= 1 || options.globalization == Globalization::kLm;
    ++result.iterations;
    if (!go_on) return finish(Ending::kInterrupted, "interrupted");
  }
}

}  // namespace parfait::estimate
