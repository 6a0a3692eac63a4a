#pragma once

#include "parfait/mbs/solver/mechanism_names.h"

namespace parfait::mbs {

/// What natural coordinates ask of a description that mechanism::check has accepted: a rank
/// tolerance that tells redundant rows from others, choices for bodies that exist, and bodies whose
/// mass matrix M4 is positive definite. InputError otherwise.
void check_natural(const Description& description);

}  // namespace parfait::mbs
