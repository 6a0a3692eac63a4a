#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "parfait/mechanism/description/description.h"

/// Robots of the Unified Robot Description Format (.urdf) as mechanisms:
///
///   links   with mass, centre of mass and inertia, and their simple shapes
///   joints  revolute and continuous turn about their axis, prismatic slide along it, planar slide
///           in the plane normal to it and turn about it, as joints by axes; the coordinate has the
///           name of the joint. floating: six coordinates, or none where it hangs on the ground
///           (the body floats). mimic is a coupling; limits are ranges that hold.
///   fixed   links are merged with what they hang on (their frames stay as markers), or kept
///   root    is the ground, or a body that floats
///
/// Gravity is 9.81 m/s^2 against z. What cannot be said is named in Description::left_out.
namespace parfait::io {

class XmlSource;

struct UrdfOptions {
  bool keep_fixed = false;  ///< links of fixed joints stay bodies
  bool floating = false;    ///< the root link floats instead of being the ground
};

/// InputError with file and line if it is not such a robot.
mechanism::Description read_urdf(const XmlSource& source, const UrdfOptions& options = {});
mechanism::Description read_urdf(const std::filesystem::path& file,
                                 const UrdfOptions& options = {});
mechanism::Description read_urdf_text(std::string_view text, const std::string& file_name,
                                      const UrdfOptions& options = {});

}  // namespace parfait::io
