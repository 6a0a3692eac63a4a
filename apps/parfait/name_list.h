#pragma once

#include <string>
#include <vector>

namespace parfait::app {

/// "a,atan2(b,c)" gives "a" and "atan2(b,c)": commas inside parentheses belong to a formula.
/// Several lists follow each other. InputError, naming the option, if a name is missing.
std::vector<std::string> split_names(const char* option, const std::vector<std::string>& lists);

}  // namespace parfait::app
