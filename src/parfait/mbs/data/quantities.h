#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "parfait/mechanism/quantities/quantity.h"

namespace parfait::mbs {

using mechanism::Quantity;

struct ModelData;

/// Names of all quantities of a model and what they stand for.
class Quantities {
 public:
  Quantities() = default;
  explicit Quantities(const ModelData& m);

  std::optional<Quantity> find(const std::string& name) const;
  const std::vector<std::string>& names() const { return names_; }
  /// Whether a body moves, seen from the begin body of a joint, when that joint turns.
  bool is_beyond(int joint, int body) const {
    return body < static_cast<int>(beyond_[joint].size()) && beyond_[joint][body];
  }

 private:
  void add(const std::string& name, Quantity quantity);
  void find_beyond(const ModelData& m);

  std::unordered_map<std::string, Quantity> index_;
  std::vector<std::string> names_;
  std::vector<std::vector<char>> beyond_;  ///< per joint and body; empty: the joint is in a loop
};

}  // namespace parfait::mbs
