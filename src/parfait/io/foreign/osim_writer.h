#pragma once

#include <string>
#include <string_view>

#include "parfait/io/foreign/osim_attachments.h"
#include "parfait/mechanism/description/description.h"

namespace parfait::io {

/// The user's own OpenSim file with other numbers: those of `changed` (a description that was read
/// from this text, with other masses, centres, inertias, joint frames, functions, coordinates, skin
/// markers or gravity) in the place of the old ones, coordinates that are locked or clamped
/// otherwise, and couplings: changed ones in their place or, where another kind of function is
/// needed, disabled and written anew, further ones in <ConstraintSet>, missing ones disabled.
/// Every other byte is kept: muscles, geometry, comments. Numbers that did not change keep their
/// digits.
///
/// Law  read_osim_text(osim_text(text, f, d), f) has the numbers of d; osim_text(text, f,
///      read_osim_text(text, f)) = text.
///
/// InputError for a body, joint, marker or function that the file has no place for: it names what
/// cannot be written.
std::string osim_text(std::string_view text, const std::string& file_name,
                      const mechanism::Description& changed);

/// The same, and what lies on the bodies and no mechanism knows (paths of muscles, wrap objects,
/// meshes) times the factors of its body (osim_attachments.h). `told`: what a person must do.
std::string osim_text(std::string_view text, const std::string& file_name,
                      const mechanism::Description& changed, const BodyFactors& factors,
                      std::vector<std::string>& told);

}  // namespace parfait::io
