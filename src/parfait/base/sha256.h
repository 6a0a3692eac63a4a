#pragma once

#include <string>
#include <string_view>

namespace parfait::base {

/// SHA-256 of `bytes` as 64 lower-case hexadecimal digits: says whether a file is the one that a
/// run has read. See  FIPS 180-4, 6.2.
std::string sha256(std::string_view bytes);

}  // namespace parfait::base
