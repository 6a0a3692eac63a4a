#pragma once

#include <string_view>

namespace parfait::report {

/// The script of web/, gzipped; empty in builds without it.
std::string_view web_bundle();
/// Why it is missing, and how to get it; empty if it is there.
std::string_view why_no_bundle();

}  // namespace parfait::report
