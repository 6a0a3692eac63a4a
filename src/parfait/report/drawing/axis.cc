#include "parfait/report/drawing/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/report/html/numbers.h"

namespace parfait::report {
namespace {

constexpr double kMargin = 0.04;  ///< of the range, on both sides

/// 1, 2 or 5 times a power of ten, at least `x`.
double round_up_to_step(double x) {
  const double power = std::pow(10.0, std::floor(std::log10(x)));
  for (const double digit : {1.0, 2.0, 5.0}) {
    if (digit * power >= x * (1 - 1e-9)) return digit * power;
  }
  return 10 * power;
}

std::string fixed_label(double x, int decimals) {
  auto text = fmt::format("{:.{}f}", x, decimals);
  if (text.find_first_not_of("-0.") == std::string::npos && text[0] == '-') text.erase(0, 1);
  return typeset(text);
}

Ticks linear_ticks(double low, double high, double most, bool whole) {
  Ticks ticks;
  double step = round_up_to_step((high - low) / std::max(most, 1.0));
  // A single label says nothing about the scale.
  const auto count = [&] {
    return std::floor(high / step + 1e-9) - std::ceil(low / step - 1e-9) + 1;
  };
  for (int finer = 0; finer < 3 && count() < 3; ++finer) step = round_up_to_step(0.39 * step);
  if (whole) step = std::max(step, 1.0);
  const double first = std::ceil(low / step - 1e-9);
  const double last = std::floor(high / step + 1e-9);
  const double largest = std::max(std::abs(first), std::abs(last)) * step;
  const int step_power = static_cast<int>(std::floor(std::log10(step) + 1e-9));
  const int power = largest > 0 ? static_cast<int>(std::floor(std::log10(largest) + 1e-9)) : 0;
  // Many digits that all labels share are said once.
  constexpr int kMostDigits = 5;
  if (power - step_power >= kMostDigits) ticks.offset = first * step;
  if (ticks.offset != 0) {
    if (step_power <= -4 || step_power >= kMostDigits) ticks.factor = step_power;
  } else if (power >= kMostDigits || power <= -4) {
    ticks.factor = power;
  }
  const int decimals = std::max(0, ticks.factor - step_power);
  const int num_ticks = static_cast<int>(last - first) + 1;
  for (int i = 0; i < num_ticks; ++i) {
    const double at = (first + i) * step;
    const double shown = (at - ticks.offset) / std::pow(10.0, ticks.factor);
    ticks.ticks.push_back({at, fixed_label(shown, decimals)});
  }
  return ticks;
}

std::string decade_label(int exponent) {
  if (exponent >= 0 && exponent <= 3) return fmt::format("{:g}", std::pow(10.0, exponent));
  if (exponent < 0 && exponent >= -2)
    return fmt::format("{:.{}f}", std::pow(10.0, exponent), -exponent);
  return power_of_ten(exponent);
}

Ticks log_ticks(double low, double high, double most) {
  const int first = static_cast<int>(std::ceil(std::log10(low) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log10(high) + 1e-9));
  Ticks ticks;
  if (last - first >= 1) {
    // Every decade, every second, every fifth, ...: as many as there is room for.
    const auto every = static_cast<int>(std::max(1.0, round_up_to_step((last - first) / most)));
    for (int e = first; e <= last; ++e) {
      const bool named = ((e % every) + every) % every == 0;
      if (named || last - first <= 20) {
        ticks.ticks.push_back({std::pow(10.0, e), named ? decade_label(e) : ""});
      }
    }
    return ticks;
  }
  return linear_ticks(low, high, most, false);
}

}  // namespace

double Scale::place(double value) const {
  const double part =
      log ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
  return from + (to - from) * part;
}

bool Scale::has(double value) const {
  return std::isfinite(value) && (!log || value > 0);
}

Scale make_scale(double low, double high, bool log, double from, double to) {
  if (!(low <= high) || !std::isfinite(low) || !std::isfinite(high))
    low = log ? 1 : 0, high = log ? 10 : 1;
  if (log) {
    if (low <= 0) low = high > 0 ? 1e-3 * high : 1;
    if (high <= low) high = low;
    if (high < 1.5 * low) low /= 2, high *= 2;
    const double margin = std::pow(high / low, kMargin);
    return {low / margin, high * margin, true, from, to};
  }
  // A range within the rounding of its values has no extent.
  const double size = std::max(std::abs(low), std::abs(high));
  if (high - low <= 1e-12 * size || high == low) {
    const double extent = size > 0 ? 0.1 * size : 1;
    low -= extent, high += extent;
  }
  const double margin = kMargin * (high - low);
  return {low - margin, high + margin, false, from, to};
}

Ticks make_ticks(const Scale& scale, double spacing, bool whole) {
  const double most = std::max(2.0, std::floor(std::abs(scale.to - scale.from) / spacing));
  return scale.log ? log_ticks(scale.low, scale.high, most)
                   : linear_ticks(scale.low, scale.high, most, whole);
}

std::string axis_title(const Axis& axis, const Ticks& ticks) {
  std::string unit = ticks.factor != 0 ? power_of_ten(ticks.factor) : "";
  if (!axis.unit.empty()) unit += (unit.empty() ? "" : " ") + axis.unit;
  std::string title = axis.label;
  if (!unit.empty()) title += (title.empty() ? "(" : " (") + unit + ")";
  if (ticks.offset != 0) {
    title += fmt::format(" {} {}", ticks.offset > 0 ? "+" : "−",
                         typeset(rounded(std::abs(ticks.offset), 12)));
  }
  return title;
}

}  // namespace parfait::report
