#pragma once

#include <optional>
#include <string>
#include <vector>

#include "parfait/mechanism/quantities/beyond_joints.h"
#include "parfait/mechanism/quantities/quantity_index.h"

namespace parfait::mbs {

using mechanism::Quantity;

struct ModelData;

/// Names of all quantities of a model and what they stand for.
class Quantities {
 public:
  Quantities() = default;
  explicit Quantities(const ModelData& m);

  std::optional<Quantity> find(const std::string& name) const { return index_.find(name); }
  std::vector<std::string> names() const { return index_.names(); }
  const mechanism::QuantityIndex& index() const { return index_; }
  const mechanism::BeyondJoints& beyond() const { return beyond_; }

 private:
  mechanism::QuantityIndex index_;
  mechanism::BeyondJoints beyond_;
};

}  // namespace parfait::mbs
