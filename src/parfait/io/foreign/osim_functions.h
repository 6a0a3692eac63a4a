#pragma once

#include <optional>
#include <string>

#include "parfait/io/foreign/xml_view.h"
#include "parfait/mechanism/description/joint_motion.h"

namespace parfait::io {

/// The function that an element such as <SimmSpline> or <MultiplierFunction> describes. InputError
/// for a kind that is not a function of one coordinate we know.
mechanism::CoordinateFunction read_osim_function(const XmlView& element);

/// The function of a <CoordinateCouplerConstraint>, if it has one.
std::optional<XmlView> coupler_function(const XmlView& coupler);

/// A function as OpenSim writes it; nothing if it has no such function.
std::optional<std::string> osim_function_text(const mechanism::CoordinateFunction& f);

/// Whether an element of this name is a function.
bool is_osim_function(const std::string& name);

}  // namespace parfait::io
