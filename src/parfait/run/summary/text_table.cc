#include "parfait/run/summary/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace parfait::run {
namespace {

/// Characters, not bytes: |dx| has as many of both, ± has not.
std::size_t width_of(const std::string& word) {
  return static_cast<std::size_t>(std::count_if(word.begin(), word.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

}  // namespace

TextTable::TextTable(std::vector<std::string> header, std::vector<std::size_t> left)
    : left_(std::move(left)) {
  rows_.push_back(std::move(header));
}

void TextTable::add(std::vector<std::string> row) {
  assert(row.size() == rows_.front().size());
  rows_.push_back(std::move(row));
}

std::string TextTable::text(const std::string& indent) const {
  const std::size_t columns = rows_.front().size();
  std::vector<std::size_t> widths(columns, 0);
  for (std::size_t i = 0; i < columns; ++i) {
    const bool used = std::any_of(rows_.begin() + 1, rows_.end(),
                                  [&](const auto& row) { return !row[i].empty(); });
    for (const auto& row : rows_) widths[i] = used ? std::max(widths[i], width_of(row[i])) : 0;
  }
  std::string out;
  for (const auto& row : rows_) {
    std::string line = indent;
    const char* gap = "";
    for (std::size_t i = 0; i < columns; ++i) {
      if (widths[i] == 0) continue;
      const std::string padding(widths[i] - width_of(row[i]), ' ');
      const bool left = std::find(left_.begin(), left_.end(), i) != left_.end();
      line += gap + (left ? row[i] + padding : padding + row[i]);
      gap = "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    if (!line.empty()) out += line + "\n";
  }
  return out;
}

}  // namespace parfait::run
