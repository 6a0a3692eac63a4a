#pragma once

#include <vector>

#include "parfait/mechanism/stage/element_set.h"

/// Evaluates an ElementSet where an engine has placed its bodies: forces and rates of states,
/// switching functions, offsets of constraints, what events set; each with directions.
///
/// Order   point() first. Directions of a chunk need prepare_…() once at the point, then seed() for
///         every chunk.
/// Cost    nothing is allocated after the work is made.
namespace parfait::mechanism {

/// What an engine shows: the frames of ends where its bodies are, and quantities.
class Surroundings {
 public:
  virtual ~Surroundings() = default;
  virtual void place(std::span<const ElementEnd> ends, EndFrame<double>* out) const = 0;
  /// With the directions of the present chunk.
  virtual void place(std::span<const ElementEnd> ends, EndFrame<Dual>* out) const = 0;
  virtual double value(const Quantity& quantity) const = 0;
  virtual Dual value_with_directions(const Quantity& quantity) const = 0;
};

/// Scratch and results of one caller.
struct ElementWork {
  ElementWork(const ElementSet& set, int num_constants);

  // The point.
  double t = 0;
  std::vector<double> p, e, constants;
  const std::int8_t* mode = nullptr;
  std::vector<std::int8_t> mode_store;
  std::vector<double> slots, scratch;

  // One element at a time: what it sees and what it gives.
  std::vector<EndFrame<double>> frames;
  std::vector<EndForce<double>> forces;
  Law<double> law{};
  std::vector<double> rates;  ///< of all external states

  // Directions in the present chunk.
  std::vector<Dual> dual_constants;
  std::vector<Lane> lanes;  ///< of the slots
  std::vector<EndFrame<Dual>> dual_frames;
  std::vector<EndForce<Dual>> dual_forces;
  std::vector<Dual> dual_states, dual_rates, dual_switches;
  Law<Dual> dual_law{};
  std::vector<Lane> rate_lanes;  ///< of the states of elements

  // Gradients of formulas at the point.
  std::vector<double> law_values, gradients, switch_values, switch_gradients, event_gradients,
      offset_gradient, offset_rates;
  std::vector<std::size_t> gradient_first;  ///< of laws, then of derivatives

  const std::int8_t* mode_from(int first) const { return mode ? mode + first : nullptr; }
};

/// Time, external states and mode.
void set_point(const ElementSet& s, double t, const double* e, dynamics::Mode mode, ElementWork& w);
/// Directions of time, parameters (np lanes, null: zero) and external states (null: zero) in the
/// present chunk. w.dual_constants is the caller's.
void seed(const ElementSet& s, const Lane& dt, const Lane* dp, const Lane* de, ElementWork& w);

/// What force i does, into w.forces and w.rates; or with directions, into w.dual_forces and
/// w.rate_lanes (after prepare_laws).
void act(const ElementSet& s, const ActingForce& force, const Surroundings& around, ElementWork& w);
void act_with_directions(const ElementSet& s, const ActingForce& force, const Surroundings& around,
                         ElementWork& w);
ElementPoint<double> look_at(const ElementSet& s, const ActingForce& force,
                             const Surroundings& around, ElementWork& w);
ElementPoint<Dual> look_at_with_directions(const ElementSet& s, const ActingForce& force,
                                           const Surroundings& around, ElementWork& w);
/// Values and gradients of all laws.
void prepare_laws(const ElementSet& s, const Surroundings& around, ElementWork& w);

/// Rates of the states that have formulas, into w.rates; and with directions of all states.
void state_rates(const ElementSet& s, const Surroundings& around, ElementWork& w);
void prepare_states(const ElementSet& s, const Surroundings& around, ElementWork& w);
void state_rate_directions(const ElementSet& s, const Surroundings& around, ElementWork& w,
                           Lane* out);

/// r, r', r'' of the offset of a constraint, and with directions.
expr::Taylor offset_of(const ElementSet& s, int constraint, ElementWork& w);
void offset_directions(const ElementSet& s, int constraint, ElementWork& w, Dual (&r)[3]);

/// All switching functions.
void switch_values(const ElementSet& s, const Surroundings& around, ElementWork& w, double* out);
void prepare_switches(const ElementSet& s, const Surroundings& around, ElementWork& w);
void switch_directions(const ElementSet& s, const Surroundings& around, ElementWork& w, Lane* out);

/// The measure of an event between bodies.
Measured<double> measure(const ActingEvent& event, const Surroundings& around, ElementWork& w);
Measured<Dual> measure_with_directions(const ActingEvent& event, const Surroundings& around,
                                       ElementWork& w);
/// s' after an event between bodies.
double rate_after(const ActingEvent& event, const Measured<double>& before, const ElementWork& w);
Dual rate_after(const ActingEvent& event, const Measured<Dual>& before, const ElementWork& w);

/// New values of the external states (`e`, of all) that an event sets; false: not finite.
bool set_states(const ElementSet& s, const ActingEvent& event, const Surroundings& around,
                ElementWork& w, double* e);
void prepare_sets(const ElementSet& s, const ActingEvent& event, const Surroundings& around,
                  ElementWork& w);
/// Directions of what set_states() sets, in `de`; on entry those before.
void set_state_directions(const ElementSet& s, const ActingEvent& event, const Surroundings& around,
                          ElementWork& w, Lane* de);

}  // namespace parfait::mechanism
