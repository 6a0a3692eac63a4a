#pragma once

#include <memory>
#include <string>

#include "parfait/mechanism/stage/mechanical_system.h"

/// A mechanism in the coordinates that are asked for.
namespace parfait::io {

enum class Coordinates {
  kAutomatic,  ///< joint coordinates where the model needs what only they have, otherwise natural
  kNatural,
  kJoint,
};
/// natural, joint; empty: automatic. InputError that begins with `what` for anything else.
Coordinates coordinates_of(const std::string& name, const std::string& what);

/// Checks, builds and assembles. InputError (with place) if the description cannot be a model in
/// these coordinates.
std::shared_ptr<const mechanism::MechanicalSystem> build_mechanics(
    const mechanism::Description& description, Coordinates coordinates);

}  // namespace parfait::io
