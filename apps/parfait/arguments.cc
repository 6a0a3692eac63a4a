#include "arguments.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace parfait::app {

std::vector<std::string> deciding_arguments(int argc, const char* const* argv) {
  constexpr std::array<std::string_view, 3> kFlags = {"--quiet", "--json", "--resume"};
  constexpr std::array<std::string_view, 2> kWithValue = {"--out", "--threads"};
  const auto is_one_of = [](const auto& names, std::string_view argument) {
    return std::find(names.begin(), names.end(), argument) != names.end();
  };
  std::vector<std::string> kept;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const auto name = argument.substr(0, argument.find('='));
    if (is_one_of(kFlags, argument)) continue;
    if (is_one_of(kWithValue, name)) {
      if (name.size() == argument.size()) ++i;
      continue;
    }
    kept.emplace_back(argument);
  }
  return kept;
}

}  // namespace parfait::app
