#pragma once

#include <string_view>

namespace parfait::report {

/// CSS of every report: light and dark as the reader's system has it, on paper always light.
std::string_view style_sheet();

}  // namespace parfait::report
