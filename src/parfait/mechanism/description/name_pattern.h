#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace parfait::mechanism {

/// The names a pattern such as "e{1,2,3}.{x,y,z}" stands for, the last braces changing fastest.
std::vector<std::string> names_of_pattern(std::string_view pattern);

}  // namespace parfait::mechanism
