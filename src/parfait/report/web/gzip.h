#pragma once

#include <string>
#include <string_view>

namespace parfait::report {

/// The same bytes always give the same bytes: no time, no name.
std::string gzip(std::string_view bytes);
std::string base64(std::string_view bytes);

}  // namespace parfait::report
