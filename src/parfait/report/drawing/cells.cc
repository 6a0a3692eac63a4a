#include "parfait/report/drawing/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/report/drawing/axis.h"

namespace parfait::report {
namespace {

constexpr double kForestWidth = 240, kForestHeight = 24, kEdge = 8;
constexpr double kMiddle = kForestHeight / 2;
constexpr double kBarWidth = 160;

/// Where the axis of a row begins and ends.
Scale forest_scale(const ForestRow& row) {
  if (row.reach) {
    return {row.value - *row.reach, row.value + *row.reach, false, kEdge, kForestWidth - kEdge};
  }
  double low = row.value, high = row.value;
  const auto include = [&](double x) {
    if (!std::isfinite(x)) return;
    low = std::min(low, x), high = std::max(high, x);
  };
  if (std::isfinite(row.sd) && row.sd > 0) {
    constexpr double kDeviations = 4;
    include(row.value - kDeviations * row.sd);
    include(row.value + kDeviations * row.sd);
    for (const auto& range : {row.joint, row.profile}) include(range.low), include(range.high);
    low = std::max(low, std::min(row.lower, row.value));
    high = std::min(high, std::max(row.upper, row.value));
  } else {
    // Nothing says how wide: everything that is known of it.
    for (const double x : {row.lower, row.upper}) include(x);
    if (row.initial) include(*row.initial);
    if (row.truth) include(*row.truth);
  }
  if (low == high) {
    const double extent = low != 0 ? 0.5 * std::abs(low) : 1;
    low -= extent, high += extent;
  }
  return {low, high, false, kEdge, kForestWidth - kEdge};
}

std::string segment(const char* name, const Scale& scale, const Range95& range) {
  if (std::isnan(range.low) || std::isnan(range.high)) return "";
  const double from = scale.place(std::clamp(range.low, scale.low, scale.high));
  const double to = scale.place(std::clamp(range.high, scale.low, scale.high));
  return fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.0f}H{:.1f}\"/>", name, from, kMiddle, to);
}

/// A short line across the axis.
std::string end_tick(const char* name, const Scale& scale, double x) {
  if (!std::isfinite(x) || x < scale.low || x > scale.high) return "";
  return fmt::format("<path class=\"rule {}\" d=\"M{:.1f} {:.0f}v{:.0f}\"/>", name, scale.place(x),
                     kMiddle - 8, 16.0);
}

/// `shape`, drawn about the origin, or an arrow at the edge that it lies beyond.
std::string mark(const char* name, const Scale& scale, double x, const char* shape) {
  if (!std::isfinite(x)) return "";
  if (x < scale.low || x > scale.high) {
    const bool left = x < scale.low;
    return fmt::format("<path class=\"mark {}\" d=\"M{} {:.0f}l{} 4v-8z\"/>", name,
                       left ? 1.0 : kForestWidth - 1, kMiddle, left ? "6" : "-6");
  }
  return fmt::format("<path class=\"mark {}\" transform=\"translate({:.1f} {:.0f})\" d=\"{}\"/>",
                     name, scale.place(x), kMiddle, shape);
}

}  // namespace

Html forest_cell(const ForestRow& row) {
  const Scale scale = forest_scale(row);
  const bool known = std::isfinite(row.sd);
  std::string out = fmt::format(
      "<svg class=\"forest\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "role=\"img\" aria-label=\"{2}\">",
      kForestWidth, kForestHeight, escaped(row.text));
  out += segment(known ? "track" : "open", scale, {scale.low, scale.high});
  out += end_tick("limit", scale, row.lower) + end_tick("limit", scale, row.upper);
  if (known) {
    out += segment("joint", scale, row.joint) + segment("single", scale, row.individual);
    out += end_tick("model", scale, row.profile.low) + end_tick("model", scale, row.profile.high);
  }
  if (row.initial) out += mark("guess ring", scale, *row.initial, "M-4-4h8v8h-8z");
  if (row.truth) out += mark("truth ring", scale, *row.truth, "M0-6l5 6l-5 6l-5-6z");
  out += mark("data solid", scale, row.value, "M0-3.5a3.5 3.5 0 1 1 0 7a3.5 3.5 0 1 1 0-7z");
  return Html::trusted(out + "</svg>");
}

Html bar_cell(double part, bool alarm, double limit, const std::string& text) {
  const double length = std::isfinite(part) ? kBarWidth * std::clamp(part, 0.0, 1.0) : 0;
  std::string out = fmt::format(
      "<svg class=\"forest\" viewBox=\"0 0 {0:.0f} 16\" width=\"{0:.0f}\" height=\"16\" "
      "role=\"img\" "
      "aria-label=\"{1}\"><path class=\"fill{2}\" d=\"M0 3h{3:.1f}v10h-{3:.1f}z\"/>",
      kBarWidth, escaped(text), alarm ? " alarm" : "", length);
  if (limit > 0 && limit <= 1) {
    out += fmt::format("<path class=\"rule data dash\" d=\"M{:.1f} 0v16\"/>", kBarWidth * limit);
  }
  return Html::trusted(out + "</svg>");
}

}  // namespace parfait::report
