#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "parfait/base/error.h"

namespace parfait::io {

/// A table of texts separated by tabs, as PEtab has them.
class PetabTable {
 public:
  explicit PetabTable(const std::filesystem::path& file);

  int num_rows() const { return static_cast<int>(rows_.size()); }
  const std::vector<std::string>& header() const { return header_; }
  bool has(const std::string& column) const { return find(column) >= 0; }
  base::Place place(int row) const;
  [[noreturn]] void fail(int row, const std::string& message) const;

  /// Empty where there is no such column, or nothing in the cell.
  std::string text(int row, const std::string& column) const;
  /// InputError if it is empty.
  std::string required(int row, const std::string& column) const;
  /// InputError if it is not a finite number.
  double number(int row, const std::string& column) const;
  /// The parts between semicolons.
  std::vector<std::string> list(int row, const std::string& column) const;

 private:
  int find(const std::string& column) const;

  std::string file_;
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<int> lines_;
};

}  // namespace parfait::io
