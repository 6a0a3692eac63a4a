#include "name_list.h"

#include <fmt/format.h>

#include "parfait/base/error.h"
#include "parfait/io/text/number.h"

namespace parfait::app {

std::vector<std::string> split_names(const char* option, const std::vector<std::string>& lists) {
  std::vector<std::string> names;
  for (const auto& list : lists) {
    int depth = 0;
    std::string word;
    for (char c : list + ",") {
      if (c == ',' && depth == 0) {
        const auto name = io::trimmed(word);
        if (name.empty()) {
          throw base::InputError(fmt::format("{} {}: a name is missing.", option, list));
        }
        names.emplace_back(name);
        word.clear();
        continue;
      }
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      word += c;
    }
    if (!word.empty()) throw base::InputError(fmt::format("{} {}: a ) is missing.", option, list));
  }
  return names;
}

}  // namespace parfait::app
