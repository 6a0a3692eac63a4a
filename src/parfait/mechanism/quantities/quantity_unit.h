#pragma once

#include <string>
#include <unordered_map>

#include "parfait/mechanism/description/description.h"

namespace parfait::mechanism {

/// The units of the quantities of a description by name, as quantity_families() has them: "m" of
/// "Arm.com.x", and those of parameters as the model says them.
class QuantityUnits {
 public:
  explicit QuantityUnits(const Description& description);
  /// Empty where it is not known: formulas, states.
  std::string of(const std::string& name) const;

 private:
  using Places = std::unordered_map<std::string, std::size_t>;  ///< of elements, by their ids

  static std::string behind_id(const Places& places, const std::string& name);

  std::unordered_map<std::string, std::string> parameters_;
  Places bodies_, joints_, constraints_, forces_;
};

/// Of one name.
std::string quantity_unit(const Description& description, const std::string& name);

}  // namespace parfait::mechanism
