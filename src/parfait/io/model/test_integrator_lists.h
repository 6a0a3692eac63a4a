#pragma once

#include <string>

#include "parfait/base/error.h"
#include "parfait/integrate/stepping/method.h"

namespace parfait::io {

/// Expected messages do not repeat the table of integrators: {integrators} stands for the list of
/// all, {general integrators} for that of those for any model, {general integrators, or} for "a, b
/// or c".
inline std::string with_integrators(std::string message) {
  std::vector<std::string> all, general;
  for (const auto& method : integrate::methods()) {
    all.emplace_back(method.name);
    if (!method.needs_second_order) general.emplace_back(method.name);
  }
  for (const auto& [mark, list] :
       {std::pair<std::string, std::string>{"{integrators}", base::listing(all)},
        {"{general integrators}", base::listing(general)},
        {"{general integrators, or}", base::joined(general, "or")}}) {
    if (const auto at = message.find(mark); at != std::string::npos) {
      message.replace(at, mark.size(), list);
    }
  }
  return message;
}

}  // namespace parfait::io
