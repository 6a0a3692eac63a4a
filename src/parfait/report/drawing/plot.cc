#include "parfait/report/drawing/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "parfait/report/drawing/path.h"
#include "parfait/report/drawing/plot_data.h"

namespace parfait::report {
namespace {

constexpr double kWidth = 360, kHeight = 220, kSquare = 300;
constexpr double kTop = 22, kBottom = 36, kRight = 12;
constexpr double kLetter = 6.1;  ///< average width of a letter at the size of labels, measured
/// More points than this are thinned: dots that cover each other say nothing.
constexpr std::size_t kManyPoints = 1500;
/// Bars of deviations stand so far apart that they can be told apart.
constexpr std::size_t kMostDeviations = 80;

class Range {
 public:
  explicit Range(bool log) : log_(log) {}
  void add(double x) {
    if (!std::isfinite(x) || (log_ && x <= 0)) return;
    low_ = std::min(low_, x);
    high_ = std::max(high_, x);
  }
  void add(const std::vector<double>& values) {
    for (const double x : values) add(x);
  }
  double low() const { return low_; }
  double high() const { return high_; }

 private:
  bool log_;
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
};

/// Adds what a layer shows to the ranges of both axes.
struct AddToRanges {
  Range& x;
  Range& y;

  void operator()(const Line& line) const {
    if (!line.in_range) return;
    x.add(line.x), y.add(line.y);
  }
  void operator()(const Band& band) const {
    if (!band.in_range) return;
    x.add(band.x), y.add(band.low), y.add(band.high);
  }
  void operator()(const Points& points) const {
    x.add(points.x), y.add(points.y);
    for (std::size_t i = 0; i < points.deviation.size() && points.y.size() <= kMostDeviations;
         ++i) {
      y.add(points.y[i] - points.deviation[i]);
      y.add(points.y[i] + points.deviation[i]);
    }
  }
  void operator()(const Bars& bars) const { x.add(bars.edges), y.add(bars.heights), y.add(0); }
  void operator()(const Stems& stems) const { x.add(stems.x), y.add(stems.y), y.add(0); }
  void operator()(const Rule& rule) const {
    if (rule.in_range) (rule.vertical ? x : y).add(rule.at);
  }
  void operator()(const Note&) const {}
};

std::string path_element(const std::string& classes, const PathData& path) {
  if (path.data().empty()) return "";
  return fmt::format("<path class=\"{}\" d=\"{}\"/>", classes, path.data());
}

/// Draws layers into a box whose upper left corner is the origin.
struct Draw {
  const Scale& x;
  const Scale& y;
  double width, height;

  bool visible(double a, double b) const { return x.has(a) && y.has(b); }
  Place at(double a, double b) const { return {x.place(a), y.place(b)}; }

  /// The parts of a curve between values that cannot be shown.
  template <class Use>
  void for_parts(const std::vector<double>& a, const std::vector<double>& b, Use&& use) const {
    std::vector<Place> part;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (visible(a[i], b[i])) {
        part.push_back(at(a[i], b[i]));
      } else if (!part.empty()) {
        use(part);
        part.clear();
      }
    }
    if (!part.empty()) use(part);
  }

  std::string operator()(const Line& line) const {
    PathData path;
    for_parts(line.x, line.y, [&](const std::vector<Place>& part) {
      if (part.size() == 1) return path.dot(part[0]);
      const auto places = simplified(part);
      path.move(places[0]);
      for (std::size_t i = 1; i < places.size(); ++i) path.line(places[i]);
    });
    return path_element(fmt::format("l {}{}", ink_name(line.ink), line.dashed ? " dash" : ""),
                        path);
  }

  std::string operator()(const Band& band) const {
    std::vector<Place> low, high;
    PathData path;
    const auto flush = [&] {
      if (low.size() > 1) {
        const auto below = simplified(low), above = simplified(high);
        path.move(below[0]);
        for (std::size_t i = 1; i < below.size(); ++i) path.line(below[i]);
        for (std::size_t i = above.size(); i-- > 0;) path.line(above[i]);
        path.close();
      }
      low.clear(), high.clear();
    };
    for (std::size_t i = 0; i < band.x.size(); ++i) {
      if (visible(band.x[i], band.low[i]) && visible(band.x[i], band.high[i])) {
        low.push_back(at(band.x[i], band.low[i]));
        high.push_back(at(band.x[i], band.high[i]));
      } else {
        flush();
      }
    }
    flush();
    return path_element(band.pale ? "band pale" : "band", path);
  }

