#pragma once

#include "parfait/mbs/solver/released.h"
#include "parfait/mbs/solver/site.h"
#include "parfait/mechanism/elements/force.h"

/// From bodies to the frames that elements see, and from what elements give back to bodies: a
/// wrench about the centre of mass and, for released bodies, the forces on the axes whole.
namespace parfait::mbs {

using mechanism::EndForce;
using mechanism::EndFrame;

/// An end of a force or event.
struct EndSpec {
  int body = 0;      ///< num_bodies: the ground
  int geometry = 0;  ///< its point and axes are ends `side` of this geometry
  int side = 0;
  unsigned use = 0;  ///< mechanism::EndUse
};

/// A frame, and the vector from the centre of mass to its point, which the wrench needs.
template <class S>
struct PlacedEnd {
  EndFrame<S> frame;
  Vec3<S> rho;
};

inline End<double> end_of(const KernelConstants& c, const KernelState& k, const EndSpec& spec) {
  const Geometry& g = c.geometry[spec.geometry];
  return {&k.frames[spec.body], g.rho[spec.side], g.axis[spec.side]};
}

/// What of an end is used: its vector rho (also for the torque of its force), its axes (also for
/// the torque of the forces on them).
inline bool uses_rho(unsigned use) {
  return (use & (mechanism::kPoint | mechanism::kForce)) != 0;
}
inline bool uses_axis(unsigned use, int i) {
  return mechanism::reads_axis(use, i) || mechanism::gives_axis_force(use, i);
}

template <class S>
void place_end(const End<S>& end, unsigned use, EndFrame<S>& frame, Vec3<S>& rho) {
  if (uses_rho(use)) {
    rho = end.rho();
    if (use & mechanism::kPoint) frame.point = end.center() + rho;
  }
  if (use & mechanism::kVelocity) frame.velocity = end.velocity();
  if (!(use & (mechanism::kAxes | mechanism::kAxisRates | mechanism::kAxisForces))) return;
  for (int i = 0; i < 3; ++i) {
    if (uses_axis(use, i)) frame.axis[i] = end.axis(i);
    if (mechanism::reads_axis_rate(use, i)) frame.axis_rate[i] = end.axis_rate(i);
  }
}

/// The torque about the centre of mass. (W5)
template <class S>
Vec3<S> torque_about_center(unsigned use, const EndFrame<S>& frame, const Vec3<S>& rho,
                            const EndForce<S>& force) {
  Vec3<S> torque{};
  if (use & mechanism::kForce) torque = cross(rho, force.force);
  if (!(use & mechanism::kAxisForces)) return torque;
  for (int i = 0; i < 3; ++i) {
    if (mechanism::gives_axis_force(use, i)) torque += cross(frame.axis[i], force.axis[i]);
  }
  return torque;
}

}  // namespace parfait::mbs
