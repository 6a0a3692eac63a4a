#pragma once

#include "parfait/mbs/force.h"

/// Events between two bodies: a scalar measure s of the motion, the gap s - s_0 whose fall through
/// zero is the event, and the rate of s after it.
///
/// The velocities jump by one impulse along the gradient of the measure, v+ = v- + w Lambda, with
/// the response w of all bodies and joints to a unit impulse (docs/theory/contact.md, I1-I5). The
/// element says only what the rate of s becomes: for an impact, minus the restitution times the
/// rate before.
namespace parfait::mbs {

class EventElement {
 public:
  virtual ~EventElement() = default;

  virtual Measured<double> measure(const Site<double>& site) const = 0;
  virtual Measured<Dual> measure(const Site<Dual>& site) const = 0;

  /// The switching function; in.rate is not to be used.
  virtual double gap(const LawInput<double>& in) const = 0;
  virtual Dual gap(const LawInput<Dual>& in) const = 0;

  /// s' after the event, from s' < 0 before it; there is no impulse where s' >= 0.
  virtual double rate_after(const LawInput<double>& in) const = 0;
  virtual Dual rate_after(const LawInput<Dual>& in) const = 0;
};

/// Writes the virtual functions from function objects that are templates over the scalar:
/// Measure::operator()(Site<S>) -> Measured<S>, Law::gap(LawInput<S>) and Law::rate_after(...).
template <class Measure, class Law>
class MeasuredEvent final : public EventElement {
 public:
  Measured<double> measure(const Site<double>& site) const override { return Measure{}(site); }
  Measured<Dual> measure(const Site<Dual>& site) const override { return Measure{}(site); }
  double gap(const LawInput<double>& in) const override { return Law::gap(in); }
  Dual gap(const LawInput<Dual>& in) const override { return Law::gap(in); }
  double rate_after(const LawInput<double>& in) const override { return Law::rate_after(in); }
  Dual rate_after(const LawInput<Dual>& in) const override { return Law::rate_after(in); }
};

}  // namespace parfait::mbs