  std::string operator()(const Points& points) const {
    std::vector<Place> places;
    PathData bars, dots;
    const bool with_bars = !points.deviation.empty() && points.x.size() <= kMostDeviations;
    for (std::size_t i = 0; i < points.x.size(); ++i) {
      if (!visible(points.x[i], points.y[i])) continue;
      const Place p = at(points.x[i], points.y[i]);
      places.push_back(p);
      if (!with_bars || !std::isfinite(points.deviation[i])) continue;
      const double low = points.y[i] - points.deviation[i],
                   high = points.y[i] + points.deviation[i];
      if (!y.has(low) || !y.has(high) || y.place(low) - y.place(high) < 1) continue;
      bars.move({p.x, y.place(low)});
      bars.line({p.x, y.place(high)});
    }
    const bool many = places.size() > kManyPoints;
    if (many) places = thinned(places, 2);
    for (const auto& p : places) dots.dot(p);
    const std::string ink(ink_name(points.ink));
    const char* size = points.large ? " big" : places.size() > 200 ? " small" : "";
    return path_element("bar " + ink, bars) + path_element("pt " + ink + size, dots);
  }

  std::string operator()(const Bars& bars) const {
    PathData path;
    const double foot = y.place(y.log ? y.low : 0);
    for (std::size_t i = 0; i < bars.heights.size(); ++i) {
      if (!y.has(bars.heights[i]) || bars.heights[i] == 0) continue;
      const double left = x.place(bars.edges[i]) + 0.5, right = x.place(bars.edges[i + 1]) - 0.5;
      const double top = y.place(bars.heights[i]);
      path.move({left, foot});
      path.line({left, top});
      path.line({right, top});
      path.line({right, foot});
      path.close();
    }
    return path_element("fill", path);
  }

  std::string operator()(const Stems& stems) const {
    PathData path;
    for (std::size_t i = 0; i < stems.x.size(); ++i) {
      if (!visible(stems.x[i], stems.y[i])) continue;
      path.move(at(stems.x[i], 0));
      path.line(at(stems.x[i], stems.y[i]));
    }
    return path_element("stem", path);
  }

  std::string operator()(const Rule& rule) const {
    const Scale& scale = rule.vertical ? x : y;
    if (!scale.has(rule.at)) return "";
    const double place = scale.place(rule.at);
    PathData path;
    path.move(rule.vertical ? Place{place, 0} : Place{0, place});
    path.line(rule.vertical ? Place{place, height} : Place{width, place});
    return path_element(fmt::format("rule {}{}", ink_name(rule.ink), rule.dashed ? " dash" : ""),
                        path);
  }

  std::string operator()(const Note& note) const {
    if (!visible(note.x, note.y)) return "";
    const Place p = at(note.x, note.y);
    const double length = text_width(note.text);
    const double left = std::clamp(p.x + 4, 0.0, std::max(0.0, width - length));
    return fmt::format("<text class=\"note\" x=\"{:.0f}\" y=\"{:.0f}\">{}</text>", left,
                       std::clamp(p.y - 4, 10.0, height - 2), escaped(note.text));
  }
};

struct Box {
  double left, top, width, height;
};

std::string grid(const Scale& x, const Scale& y, const Ticks& x_ticks, const Ticks& y_ticks,
                 const Box& box) {
  PathData lines;
  std::string labels;
  for (const auto& tick : x_ticks.ticks) {
    const double place = box.left + x.place(tick.value);
    lines.move({place, box.top});
    lines.line({place, box.top + box.height});
    if (tick.label.empty()) continue;
    labels += fmt::format("<text class=\"m\" x=\"{:.0f}\" y=\"{:.0f}\">{}</text>", place,
                          box.top + box.height + 13, escaped(tick.label));
  }
  for (const auto& tick : y_ticks.ticks) {
    const double place = box.top + y.place(tick.value);
    lines.move({box.left, place});
    lines.line({box.left + box.width, place});
    if (tick.label.empty()) continue;
    labels += fmt::format("<text class=\"e\" x=\"{:.0f}\" y=\"{:.0f}\">{}</text>", box.left - 5,
                          place + 4, escaped(tick.label));
  }
  return path_element("grid", lines) + labels;
}

double widest_label(const Ticks& ticks) {
  double width = 0;
  for (const auto& tick : ticks.ticks) width = std::max(width, text_width(tick.label));
  return width;
}

std::string swatch(const LegendEntry& entry) {
  using Sign = LegendEntry::Sign;
  const auto ink = ink_name(entry.ink);
  switch (entry.sign) {
    case Sign::kPoint:
      return fmt::format("<path class=\"pt {}\" d=\"M12 6h0\"/>", ink);
    case Sign::kLine:
      return fmt::format("<path class=\"l {}\" d=\"M1 6h22\"/>", ink);
    case Sign::kDashed:
      return fmt::format("<path class=\"l {} dash\" d=\"M1 6h22\"/>", ink);
    case Sign::kBand:
      return "<path class=\"band\" d=\"M1 1h22v10h-22z\"/>";
    case Sign::kPaleBand:
      return "<path class=\"band pale\" d=\"M1 1h22v10h-22z\"/>";
    case Sign::kTick:
      return fmt::format("<path class=\"rule {}\" d=\"M12 0v12\"/>", ink);
    case Sign::kInterval:
      return "<path class=\"joint\" d=\"M0 6h24\"/><path class=\"single\" d=\"M5 6h14\"/><path "
             "class=\"mark data\" d=\"M12 3a3 3 0 1 1 0 6a3 3 0 1 1 0-6z\"/>";
    case Sign::kSquare:
      return fmt::format("<path class=\"mark ring {}\" d=\"M8 2h8v8h-8z\"/>", ink);
    case Sign::kDiamond:
      return fmt::format("<path class=\"mark ring {}\" d=\"M12 0l5 6l-5 6l-5-6z\"/>", ink);
    case Sign::kArrow:
      return fmt::format("<path class=\"mark ring {}\" d=\"M9 6l6 4v-8z\"/>", ink);
  }
  return "";
}

}  // namespace

