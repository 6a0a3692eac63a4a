#pragma once

#include <string>
#include <vector>

#include "parfait/mbs/model.h"
#include "parfait/tree/model.h"

/// One mechanism in natural and in joint coordinates, at the same state.
namespace parfait::testing_support {

class TwoEngines {
 public:
  explicit TwoEngines(const mechanism::Description& description);

  const tree::Model& joints() const { return *joints_; }
  const mbs::Model& natural() const { return *natural_; }
  /// Names of bodies' coordinates and velocities in the order of the natural state.
  const std::vector<std::string>& coordinates() const { return coordinates_; }

  /// The initial state in joint coordinates, on the manifold.
  std::vector<double> start() const;
  /// A state of a trajectory, which is as near to the manifold as its integration asked for, on it.
  std::vector<double> consistent(double t, std::vector<double> y) const;
  /// The state in natural coordinates that belongs to one in joint coordinates.
  std::vector<double> natural_state(double t, const std::vector<double>& y);
  /// Its directions, for directions of the state in joint coordinates and of the parameters.
  math::Directions natural_directions(double t, const std::vector<double>& y,
                                      const math::Directions& dy, const math::Directions& dp);

  struct Observed {
    std::vector<double> joints, natural;
    dynamics::Status status = dynamics::Status::kOk;
  };
  /// Quantities at the same state in both.
  Observed observe(const std::vector<std::string>& names, double t, const std::vector<double>& y);

  /// Parameters of the description.
  const std::vector<double>& parameters() const { return p_; }

 private:
  std::shared_ptr<const tree::Model> joints_;
  std::shared_ptr<const mbs::Model> natural_;
  std::vector<std::string> coordinates_;
  std::vector<double> p_;
};

/// Largest difference, each relative to max(1, the largest of its kind): positions, velocities,
/// accelerations, reactions and the rest, of every quantity the engines know. Reactions where they
/// are unique: not of joints that share a loop with a row that others imply.
struct Difference {
  double value = 0;
  std::string name;         ///< of the quantity that differs most
  double acceleration = 0;  ///< the largest among accelerations
  /// What accelerations of one engine move by when the state moves by 1e-15, the larger one: near
  /// singular positions more than engines are asked to agree. Looked for where they do not.
  double rounding = 0;

  /// Whether all are within 1e-10, and accelerations within 1e-11 or what rounding moves them.
  bool is_same() const {
    return value < 1e-10 && (acceleration < kSameAcceleration || acceleration < rounding);
  }
  static constexpr double kSameAcceleration = 1e-11;
};
Difference largest_difference(TwoEngines& engines, double t, const std::vector<double>& y);

/// The motion of both from the described state, at rtol 1e-11, compared at four times up to the
/// end. Where the mechanism itself ends (bounces that accumulate, a position from which a drive
/// cannot go on) both have to say so at the same time, and are compared up to shortly before.
struct MotionDifference {
  double until = 0;
  double motion = 0;       ///< of coordinates, velocities and states
  double own = 0;          ///< between an engine's own runs at 1e-11 and 1e-12, the larger one
  double sensitivity = 0;  ///< relative, of all parameters and of two initial velocities
  double own_sensitivity = 0;
  double event_times = 0;
  double own_event_times = 0;
  int num_events = 0;
  Difference end;  ///< of all quantities at the last state
  /// Parameters that cannot change alone, because redundant loops would not close: both engines say
  /// so, and there is no derivative.
  std::vector<std::string> without_sensitivity;
  std::string ending;   ///< why both ended before the time asked for
  std::string message;  ///< not empty: an integration failed in one of them

  /// Whether all of it is within 1e-9 (sensitivities 1e-8) or 20 times what one engine's own runs
  /// differ, and quantities at the same state are the same.
  bool is_same() const;
};
MotionDifference compare_motion(const mechanism::Description& description, double until,
                                bool with_sensitivities);

}  // namespace parfait::testing_support
