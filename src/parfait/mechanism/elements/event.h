#pragma once

#include "parfait/mechanism/elements/measured_force.h"

/// Events between two bodies: a scalar measure s of the motion, the gap s - s_0 whose fall through
/// zero is the event, and the rate of s after it.
///
/// The velocities jump by one impulse along the gradient of the measure, v+ = v- + w Lambda, with
/// the response w of all bodies and joints to a unit impulse (docs/theory/contact.md, I1-I5). The
/// element says only what the rate of s becomes: for an impact, minus the restitution times the
/// rate before.
namespace parfait::mechanism {

class EventElement {
 public:
  virtual ~EventElement() = default;

  /// What the measure reads of an end, and the parts of its gradient (EndUse).
  virtual unsigned use(int end) const = 0;

  virtual Measured<double> measure(const EndFrame<double>* ends) const = 0;
  virtual Measured<Dual> measure(const EndFrame<Dual>* ends) const = 0;

  /// The switching function; in.rate is not to be used.
  virtual double gap(const LawInput<double>& in) const = 0;
  virtual Dual gap(const LawInput<Dual>& in) const = 0;

  /// s' after the event, from s' < 0 before it; there is no impulse where s' >= 0.
  virtual double rate_after(const LawInput<double>& in) const = 0;
  virtual Dual rate_after(const LawInput<Dual>& in) const = 0;
};

/// Writes the virtual functions from function objects that are templates over the scalar:
/// Measure as for MeasuredForce, Law::gap(LawInput<S>) and Law::rate_after(...).
template <class Measure, class Law>
class MeasuredEvent final : public EventElement {
 public:
  unsigned use(int end) const override { return Measure::kUse[end]; }
  Measured<double> measure(const EndFrame<double>* ends) const override { return Measure{}(ends); }
  Measured<Dual> measure(const EndFrame<Dual>* ends) const override { return Measure{}(ends); }
  double gap(const LawInput<double>& in) const override { return Law::gap(in); }
  Dual gap(const LawInput<Dual>& in) const override { return Law::gap(in); }
  double rate_after(const LawInput<double>& in) const override { return Law::rate_after(in); }
  Dual rate_after(const LawInput<Dual>& in) const override { return Law::rate_after(in); }
};

}  // namespace parfait::mechanism
