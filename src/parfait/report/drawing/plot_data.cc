#include "parfait/report/drawing/plot_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace parfait::report {
namespace plot_data_text {
namespace {

constexpr std::size_t kMostLine = 2000, kMostPoints = 4000;

std::string number(double x) {
  return std::isfinite(x) ? fmt::format("{:.7g}", x) : "null";
}

/// Which of `count` entries are kept: all, or of each bucket the lowest and the highest of y.
std::vector<std::size_t> kept_of_line(const std::vector<double>& y) {
  std::vector<std::size_t> kept;
  if (y.size() <= kMostLine) {
    for (std::size_t i = 0; i < y.size(); ++i) kept.push_back(i);
    return kept;
  }
  const std::size_t buckets = kMostLine / 2;
  for (std::size_t b = 0; b < buckets; ++b) {
    const std::size_t begin = b * y.size() / buckets, end = (b + 1) * y.size() / buckets;
    std::size_t low = begin, high = begin;
    for (std::size_t i = begin; i < end; ++i) {
      if (y[i] < y[low]) low = i;
      if (y[i] > y[high]) high = i;
    }
    kept.push_back(std::min(low, high));
    if (low != high) kept.push_back(std::max(low, high));
  }
  return kept;
}

std::vector<std::size_t> kept_of_points(std::size_t count) {
  std::vector<std::size_t> kept;
  const std::size_t most = std::min(count, kMostPoints);
  for (std::size_t i = 0; i < most; ++i) kept.push_back(i * count / most);
  return kept;
}

std::string list(const std::vector<double>& values, const std::vector<std::size_t>& kept) {
  std::string out = "[";
  for (const std::size_t i : kept) {
    if (out.size() > 1) out += ',';
    out += number(values[i]);
  }
  return out + "]";
}

std::string list(const std::vector<double>& values) {
  std::string out = "[";
  for (const double x : values) out += (out.size() > 1 ? "," : "") + number(x);
  return out + "]";
}

struct LayerText {
  std::string operator()(const Line& line) const {
    const auto kept = kept_of_line(line.y);
    return fmt::format(R"({{"kind":"line","x":{},"y":{},"ink":"{}"{}{}}})", list(line.x, kept),
                       list(line.y, kept), ink_name(line.ink),
                       line.dashed ? R"(,"dashed":true)" : "",
                       line.in_range ? "" : R"(,"out":true)");
  }
  std::string operator()(const Band& band) const {
    const auto kept = kept_of_line(band.high);
    return fmt::format(R"({{"kind":"band","x":{},"low":{},"high":{}{}{}}})", list(band.x, kept),
                       list(band.low, kept), list(band.high, kept),
                       band.pale ? R"(,"pale":true)" : "", band.in_range ? "" : R"(,"out":true)");
  }
  std::string operator()(const Points& points) const {
    const auto kept = kept_of_points(points.x.size());
    const std::string deviation =
        points.deviation.size() != points.x.size() || kept.size() > 200
            ? ""
            : fmt::format(R"(,"deviation":{})", list(points.deviation, kept));
    return fmt::format(R"({{"kind":"points","x":{},"y":{}{},"ink":"{}"{}}})", list(points.x, kept),
                       list(points.y, kept), deviation, ink_name(points.ink),
                       points.large ? R"(,"large":true)" : "");
  }
  std::string operator()(const Bars& bars) const {
    return fmt::format(R"({{"kind":"bars","edges":{},"heights":{}}})", list(bars.edges),
                       list(bars.heights));
  }
  std::string operator()(const Stems& stems) const {
    return fmt::format(R"({{"kind":"stems","x":{},"y":{}}})", list(stems.x), list(stems.y));
  }
  std::string operator()(const Rule& rule) const {
    return fmt::format(R"({{"kind":"rule","at":{},"ink":"{}"{}{}{}}})", number(rule.at),
                       ink_name(rule.ink), rule.vertical ? R"(,"vertical":true)" : "",
                       rule.dashed ? R"(,"dashed":true)" : "",
                       rule.in_range ? R"(,"in":true)" : "");
  }
  std::string operator()(const Note& note) const {
    return fmt::format(R"({{"kind":"note","x":{},"y":{},"text":{}}})", number(note.x),
                       number(note.y), json_string(note.text));
  }
};

std::string axis(const Axis& a) {
  std::string out =
      fmt::format(R"({{"label":{},"unit":{})", json_string(a.label), json_string(a.unit));
  if (a.log) out += R"(,"log":true)";
  if (a.whole) out += R"(,"whole":true)";
  if (a.has_range()) out += fmt::format(R"(,"low":{},"high":{})", number(a.low), number(a.high));
  return out + "}";
}

}  // namespace
}  // namespace plot_data_text

std::string json_string(std::string_view plain) {
  std::string out = "\"";
  for (const char c : plain) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&') {
      out += fmt::format("\\u{:04x}", byte);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string plot_data(const Plot& plot) {
  std::string layers;
  for (const auto& layer : plot.layers) {
    layers += (layers.empty() ? "" : ",") + std::visit(plot_data_text::LayerText{}, layer);
  }
  return fmt::format(R"({{"name":{},"title":{},"x":{},"y":{}{},"layers":[{}]}})",
                     json_string(plot.name), json_string(plot.title), plot_data_text::axis(plot.x),
                     plot_data_text::axis(plot.y), plot.square ? R"(,"square":true)" : "", layers);
}

}  // namespace parfait::report
