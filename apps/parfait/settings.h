#pragma once

#include <string>
#include <vector>

namespace parfait::app {

/// One `--set id=value`.
struct Setting {
  std::string text;  ///< as typed
  std::string id;
  double value = 0;
};

/// InputError if one does not read id=value, or a value is no number.
std::vector<Setting> parse_settings(const std::vector<std::string>& typed);

/// Checks a setting against the parameters there are: InputError with a suggestion if its id is not
/// among `ids`, otherwise the index of its parameter.
std::size_t find_parameter(const Setting& setting, const std::vector<std::string>& ids);

/// InputError if the value lies outside the bounds of its parameter.
void check_bounds(const Setting& setting, double lower, double upper);

}  // namespace parfait::app
