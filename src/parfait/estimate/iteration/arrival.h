#pragma once

#include "parfait/estimate/iteration/least_squares_problem.h"

namespace parfait::estimate {

struct ArrivalOptions {
  double tolerance = 1e-6;
  /// Increments shrink by this factor from one iteration to the next: what is left to go is
  /// 1 / (1 - rate) of the present one. 0: not known, or fast.
  double rate = 0;
  /// Relative error of values that must not be told from progress; at least rounding.
  double noise = 0;
};

/// Whether an increment matters, unknown by unknown (docs/theory/gauss_newton.md, G9 - G12):
///
///   |dx_i| <= tol max(|x_i|, sd_i)   and   |dx_i| <= 0.1 sd_i,   or   |dx_i| <= error_i
///
/// for every unknown that is determined, and the decrease that the linear model promises is
/// negligible. Units do not matter.
struct Arrival {
  bool arrived = false;
  /// Largest |dx_i| / sd_i, increased to the whole way by the rate; NaN: not known.
  double deviations = 0;
};

/// For the increment of the last linearize(), at x. `precision` as it is without deviations.
Arrival judge(LeastSquaresProblem& problem, const LeastSquaresProblem::Precision& precision,
              VecIn x, VecIn dx, const ArrivalOptions& options);
/// An increment of this many standard deviations moves no conclusion.
inline constexpr double kMinorDeviations = 0.1;
/// And one of this many is beside the question.
inline constexpr double kFewDeviations = 0.01;

/// Whether an increment that gets no shorter matters to nobody: no more than this many standard
/// deviations of any unknown, and a decrease that is no more than that squared. This is as far as
/// values with errors of integration lead (G12a).
bool is_insignificant(LeastSquaresProblem& problem, VecIn x, VecIn dx, double tolerance,
                      double deviations);
/// Largest way that is left, in standard deviations; where bounds stop the increment, what the
/// decrease that it promises says of it (G12b).
double deviations_left(LeastSquaresProblem& problem, VecIn x, VecIn dx, double rate);

}  // namespace parfait::estimate
