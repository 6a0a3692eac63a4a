#pragma once

#include <cstdint>
#include <string>

namespace parfait::base {

/// "1 body", "2 bodies".
std::string counted(std::int64_t n, const char* one, const char* many);

}  // namespace parfait::base
