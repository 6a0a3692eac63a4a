#pragma once

#include <string>
#include <vector>

namespace parfait::app {

/// The arguments that decide what comes out, as they were typed. Left out is what changes only
/// where it is written, what is printed or how quickly it is found: the same result says the same.
std::vector<std::string> deciding_arguments(int argc, const char* const* argv);

}  // namespace parfait::app
