#include "parfait/mechanism/description/name_pattern.h"

#include <algorithm>

namespace parfait::mechanism {

std::vector<std::string> names_of_pattern(std::string_view pattern) {
  const auto open = pattern.find('{');
  if (open == std::string_view::npos) return {std::string(pattern)};
  const auto close = pattern.find('}', open);
  const auto tails = names_of_pattern(pattern.substr(close + 1));
  std::vector<std::string> names;
  for (auto begin = open + 1; begin <= close;) {
    const auto end = std::min(pattern.find(',', begin), close);
    std::string head(pattern.substr(0, open));
    head += pattern.substr(begin, end - begin);
    for (const auto& tail : tails) names.push_back(head + tail);
    begin = end + 1;
  }
  return names;
}

}  // namespace parfait::mechanism
