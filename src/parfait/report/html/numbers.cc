#include "parfait/report/html/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/io/text/number.h"

namespace parfait::report {
namespace {

/// Digits up to here are written in full, larger numbers with an exponent.
constexpr int kMostPlaces = 7;

std::string not_finite(double x) {
  return std::isnan(x) ? "–" : x > 0 ? "∞" : "-∞";
}

std::string superscript(int n) {
  static constexpr const char* kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out = n < 0 ? "⁻" : "";
  for (const char c : std::to_string(std::abs(n))) out += kDigits[c - '0'];
  return out;
}

}  // namespace

std::string rounded(double x, int digits) {
  if (!std::isfinite(x)) return not_finite(x);
  const auto text = fmt::format("{:.{}g}", x == 0 ? 0.0 : x, digits);
  // 300 to one digit is no 3e+02, which nobody says of millimetres.
  constexpr double kEveryday = 1e6;
  if (text.find("e+") == std::string::npos || std::abs(x) >= kEveryday) return text;
  const double shown = std::stod(text);
  return std::abs(shown) < kEveryday ? fmt::format("{:.0f}", shown) : text;
}

std::string rounded_like(double x, double deviation) {
  if (!std::isfinite(x) || !std::isfinite(deviation) || deviation <= 0) return rounded(x);
  // The place of the second digit of the deviation, once that is rounded: 0.0996 is 0.10.
  const auto two_digits = fmt::format("{:.1e}", deviation);
  const int place = std::stoi(two_digits.substr(two_digits.find('e') + 1)) - 1;
  const int size = x == 0 ? place : static_cast<int>(std::floor(std::log10(std::abs(x))));
  const bool plain = place >= -kMostPlaces && size < kMostPlaces;
  if (plain) {
    const auto text = fmt::format("{:.{}f}", x, std::max(0, -place));
    return text.find_first_not_of("-0.") == std::string::npos ? "0" : text;
  }
  return rounded(x, std::clamp(size - place + 1, 1, 15));
}

Html number(double x, const std::string& shown) {
  if (!std::isfinite(x)) return text(shown);
  return element("data", {{"value", io::number_text(x)}}, text(shown));
}

Html number(double x, int digits) {
  return number(x, rounded(x, digits));
}

Html count(long long n) {
  return element("data", {{"value", std::to_string(n)}}, text(std::to_string(n)));
}

std::string typeset(std::string_view number) {
  std::string out;
  const auto e = number.find('e');
  auto mantissa = number.substr(0, e);
  if (!mantissa.empty() && mantissa[0] == '-') {
    out += "−";
    mantissa.remove_prefix(1);
  }
  if (e == std::string_view::npos) return out += mantissa;
  const int exponent = std::stoi(std::string(number.substr(e + 1)));
  if (mantissa != "1") out += std::string(mantissa) + "·";
  return out + power_of_ten(exponent);
}

std::string power_of_ten(int exponent) {
  return "10" + superscript(exponent);
}

}  // namespace parfait::report