std::string_view ink_name(Ink ink) {
  static constexpr std::string_view kNames[] = {"data",  "model",  "guess", "truth",  "alarm",
                                                "limit", "second", "third", "fourth", "fifth"};
  return kNames[static_cast<int>(ink)];
}

double text_width(std::string_view text) {
  // A minus sign is wider than a letter or digit.
  constexpr std::string_view kMinus = "−";
  constexpr double kMinusMore = 3;
  int minuses = 0;
  for (auto at = text.find(kMinus); at != text.npos; at = text.find(kMinus, at + kMinus.size())) {
    ++minuses;
  }
  const auto letters = std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;  // not inside a UTF-8 sequence
  });
  return kLetter * static_cast<double>(letters) + kMinusMore * minuses;
}

std::string shortened(std::string_view text, double pixels) {
  if (text_width(text) <= pixels) return std::string(text);
  std::string kept(text);
  while (!kept.empty() && text_width(kept) + kLetter > pixels) {
    while (!kept.empty() && (static_cast<unsigned char>(kept.back()) & 0xC0) == 0x80)
      kept.pop_back();
    if (!kept.empty()) kept.pop_back();
  }
  return kept + "…";
}

Html figure(const std::string& name, const std::string& key, const std::string& title,
            const std::string& caption, const Html& picture) {
  std::string out = fmt::format("<figure data-plot=\"{}\"", escaped(name));
  if (!key.empty()) out += fmt::format(" data-key=\"{}\"", escaped(key));
  out += fmt::format("><figcaption><b>{}</b>", escaped(title));
  if (!caption.empty()) out += " " + escaped(caption);
  return Html::trusted(fmt::format("{}</figcaption>{}</figure>\n", out, picture.markup()));
}

Html picture(const Plot& plot) {
  Range x_range(plot.x.log), y_range(plot.y.log);
  for (const auto& layer : plot.layers) std::visit(AddToRanges{x_range, y_range}, layer);
  const double width = plot.square ? kSquare : kWidth, height = plot.square ? kSquare : kHeight;

  const auto scale_of = [](const Axis& axis, const Range& range, double from, double to) {
    if (axis.has_range()) return Scale{axis.low, axis.high, axis.log, from, to};
    return make_scale(range.low(), range.high(), axis.log, from, to);
  };
  Box box{0, kTop, 0, height - kTop - kBottom};
  const Scale y = scale_of(plot.y, y_range, box.height, 0);
  const Ticks y_ticks = make_ticks(y, 34, plot.y.whole);
  box.left = std::max(24.0, 9 + widest_label(y_ticks));
  box.width = width - box.left - kRight;
  const Scale x = scale_of(plot.x, x_range, 0, box.width);
  Ticks x_ticks = make_ticks(x, 46, plot.x.whole);
  // Long labels need more room.
  if (const double wide = widest_label(x_ticks) + 14; wide > 46)
    x_ticks = make_ticks(x, wide, plot.x.whole);

  std::string out =
      fmt::format("<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\">", width,
                  height, escaped(plot.text));
  out += grid(x, y, x_ticks, y_ticks, box);
  out += fmt::format("<text x=\"{:.0f}\" y=\"12\">{}</text>", 2.0,
                     escaped(shortened(axis_title(plot.y, y_ticks), width - 4)));
  out += fmt::format("<text class=\"e\" x=\"{:.0f}\" y=\"{:.0f}\">{}</text>", width - kRight,
                     height - 7, escaped(shortened(axis_title(plot.x, x_ticks), width - 20)));
  // A picture in the picture clips what lies outside of the axes.
  out += fmt::format("<svg x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\">", box.left,
                     box.top, box.width, box.height);
  const Draw draw{x, y, box.width, box.height};
  for (const auto& layer : plot.layers) out += std::visit(draw, layer);
  return Html::trusted(
      fmt::format("{}</svg></svg>{}{}{}", out, kPlotDataBegin, plot_data(plot), kPlotDataEnd));
}

Html figure(const Plot& plot) {
  return figure(plot.name, plot.key, plot.title, plot.caption, picture(plot));
}

Html legend(const std::vector<LegendEntry>& entries) {
  std::string out = "<p class=\"legend\">";
  for (const auto& entry : entries) {
    out += fmt::format(
        "<span><svg viewBox=\"0 0 24 12\" width=\"24\" height=\"12\" aria-hidden=\"true\">{}</svg> "
        "{}</span> ",
        swatch(entry), escaped(entry.text));
  }
  return Html::trusted(out + "</p>\n");
}

}  // namespace parfait::report
