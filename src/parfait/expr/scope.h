#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parfait/expr/table.h"

namespace parfait::expr {

/// What the names in a formula mean: each is a slot (an entry of the array of values a formula is
/// evaluated with) or a table in time. Asked only while a formula is compiled.
///
/// Order  `pi` is always the constant; then table(), then find().
class Scope {
 public:
  virtual ~Scope() = default;

  /// Slot (>= 0) of a name, or -1 if the name is unknown. Not const: a scope may make slots for the
  /// quantities that formulas ask for.
  virtual int find(std::string_view name) = 0;

  /// All names worth suggesting when an unknown one was written.
  virtual std::vector<std::string> names() const = 0;

  /// The table of this name, or null. It is evaluated at the slot find("t"). Tables are handles:
  /// the formula keeps its own, so the pointer need only last for the call.
  virtual const Table* table(std::string_view /*name*/) { return nullptr; }
};

/// A fixed list of names: the slot is the index.
class Names : public Scope {
 public:
  Names() = default;
  explicit Names(std::vector<std::string> names) : names_(std::move(names)) {}

  /// Makes a table known under a name.
  void add_table(std::string name, Table table) {
    tables_.emplace_back(std::move(name), std::move(table));
  }

  int find(std::string_view name) override;
  std::vector<std::string> names() const override;
  const Table* table(std::string_view name) override;

 private:
  std::vector<std::string> names_;
  std::vector<std::pair<std::string, Table>> tables_;
};

}  // namespace parfait::expr
