#pragma once

#include <memory>
#include <string>

#include "parfait/estimate/problem/problem.h"
#include "parfait/estimate/shooting/shooting_intervals.h"
#include "parfait/estimate/shooting/trajectory.h"

namespace parfait::estimate {

/// How a shooting experiment is linearized: along which directions its intervals are integrated,
/// and how the matching conditions are eliminated.
///
/// Laws  All reductions give the same increments, to rounding.
class Reduction {
 public:
  virtual ~Reduction() = default;
  /// Integrates from `trajectory.at` with derivatives: fills the values of the trajectory and all
  /// of `condensed`. False: there is no trajectory; intervals.why() says it.
  [[nodiscard]] virtual bool linearize(ShootingIntervals& intervals, Trajectory& trajectory,
                                       Condensed& condensed) = 0;
  /// The shifts of `condensed` for the values of another point, which the intervals have just been
  /// integrated from without derivatives. False: as above.
  [[nodiscard]] virtual bool correct(ShootingIntervals& intervals, const Trajectory& trajectory,
                                     Condensed& condensed) = 0;
  /// What a person should know about the last linearization; empty: nothing.
  virtual std::string remark() const { return ""; }
};

/// `method` itself, or the one that `kAutomatic` takes. InputError with the place of the options if
/// the system or the integrator does not allow it.
ReductionMethod choose_reduction(const ShootingLayout& layout, const FitOptions& options);
std::unique_ptr<Reduction> make_reduction(ReductionMethod method);

}  // namespace parfait::estimate
