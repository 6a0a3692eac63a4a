#pragma once

#include <string>

namespace parfait::run {

/// Loads a shared library for the rest of the program; its element types register themselves while
/// it loads (see parfait/plugin.h). InputError if it cannot be loaded or registers none.
void load_plugin(const std::string& file);

}  // namespace parfait::run
