#pragma once

#include <string>
#include <vector>

#include "parfait/mechanism/description/description.h"

/// What can be said about a model without making it move: names, numbers, frames, inertia,
/// formulas.
namespace parfait::mechanism {

/// Throws base::InputError at the first thing that is wrong, with its place; returns warnings about
/// what is only odd. Numbers are checked at the start values of the parameters.
/// Not checked here, since it needs the assembled model: whether loops close, velocities fit the
/// joints, and names of quantities (in outputs and in derivatives of states) exist. What an engine
/// asks for beyond this it checks itself (mbs/build/check_natural.h).
std::vector<std::string> check(const Description& description);

}  // namespace parfait::mechanism
