#pragma once

#include <string>
#include <variant>
#include <vector>

#include "parfait/report/drawing/axis.h"
#include "parfait/report/html/html.h"

/// Plots as static SVG inside <figure data-plot="name">: readable without JavaScript, in light and
/// dark and on paper (colours are variables of the style sheet).
namespace parfait::report {

/// What a mark stands for; the style sheet gives it a colour (Okabe and Ito's, which colour-blind
/// readers can tell apart) and plots add a second sign: dashes, width, shape.
enum class Ink { kData, kModel, kGuess, kTruth, kAlarm, kLimit, kSecond, kThird, kFourth, kFifth };

struct Line {
  std::vector<double> x{}, y{};  ///< a value that is not finite interrupts the line
  Ink ink = Ink::kModel;
  bool dashed = false;
  bool in_range = true;  ///< the axes make room for it
};

/// The region between two curves.
struct Band {
  std::vector<double> x{}, low{}, high{};
  bool pale = false;
  bool in_range = true;
};

struct Points {
  std::vector<double> x{}, y{};
  std::vector<double> deviation{};  ///< bars of +- this; empty: none
  Ink ink = Ink::kData;
  bool large = false;
};

/// Bars between edges[i] and edges[i + 1].
struct Bars {
  std::vector<double> edges, heights;
};

/// A thin line from x to `foot` for each value: autocorrelation.
struct Stems {
  std::vector<double> x, y;
};

/// A line across the whole plot at one value.
struct Rule {
  double at = 0;
  bool vertical = false;
  Ink ink = Ink::kLimit;
  bool dashed = false;
  bool in_range = false;
};

/// A word at a point.
struct Note {
  double x = 0, y = 0;
  std::string text{};
};

using Layer = std::variant<Line, Band, Points, Bars, Stems, Rule, Note>;

struct Plot {
  std::string name;   ///< of the kind of plot: data-plot, which scripts look for
  std::string key{};  ///< which of its kind: "run1 x"
  std::string title;
  std::string text;       ///< what is to be seen, for those who cannot see it
  std::string caption{};  ///< shown below the title
  Axis x{}, y{};
  std::vector<Layer> layers{};
  bool square = false;  ///< both axes have the same length
};

Html figure(const Plot& plot);
/// Its <svg> alone.
Html picture(const Plot& plot);

/// A figure around any picture; `anchor` may be empty.
Html figure(const std::string& name, const std::string& key, const std::string& title,
            const std::string& caption, const Html& picture);

/// What the marks of the plots that follow mean.
struct LegendEntry {
  enum class Sign {
    kPoint,
    kLine,
    kDashed,
    kBand,
    kPaleBand,
    kTick,
    kInterval,
    kSquare,
    kDiamond,
    kArrow
  };
  Sign sign = Sign::kLine;
  Ink ink = Ink::kModel;
  std::string text;
};
Html legend(const std::vector<LegendEntry>& entries);

/// The class of the style sheet: "data", "model", ...
std::string_view ink_name(Ink ink);

/// How wide a text is in a picture, roughly, in pixels.
double text_width(std::string_view text);
/// Cut to `pixels`, with dots at its end.
std::string shortened(std::string_view text, double pixels);

}  // namespace parfait::report
