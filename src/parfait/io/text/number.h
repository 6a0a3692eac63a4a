#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Numbers in text files: read in full or not at all, written so that reading gives back the same
/// double. The decimal sign is a point whatever the locale says.
namespace parfait::io {

enum class NumberKind {
  kNumber,
  kNotFinite,   ///< nan, inf, infinity, with or without a sign
  kOutOfRange,  ///< a number that no double can hold
  kNoNumber,
};

struct ParsedNumber {
  NumberKind kind = NumberKind::kNoNumber;
  double value = 0;  ///< for kNumber and kNotFinite
};

/// The whole of `text` as a number; a leading + is allowed, spaces are not.
ParsedNumber parse_number(std::string_view text);

/// The shortest text that reads back as `x`.
std::string number_text(double x);

/// The same for each, with a space between.
std::string list_text(const std::vector<double>& numbers);

/// A blank, tab or end of line.
bool is_space(char c);

/// `text` without white space at its ends.
std::string_view trimmed(std::string_view text);

}  // namespace parfait::io
