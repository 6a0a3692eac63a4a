#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "parfait/dynamics/system.h"
#include "parfait/integrate/stepping/options.h"
#include "parfait/math/directions.h"

namespace parfait::integrate {

struct Statistics {
  std::int64_t steps = 0;
  std::int64_t rejected = 0;
  std::int64_t evaluations = 0;            ///< of the right-hand side
  std::int64_t direction_evaluations = 0;  ///< of its directions, all of them counted as one
  std::int64_t projections = 0;
  std::int64_t factorizations = 0;  ///< of Newton matrices (bdf, hht)
  double smallest_step = 0;         ///< among accepted steps; those cut short do not count
  double largest_step = 0;
  double largest_correction = 0;  ///< by the projection, in the norm used, positions or velocities
  std::vector<std::int64_t> steps_of_order;  ///< multistep methods: entry k counts those of order k
};

/// The system as a stepper sees it: one mode, smooth up to `latest`, every call counted.
class Flow {
 public:
  Flow(const dynamics::System& system, dynamics::Workspace& workspace, const Options& options);

  /// Fits default absolute tolerances (Options::scale_atol) to the state where an integration over
  /// `span` begins. In a mechanism each kind of coordinate has its own size; otherwise a group of
  /// states (positions, velocities, others) that are all small gets a smaller one. A size within
  /// two decades of 1 counts as 1: usual models in usual units have the tolerance that is
  /// documented.
  void follow_sizes(double t, dynamics::ConstVec y, dynamics::ConstVec z, double span);

  const dynamics::System& system() const { return system_; }
  dynamics::Workspace& workspace() const { return workspace_; }
  const Options& options() const { return options_; }
  int ny() const { return system_.sizes().ny(); }
  bool has_invariants() const { return has_invariants_; }

  /// The mode holds, and no right-hand side is evaluated after `latest`, until the next call: at a
  /// break in time the input may already have jumped, so up to it the limit from the left counts.
  void set_piece(const std::vector<std::int8_t>& mode, double latest);
  double latest() const { return latest_; }
  const std::vector<std::int8_t>& mode() const { return mode_; }
  dynamics::Point point(double t, dynamics::ConstVec y, dynamics::ConstVec z = {}) const;

  dynamics::Status evaluate(double t, dynamics::ConstVec y, dynamics::Vec dydt);
  /// ddydt = directions of the last evaluate() along dy and the parameters bound.
  void directions(const dynamics::Directions& dy, dynamics::Directions& ddydt);

  /// Brings y onto the invariants. No-op without invariants.
  dynamics::Status project(double t, dynamics::Vec y);
  /// While an accepted step is looked at, Options::stop waits: its continuous extension is
  /// complete.
  void look_at_step(bool looks) { in_accepted_step_ = looks; }
  /// The derivative of the last project(), applied to W.
  dynamics::Status project_directions(dynamics::Directions& W);

  /// Tolerances by component.
  const std::vector<double>& rtol() const { return rtol_; }
  const std::vector<double>& atol() const { return atol_; }

  Statistics statistics;

 private:
  const dynamics::System& system_;
  dynamics::Workspace& workspace_;
  Options options_;
  bool has_invariants_ = false;
  bool in_accepted_step_ = false;
  std::vector<std::int8_t> mode_;
  double latest_ = std::numeric_limits<double>::infinity();
  std::vector<double> rtol_, atol_;
};

}  // namespace parfait::integrate
