#pragma once

#include <optional>
#include <string>
#include <vector>

#include "parfait/base/name_table.h"
#include "parfait/base/stop.h"
#include "parfait/mechanism/quantities/quantity.h"

namespace parfait::mechanism {

/// What names stand for; of two that are alike the first.
class QuantityIndex {
 public:
  void add(const std::string& name, const Quantity& quantity) {
    base::leave_if_stopped();  // large models have very many names
    if (table_.add(name).second) quantities_.push_back(quantity);
  }
  std::optional<Quantity> find(const std::string& name) const {
    const int number = table_.find(name);
    if (number < 0) return std::nullopt;
    return quantities_[static_cast<std::size_t>(number)];
  }
  std::vector<std::string> names() const { return table_.all(); }

 private:
  base::NameTable table_;
  std::vector<Quantity> quantities_;
};

}  // namespace parfait::mechanism
