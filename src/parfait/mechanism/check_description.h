#pragma once

#include <optional>
#include <string>
#include <vector>

#include "parfait/mechanism/description.h"

/// What can be said about a model without making it move: names, numbers, frames, inertia,
/// formulas.
namespace parfait::mechanism {

/// Throws base::InputError at the first thing that is wrong, with its place; returns warnings about
/// what is only odd. Numbers are checked at the start values of the parameters.
/// Not checked here, since it needs the assembled model: whether loops close, velocities fit the
/// joints, and names of quantities (in outputs and in derivatives of states) exist. What an engine
/// asks for beyond this it checks itself (mbs/build/check_natural.h).
std::vector<std::string> check(const Description& description);

/// The constants of an element that a parameter may drive, in the order of Constant_0, Constant_1 …
///   body        mass, com.x …, inertia.xx yy zz xy xz yz (about the centre of mass), cholesky.0
///               … cholesky.9, then for each of its markers <marker>.o.x … <marker>.z.z
///   joint       those of its type, begin.o.x … begin.z.z, end.o.x … end.z.z
///   constraint  offset, begin.…, end.…
///   force       those of its type and, if it acts between bodies, begin.…, end.…
///   event       between bodies: those of its type, begin.…, end.…
/// Gravitation has g (along z), or gx, gy, gz if the model gives three.
/// InputError if there is no such element or its type is unknown.
std::vector<std::string> constant_names(const Description& description, const std::string& element,
                                        const Place& asked_at = {});

/// "Gravitation.Constant_0" and "Gravitation.g" are both "Gravitation.g". InputError at `asked_at`
/// if the description has no such constant.
std::string resolve_constant(const Description& description, const std::string& target,
                             const Place& asked_at = {});

/// The name of a parameter: its id or, in Kraus's form, that of the constant it drives.
std::string parameter_name(const Description& description, const Parameter& parameter);

/// The number a constant (a name as resolve_constant gives it) has in the description; nothing if
/// it is a formula or depends on one.
std::optional<double> constant_number(const Description& description, const std::string& constant);

/// `initial`, or the present number of the constant it drives; nothing if that has none.
std::optional<double> start_value(const Description& description, const Parameter& parameter);

}  // namespace parfait::mechanism
