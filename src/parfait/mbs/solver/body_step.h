#pragma once

#include "parfait/mbs/solver/kernel.h"

namespace parfait::mbs {

/// Frames of all bodies from q, v (canonical, 12 per body): axes, rates, centre of mass, Z, and the
/// part Y S of X'' that the rigid-body constraints alone fix, S = -X'^T X' + offset. Four bodies at
/// a time. (S1, S2)
void place_bodies(const Structure& s, const KernelConstants& c, const double* q, const double* v,
                  KernelState& k);

/// The same, and X'' and a_c of bodies that fall freely. Centres of mass only if somebody looks at
/// them. (S1-S4)
void drop_bodies(const Structure& s, const KernelConstants& c, const double* q, const double* v,
                 V4 gravity, bool centers, KernelState& k);

/// Adds what the wrench k.force, k.torque does to a body that drop_bodies() has dropped. (S3)
void push_body(const KernelConstants& c, int body, KernelState& k);

/// Replaces S (xx yy zz xy xz yz per body) in bodies that place_bodies() has placed.
void impose_metric(const Structure& s, const double* S, KernelState& k);

/// X'' and a_c of the bodies under the wrenches k.force, k.torque, as if no joint held them. (S3,
/// S4)
void free_bodies(const Structure& s, const KernelConstants& c, KernelState& k);

/// Subtracts what the joints' wrenches (now in k.force and k.torque) do to the free motion, and
/// writes (o'', e1'', e2'', e3'') of every body. (S9)
void finish_bodies(const Structure& s, const KernelConstants& c, KernelState& k, double* a);

}  // namespace parfait::mbs
