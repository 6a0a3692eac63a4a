#pragma once

#include <span>
#include <string>
#include <vector>

#include "parfait/mbs/registry.h"

/// The constraints a model may state on their own (`<constraint key="...">`): the rows of K
/// appendix C.1 by their keys. Equations are in constraint_row.h and docs/theory, (N7).
namespace parfait::mbs {

struct ConstraintType {
  std::string key;
  RowKind kind;
  std::string summary;
  ConstantInfo offset;
};

/// In the order of RowKind.
std::span<const ConstraintType> constraint_types();

const ConstraintType* find_constraint(const std::string& key);
const std::string& key_of(RowKind kind);

}  // namespace parfait::mbs
