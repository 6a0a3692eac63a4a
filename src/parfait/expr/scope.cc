#include "parfait/expr/scope.h"

#include <algorithm>

namespace parfait::expr {

int Names::find(std::string_view name) {
  const auto it = std::find(names_.begin(), names_.end(), name);
  return it == names_.end() ? -1 : static_cast<int>(it - names_.begin());
}

std::vector<std::string> Names::names() const {
  std::vector<std::string> all = names_;
  for (const auto& [name, table] : tables_) all.push_back(name);
  return all;
}

const Table* Names::table(std::string_view name) {
  for (const auto& [known, table] : tables_) {
    if (known == name) return &table;
  }
  return nullptr;
}

}  // namespace parfait::expr
