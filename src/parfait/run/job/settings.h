#pragma once

#include <string>
#include <vector>

namespace parfait::run {

/// A parameter gets another value.
struct Setting {
  std::string text;  ///< as typed: "k=2e3"
  std::string id;
  double value = 0;

  Setting(std::string as_typed, std::string parameter, double new_value);
  Setting(const std::string& parameter, double new_value);
};

/// Each as it is typed after --set. InputError if one does not read id=value, or a value is no
/// number.
std::vector<Setting> parse_settings(const std::vector<std::string>& typed);

/// Checks a setting against the parameters there are: InputError with a suggestion if its id is not
/// among `ids`, otherwise the index of its parameter.
std::size_t find_parameter(const Setting& setting, const std::vector<std::string>& ids);

/// InputError if the value lies outside the bounds of its parameter.
void check_bounds(const Setting& setting, double lower, double upper);

}  // namespace parfait::run
