#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "parfait/mechanism/description/description.h"

/// Models of OpenSim (.osim), versions 1.09 to 4.x, as mechanisms:
///
///   bodies      with mass, centre of mass and inertia about it; `ground` is Inertial
///   joints      of every kind whose motion is a sequence of turns and displacements, each a function
///               of one coordinate, as joints by axes (mechanism/description/joint_motion.h); Weld
///               as Fixed. A CustomJoint displaces along its translation axes in the frame on the
///               parent, then turns about its rotation axes. Offset frames may be chained and shared.
///   coordinates with default, speed, range, clamped and locked, by their OpenSim names
///   constraints couplings of coordinates; welds, points and constant distances are named as left out
///   markers     as skin markers, with their `fixed`
///
/// What a mechanism cannot say (muscles and other forces, contact, controllers, prescribed motion)
/// is named in Description::left_out; a joint or function that would move otherwise is an error.
namespace parfait::io {

class XmlSource;

/// InputError with file and line if it is not such a model.
mechanism::Description read_osim(const XmlSource& source);
mechanism::Description read_osim(const std::filesystem::path& file);
mechanism::Description read_osim_text(std::string_view text, const std::string& file_name);

}  // namespace parfait::io
