#include "parfait/mechanism/description/name_pattern.h"

#include <algorithm>

#include "parfait/base/stop.h"

namespace parfait::mechanism {

std::vector<std::string> names_of_pattern(std::string_view pattern) {
  base::leave_if_stopped();  // asked for every element: of a large model this takes long
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
