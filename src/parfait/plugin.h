#pragma once

#include "parfait/mechanism/elements/event.h"
#include "parfait/mechanism/elements/force.h"
#include "parfait/mechanism/elements/measured_force.h"
#include "parfait/mechanism/elements/registry.h"

/// What a plug-in needs: a shared library whose element types register themselves while it loads
/// (`parfait --plugin lib.so`, or linked into a program).
///
///   const bool kRegistered = [] {
///     parfait::mechanism::registry().add(parfait::mechanism::JointType{.key = "Mine", ...});
///     return true;
///   }();
namespace parfait {

using mechanism::registry;

}  // namespace parfait
