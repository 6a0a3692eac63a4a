#pragma once

#include "parfait/io/motion_files/trial.h"

/// What force plates measured, as the wrench on the subject.
///
/// Plate axes follow from the corners, which the C3D manual numbers by the quadrants of the plate:
///
///   centre c = (c1 + c2 + c3 + c4) / 4,   x along c1 - c2,   y along c1 - c4 at right angles to x,
///   z = x × y
///
/// and z points down, into the ground. In these axes a plate gives a force F and the moment M about
/// the centre of its surface:
///
///   type 1   channels F, px, py, Tz          M = (p × F) + (0, 0, Tz)
///   type 2   channels F, M' at the sensors   M = M' - o × F
///   type 3   eight channels of four pillars  M' = (b (z1 + z2 - z3 - z4), a (-z1 + z2 + z3 - z4),
///                                                  b (-x12 + x34) + a (y14 - y23)),   M = M' - (0,
///                                                  0, o_z) × F
///   type 4   as type 2 after C (channels)    C: 6 x 6
///
/// where o (ORIGIN; of type 3: a, b, o_z) leads from the sensors up to the centre of the surface,
/// so that o_z is negative; positive ones, which several programs write, are taken as negative. The
/// centre of pressure is p = (-My / Fz, Mx / Fz, 0), the free moment Tz = Mz - (px Fy - py Fx).
///
/// Files tell the force on the plate or the one on the subject. A plate cannot pull: where a plate
/// pulls in the direction of its largest loads, the whole wrench is turned round, and it is told.
namespace parfait::io {

/// Fills the wrenches of every plate of a trial that can be computed and tells why others cannot.
/// The centre of pressure is given where the normal force exceeds `threshold` (N).
void compute_wrenches(Trial& trial, double threshold, WarningLog& log);

inline constexpr double kLoadedPlate = 10;  ///< N; below, a centre of pressure means nothing

}  // namespace parfait::io
