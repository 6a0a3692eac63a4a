#pragma once

#include <string>
#include <vector>

namespace parfait::run {

/// Rows of words, each column as wide as its widest word: for tables on the terminal.
class TextTable {
 public:
  /// `left`: columns that are aligned to the left; the others, being numbers, to the right.
  explicit TextTable(std::vector<std::string> header, std::vector<std::size_t> left = {0});

  void add(std::vector<std::string> row);  ///< as many words as the header has
  bool empty() const { return rows_.size() == 1; }
  /// Columns without any entry are left out, and so is a header of empty words. Lines end with \n
  /// and begin with `indent`.
  std::string text(const std::string& indent) const;

 private:
  std::vector<std::size_t> left_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace parfait::run
