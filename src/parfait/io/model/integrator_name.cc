#include "parfait/io/model/integrator_name.h"

#include "parfait/integrate/stepping/method.h"
#include "parfait/io/text/value_reader.h"

namespace parfait::io {

std::string read_integrator(const Element& at, const Text& text, bool mechanical) {
  std::vector<std::pair<std::string, std::string>> names;
  for (const auto& method : integrate::methods()) {
    if (mechanical || !method.needs_second_order) names.emplace_back(method.name, method.name);
  }
  return read_choice(at, text, "integrator", names);
}

}  // namespace parfait::io
