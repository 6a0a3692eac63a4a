#include "parfait/io/text/table_scanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "parfait/base/stop.h"
#include "parfait/io/text/number.h"

namespace parfait::io {
namespace {

bool is_skipped(std::string_view line) {
  const auto text = trimmed(line);
  return text.empty() || text.front() == '#';
}

/// What separates the cells of the first row. Quoted cells and the ends of the line do not count.
char find_separator(std::string_view text) {
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (is_skipped(line)) continue;
    bool quoted = false, tab = false, comma = false, semicolon = false;
    for (const char c : trimmed(line)) {
      quoted ^= c == '"';
      tab |= c == '\t' && !quoted;
      comma |= c == ',' && !quoted;
      semicolon |= c == ';' && !quoted;
    }
    if (comma) return ',';
    return semicolon ? ';' : tab ? '\t' : ',';
  }
  return ',';
}

}  // namespace

TableScanner::TableScanner(std::string_view text, const std::string& file, int first_line)
    : text_(text), place_{file, first_line, 1}, separator_(find_separator(text)) {
  if (const auto nul = text.find('\0'); nul != std::string_view::npos) {
    const auto before = text.substr(0, nul);
    const auto last = before.rfind('\n');
    place_.line += static_cast<int>(std::count(before.begin(), before.end(), '\n'));
    place_.column = static_cast<int>(nul - (last == std::string_view::npos ? 0 : last + 1)) + 1;
    throw base::InputError(place_,
                           "here is a NUL byte, which no text contains. Is this a binary file, or "
                           "UTF-16? Save it as UTF-8.");
  }
}

bool TableScanner::next_row(std::vector<Cell>& row) {
  base::leave_if_stopped();
  while (at_ < text_.size()) {
    row.clear();
    const std::string_view line = rest_of_line();
    if (is_skipped(line)) {
      skip(line.size());
      end_line();
      continue;
    }
    row.push_back(next_cell());
    while (at_ < text_.size() && text_[at_] == separator_) {
      skip(1);
      row.push_back(next_cell());
    }
    end_line();
    return true;
  }
  return false;
}

void TableScanner::skip(std::size_t count) {
  for (const std::size_t stop = at_ + count; at_ < stop; ++at_) {
    const auto byte = static_cast<unsigned char>(text_[at_]);
    if (byte == '\n') {
      ++place_.line;
      place_.column = 1;
    } else if ((byte & 0xC0U) != 0x80U) {  // not the continuation of a UTF-8 character
      ++place_.column;
    }
  }
}

void TableScanner::end_line() {
  if (at_ < text_.size() && text_[at_] == '\n') skip(1);
}

void TableScanner::skip_blanks() {
  const auto is_blank = [&](char c) {
    return c != separator_ && (c == ' ' || c == '\t' || c == '\r');
  };
  while (at_ < text_.size() && is_blank(text_[at_])) skip(1);
}

Cell TableScanner::next_cell() {
  skip_blanks();
  if (at_ < text_.size() && text_[at_] == '"') return quoted_cell();
  const std::string_view line = rest_of_line();
  const std::string_view cell = line.substr(0, line.find(separator_));
  Cell out{std::string(trimmed(cell)), place_, separator_ != ','};
  skip(cell.size());
  return out;
}

Cell TableScanner::quoted_cell() {
  Cell cell{"", place_, separator_ != ','};
  skip(1);
  for (;;) {
    const auto quote = text_.find('"', at_);
    if (quote == std::string_view::npos) {
      throw base::InputError(cell.place, "this quoted cell has no closing quote.");
    }
    cell.text += text_.substr(at_, quote - at_);
    skip(quote - at_ + 1);
    if (at_ >= text_.size() || text_[at_] != '"') break;
    cell.text += '"';
    skip(1);
  }
  skip_blanks();
  if (at_ < text_.size() && text_[at_] != separator_ && text_[at_] != '\n') {
    throw base::InputError(place_,
                           fmt::format("a {} or the end of the line must follow a quoted cell.",
                                       separator_ == ','   ? "comma"
                                       : separator_ == ';' ? "semicolon"
                                                           : "tab"));
  }
  return cell;
}

double cell_number(const Cell& cell, const std::string& column, bool non_finite) {
  if (cell.text.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::string text = cell.text;
  const auto comma = text.find(',');
  if (cell.decimal_comma && comma != std::string::npos && text.find('.') == std::string::npos) {
    text[comma] = '.';  // a second comma is left, and no number
  }
  const auto parsed = parse_number(text);
  const bool accepted =
      parsed.kind == NumberKind::kNumber || (parsed.kind == NumberKind::kNotFinite && non_finite);
  if (accepted) return parsed.value;
  const char* why = parsed.kind == NumberKind::kNotFinite
                        ? "is not finite; leave a cell empty if it was not measured"
                    : parsed.kind == NumberKind::kOutOfRange
                        ? "is too large or too small for a double"
                        : "is not a number";
  throw base::InputError(cell.place,
                         fmt::format("column \"{}\": \"{}\" {}.", column, cell.text, why));
}

void check_width(const std::vector<Cell>& row, std::size_t num_columns) {
  if (row.size() == num_columns) return;
  throw base::InputError(row.front().place, fmt::format("this row has {} cells, the header has {}.",
                                                        row.size(), num_columns));
}

std::vector<std::string> read_header(TableScanner& scanner, const std::string& file) {
  std::vector<Cell> row;
  if (!scanner.next_row(row)) {
    throw base::InputError({file, 1, 1}, "the file is empty; it must begin with a header row.");
  }
  std::vector<std::string> header;
  for (const auto& cell : row) {
    if (cell.text.empty()) {
      throw base::InputError(
          cell.place, fmt::format("column {} has no name in the header.", header.size() + 1));
    }
    if (std::find(header.begin(), header.end(), cell.text) != header.end()) {
      throw base::InputError(cell.place,
                             fmt::format("two columns have the name \"{}\".", cell.text));
    }
    header.push_back(cell.text);
  }
  const bool numbers = std::all_of(header.begin(), header.end(), [](const std::string& name) {
    return parse_number(name).kind != NumberKind::kNoNumber;
  });
  if (numbers) {
    throw base::InputError(row.front().place,
                           "the first row holds numbers; it must be a header with the names of the "
                           "columns, for example t,x,y.");
  }
  return header;
}

}  // namespace parfait::io
