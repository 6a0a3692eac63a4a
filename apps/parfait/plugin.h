#pragma once

#include <string>

namespace parfait::app {

/// Loads a shared library for the rest of the run; its element types register themselves while it
/// loads (see parfait/mechanism/elements/registry.h). InputError if it cannot be loaded.
void load_plugin(const std::string& file);

}  // namespace parfait::app
