#pragma once

#include <string>

#include "parfait/io/text/xml_element.h"

namespace parfait::io {

/// The name of a method of integration (integrate/stepping/method.h). Those that work on masses and
/// constraints are left out where the model is not mechanical.
std::string read_integrator(const Element& at, const Text& text, bool mechanical);

}  // namespace parfait::io
