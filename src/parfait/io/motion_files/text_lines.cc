#include "parfait/io/motion_files/text_lines.h"

#include <limits>

#include "parfait/base/stop.h"
#include "parfait/io/text/number.h"

namespace parfait::io {
namespace {

char small_letter(char c) {
  return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

}  // namespace

bool LineReader::next(std::string_view& line) {
  base::leave_if_stopped();
  if (at_ >= text_.size()) return false;
  const auto end = text_.find_first_of("\r\n", at_);
  if (end == std::string_view::npos) {
    line = text_.substr(at_);
    at_ = text_.size();
  } else {
    line = text_.substr(at_, end - at_);
    at_ = end + (text_.substr(end, 2) == "\r\n" ? 2 : 1);
  }
  ++number_;
  return true;
}

void split_cells(std::string_view line, char separator, std::vector<std::string_view>& cells) {
  cells.clear();
  for (;;) {
    const auto end = line.find(separator);
    cells.push_back(trimmed(line.substr(0, end)));
    if (end == std::string_view::npos) return;
    line.remove_prefix(end + 1);
  }
}

void split_words(std::string_view line, std::vector<std::string_view>& words, bool commas) {
  words.clear();
  const std::string_view separators = commas ? " \t\r\n," : " \t\r\n";
  for (std::size_t at = 0;;) {
    at = line.find_first_not_of(separators, at);
    if (at == std::string_view::npos) return;
    const auto end = line.find_first_of(separators, at);
    words.push_back(line.substr(at, end - at));
    if (end == std::string_view::npos) return;
    at = end;
  }
}

void split_row(std::string_view line, std::vector<std::string_view>& cells) {
  if (line.find('\t') != std::string_view::npos) {
    split_cells(line, '\t', cells);
  } else {
    split_words(line, cells);
  }
}

CellValue cell_value(std::string_view cell) {
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  if (cell.empty()) return {nothing, true};
  const auto parsed = parse_number(cell);
  if (parsed.kind == NumberKind::kNumber) return {parsed.value, true};
  if (parsed.kind == NumberKind::kOutOfRange) return {nothing, false};
  return {nothing, parsed.kind == NumberKind::kNotFinite};
}

bool same_word(std::string_view a, std::string_view b) {
  return a.size() == b.size() && begins_with_word(a, b);
}

bool begins_with_word(std::string_view text, std::string_view word) {
  if (text.size() < word.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (small_letter(text[i]) != small_letter(word[i])) return false;
  }
  return true;
}

}  // namespace parfait::io
