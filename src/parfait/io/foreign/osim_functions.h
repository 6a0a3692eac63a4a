#pragma once

#include "parfait/io/foreign/xml_view.h"
#include "parfait/mechanism/description/joint_motion.h"

namespace parfait::io {

/// The function that an element such as <SimmSpline> or <MultiplierFunction> describes. InputError
/// for a kind that is not a function of one coordinate we know.
mechanism::CoordinateFunction read_osim_function(const XmlView& element);

/// Whether an element of this name is a function.
bool is_osim_function(const std::string& name);

}  // namespace parfait::io
