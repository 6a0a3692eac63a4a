#include "parfait/mechanism/elements/event.h"
#include "parfait/mechanism/elements/registry.h"
#include "parfait/mechanism/elements/standard_elements.h"

// The events of every model: impacts, and what formulas say.
namespace parfait::mechanism {
namespace {

/// s = z_0 . (r_1 - r_0): height of the end's origin above the plane of the begin marker.
struct Height {
  static constexpr unsigned kUse[2] = {
      kPoint | kVelocity | kForce | kAxisZ | kAxisRateZ | kAxisForceZ, kPoint | kVelocity | kForce};
  template <class S>
  Measured<S> operator()(const EndFrame<S>* end) const {
    const Vec3<S> delta = end[1].point - end[0].point;
    const Vec3<S> delta_d = end[1].velocity - end[0].velocity;
    const Vec3<S> z = end[0].axis[2];
    Measured<S> m;
    m.s = dot(z, delta);
    m.rate = dot(z, delta_d) + dot(end[0].axis_rate[2], delta);
    m.n = S(-1.0) * z;
    m.e[0][2] = delta;
    return m;
  }
};

/// Newton's law of impact without friction; constants: restitution, radius.
struct Newton {
  template <class S>
  static S gap(const LawInput<S>& in) {
    return in.s - in.constants[1];
  }
  template <class S>
  static S rate_after(const LawInput<S>& in) {
    return -in.constants[0] * in.rate;
  }
};

}  // namespace

void add_standard_events(Registry& r) {
  r.add(EventType{"General",
                  "when a formula passes zero, or at a time: sets states and parameters, or ends",
                  {},
                  false,
                  nullptr});
  r.add(EventType{"Impact",
                  "of the end's origin on the plane x-y of the begin marker, from above, without "
                  "friction: its normal velocity turns round, times the restitution",
                  {{"restitution", "1", "0: all normal velocity is lost, 1: none", {}, 0, 1},
                   {"radius", "m", "height of the end's origin at which it touches", 0.0}},
                  true,
                  [] { return std::make_unique<MeasuredEvent<Height, Newton>>(); }});
}

}  // namespace parfait::mechanism
