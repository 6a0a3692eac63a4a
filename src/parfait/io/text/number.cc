#include "parfait/io/text/number.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace parfait::io {

ParsedNumber parse_number(std::string_view text) {
  const bool has_plus = text.size() > 1 && text[0] == '+' && text[1] != '-';
  if (has_plus) text.remove_prefix(1);
  ParsedNumber parsed;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, parsed.value);
  if (stop != end || error == std::errc::invalid_argument) return {};
  if (error == std::errc::result_out_of_range) {
    parsed.kind = NumberKind::kOutOfRange;
  } else {
    parsed.kind = std::isfinite(parsed.value) ? NumberKind::kNumber : NumberKind::kNotFinite;
  }
  return parsed;
}

std::string number_text(double x) {
  return fmt::format("{}", x);
}

std::string list_text(const std::vector<double>& numbers) {
  std::string out;
  for (const double x : numbers) out += (out.empty() ? "" : " ") + number_text(x);
  return out;
}

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

}  // namespace parfait::io
