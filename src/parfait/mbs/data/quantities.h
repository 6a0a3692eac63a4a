#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "parfait/mechanism/quantities/beyond_joints.h"
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
  const mechanism::BeyondJoints& beyond() const { return beyond_; }

 private:
  void add(const std::string& name, Quantity quantity);

  std::unordered_map<std::string, Quantity> index_;
  std::vector<std::string> names_;
  mechanism::BeyondJoints beyond_;
};

}  // namespace parfait::mbs
