#pragma once

#include <span>
#include <string>
#include <vector>

#include "parfait/mechanism/elements/constraint_row.h"
#include "parfait/mechanism/elements/registry.h"

/// The constraints a model may state on their own (`<constraint key="...">`): the rows of K
/// appendix C.1 by their keys. Equations are in constraint_row.h and docs/theory, (N7).
namespace parfait::mechanism {

struct ConstraintType {
  std::string key;
  RowKind kind;
  std::string summary;
  ConstantInfo offset;

  bool has_begin_axis() const { return uses_a(kind); }
  bool has_end_axis() const { return uses_b(kind); }
};

/// In the order of RowKind.
std::span<const ConstraintType> constraint_types();

const ConstraintType* find_constraint(const std::string& key);
const std::string& key_of(RowKind kind);

}  // namespace parfait::mechanism
