#pragma once

#include "parfait/mechanism/description/description.h"
#include "parfait/motion/skeleton/skeleton.h"

namespace parfait::motion {

/// The skeleton of a described mechanism.
///
/// Coordinates  those of joints by axes have their names, limits where they are clamped, and their
///              locks; those of other joints are called like the joint, with a number if there are
///              several, those of a floating body <body>.tx ... <body>.rz.
/// Markers      the skin markers; those in the laboratory are left out.
///
/// InputError if it has no marker, or loops, which poses of a tree would not close.
Skeleton make_skeleton(const mechanism::Description& description);

}  // namespace parfait::motion
