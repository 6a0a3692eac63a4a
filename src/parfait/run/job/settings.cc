#include "parfait/run/job/settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "parfait/base/error.h"
#include "parfait/io/text/number.h"

namespace parfait::run {

Setting::Setting(std::string as_typed, std::string parameter, double new_value)
    : text(std::move(as_typed)), id(std::move(parameter)), value(new_value) {}

Setting::Setting(const std::string& parameter, double new_value)
    : Setting(parameter + "=" + io::number_text(new_value), parameter, new_value) {}

std::vector<Setting> parse_settings(const std::vector<std::string>& typed) {
  std::vector<Setting> settings;
  for (const auto& text : typed) {
    const auto equals = text.find('=');
    if (equals == std::string::npos) {
      throw base::InputError(fmt::format("--set {}: must read id=value.", text));
    }
    const std::string value(io::trimmed(text.substr(equals + 1)));
    const auto number = io::parse_number(value);
    if (number.kind != io::NumberKind::kNumber) {
      throw base::InputError(fmt::format("--set {}: \"{}\" is not a number.", text, value));
    }
    settings.emplace_back(text, std::string(io::trimmed(text.substr(0, equals))), number.value);
  }
  return settings;
}

std::size_t find_parameter(const Setting& setting, const std::vector<std::string>& ids) {
  if (ids.empty()) {
    throw base::InputError(fmt::format("--set {}: the model has no parameters.", setting.text));
  }
  const auto found = std::find(ids.begin(), ids.end(), setting.id);
  if (found == ids.end()) {
    throw base::InputError(fmt::format("--set {}: there is no parameter \"{}\".{} Parameters: {}.",
                                       setting.text, setting.id, base::suggestion(setting.id, ids),
                                       base::listing(ids)));
  }
  return static_cast<std::size_t>(found - ids.begin());
}

void check_bounds(const Setting& setting, double lower, double upper) {
  if (setting.value < lower || setting.value > upper) {
    throw base::InputError(
        fmt::format("--set {}: must lie between {:g} and {:g}.", setting.text, lower, upper));
  }
}

}  // namespace parfait::run
