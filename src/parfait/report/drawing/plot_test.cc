#include "parfait/report/drawing/plot.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "parfait/report/drawing/cells.h"
#include "parfait/report/drawing/heat_map.h"
#include "parfait/report/drawing/path.h"
#include "parfait/report/drawing/plot_data.h"

namespace parfait::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> labels(const Ticks& ticks) {
  std::vector<std::string> out;
  for (const auto& tick : ticks.ticks) out.push_back(tick.label);
  return out;
}

Ticks ticks_of(double low, double high, bool log = false, double room = 250) {
  return make_ticks({low, high, log, 0, room}, 50);
}

TEST(Axis, TicksStandAtRoundNumbers) {
  EXPECT_THAT(labels(ticks_of(0, 10)), ElementsAre("0", "2", "4", "6", "8", "10"));
  EXPECT_THAT(labels(ticks_of(-0.13, 0.11)), ElementsAre("−0.10", "−0.05", "0.00", "0.05", "0.10"));
}

TEST(Axis, LargeAndSmallNumbersGiveTheirPowerToTheTitle) {
  const auto small = ticks_of(0, 3e-5);
  EXPECT_EQ(small.factor, -5);
  EXPECT_THAT(labels(small), ElementsAre("0", "1", "2", "3"));
  EXPECT_EQ(axis_title({.label = "x", .unit = "m"}, small), "x (10⁻⁵ m)");
  EXPECT_EQ(axis_title({.label = "x"}, ticks_of(0, 4e6)), "x (10⁶)");
}

TEST(Axis, DigitsThatAllLabelsShareAreSaidOnce) {
  const auto ticks = ticks_of(400.0001, 400.0004);
  EXPECT_THAT(labels(ticks), ElementsAre("0", "1", "2", "3"));
  EXPECT_EQ(axis_title({.label = "x", .unit = "m"}, ticks), "x (10⁻⁴ m) + 400.0001");
}

TEST(Axis, LogarithmicTicksAreDecades) {
  EXPECT_THAT(labels(ticks_of(1e-5, 20, true, 400)),
              ElementsAre("10⁻⁵", "10⁻⁴", "10⁻³", "0.01", "0.1", "1", "10"));
  EXPECT_THAT(
      labels(ticks_of(1e-13, 1e2, true, 250)),
      ElementsAre("", "", "", "10⁻¹⁰", "", "", "", "", "10⁻⁵", "", "", "", "", "1", "", ""));
  EXPECT_THAT(labels(ticks_of(54, 58, true)), ElementsAre("54", "55", "56", "57", "58"));
}

TEST(Axis, EveryRangeHasExtent) {
  for (const bool log : {false, true}) {
    for (const auto& [low, high] : std::vector<std::pair<double, double>>{
             {0, 0}, {5, 5}, {1e300, 1e300}, {-3, -3}, {INFINITY, -INFINITY}, {1, 1 + 1e-15}}) {
      const auto scale = make_scale(low, high, log, 0, 100);
      EXPECT_LT(scale.low, scale.high) << low << " " << high << " " << log;
      EXPECT_GE(make_ticks(scale, 30).ticks.size(), 1U) << low << " " << high << " " << log;
    }
  }
}

TEST(Path, IsRelativeAndInTenths) {
  PathData path;
  path.move({10, 20});
  path.line({10.25, 19.96});
  path.line({10.3, 20});
  path.line({0, 20.5});
  EXPECT_EQ(path.data(), "M10 20l.3 0-10.3 .5");
}

TEST(Path, GoesOnFromTheStartOfAClosedFigure) {
  PathData path;
  path.move({1, 1});
  path.line({3, 1});
  path.line({3, 4});
  path.close();
  path.move({5, 1});
  path.dot({6, 2});
  EXPECT_EQ(path.data(), "M1 1l2 0 0 3zm4 0m1 1h0");
}

TEST(Path, OfAStraightLineIsItsEnds) {
  std::vector<Place> line;
  for (int i = 0; i <= 100; ++i) line.push_back({1.0 * i, 2.0 * i});
  EXPECT_EQ(simplified(line).size(), 2U);
}

TEST(Path, SimplifiedStaysWithinTheTolerance) {
  std::vector<Place> curve;
  for (int i = 0; i <= 1000; ++i) curve.push_back({0.3 * i, 90 + 80 * std::sin(0.02 * i)});
  const auto few = simplified(curve, 0.15);
  EXPECT_LT(few.size(), 120U);  // measured 74
  std::size_t segment = 0;
  double worst = 0;
  for (const auto& p : curve) {
    while (segment + 2 < few.size() && few[segment + 1].x < p.x) ++segment;
    const auto &a = few[segment], &b = few[segment + 1];
    const double dx = b.x - a.x, dy = b.y - a.y;
    worst = std::max(worst, std::abs((p.x - a.x) * dy - (p.y - a.y) * dx) / std::hypot(dx, dy));
  }
  EXPECT_LE(worst, 0.15 + 1e-9);
  EXPECT_GT(worst, 0.01);  // something was left out
}

TEST(Path, ManyPlacesInOneColumnKeepTheirExtremes) {
  std::vector<Place> noise(100000);
  for (int i = 0; i < 100000; ++i) noise[i] = {3e-3 * i, (i * 7919) % 101 + 0.0};
  const auto few = simplified(noise);
  EXPECT_LT(few.size(), 2500U);  // 600 columns, four places each
  double low = 1e9, high = -1e9;
  for (const auto& p : few) low = std::min(low, p.y), high = std::max(high, p.y);
  EXPECT_EQ(low, 0);
  EXPECT_EQ(high, 100);
}

Plot example_plot() {
  return {.name = "fit",
          .key = "run1 \"x\"",
          .title = "x < y",
          .text = "a & b",
          .x = {.label = "t", .unit = "s"},
          .y = {.label = "x"},
          .layers = {Line{{0, 1, 2, 3, 4}, {0, 1, NAN, 1, 0}},
                     Points{{0, 1}, {0.5, 0.6}, {0.1, 0.1}}, Rule{2, true}, Note{1, 1, "<here>"}}};
}

TEST(Plot, IsAFigureWithATextAndEscapedNames) {
  const auto markup = figure(example_plot()).markup();
  EXPECT_THAT(markup, HasSubstr("<figure data-plot=\"fit\" data-key=\"run1 &quot;x&quot;\">"));
  EXPECT_THAT(markup, HasSubstr("<b>x &lt; y</b>"));
  EXPECT_THAT(markup, HasSubstr("role=\"img\" aria-label=\"a &amp; b\""));
  EXPECT_THAT(markup, HasSubstr("&lt;here&gt;"));
  EXPECT_THAT(markup, Not(HasSubstr("nan")));
}

TEST(Plot, ALineIsInterruptedWhereThereIsNoValue) {
  const auto markup = figure(example_plot()).markup();
  const auto start = markup.find("class=\"l model\" d=\"");
  const auto path = markup.substr(start, markup.find("/>", start) - start);
  EXPECT_EQ(std::count(path.begin(), path.end(), 'm') - 1, 1) << path;  // one in "model"
}

TEST(Plot, WithNothingInItIsStillAPicture) {
  const auto markup = figure(Plot{.name = "empty", .title = "nothing", .text = "nothing"}).markup();
  EXPECT_THAT(markup, HasSubstr("</svg></svg>"));
  EXPECT_THAT(markup, Not(HasSubstr("nan")));
  EXPECT_THAT(markup, Not(HasSubstr("inf")));
}

TEST(Plot, ManyPointsAreThinnedToWhatCanBeSeen) {
  Points points;
  for (int i = 0; i < 100000; ++i) {
    points.x.push_back(i);
    points.y.push_back(std::sin(1e3 * i));
  }
  const auto markup =
      figure(Plot{.name = "many", .title = "", .text = "", .layers = {points}}).markup();
  const auto numbers = markup.find(kPlotDataBegin);
  EXPECT_LT(numbers, 110000U);
  EXPECT_GT(numbers, 20000U);
  EXPECT_LT(markup.size() - numbers, 100000U);  // measured 69 kB
}

TEST(HeatMap, HasACellForEachNumberOfTheLowerTriangle) {
  const HeatMap map{.name = "correlation",
                    .title = "correlation",
                    .text = "",
                    .rows = {"a", "b<"},
                    .columns = {"a", "b<"},
                    .values = {{1, -0.5}, {-0.5, 1}},
                    .lower_triangle = true};
  const auto markup = figure(map).markup();
  EXPECT_THAT(markup, HasSubstr("class=\"cell blue\" fill-opacity=\"0.50\""));
  EXPECT_THAT(markup, HasSubstr("class=\"cell orange\" fill-opacity=\"1.00\""));
  EXPECT_THAT(markup, HasSubstr(">−0.50</text>"));
  EXPECT_EQ(markup.find("−0.50"), markup.rfind("−0.50")) << "only below the diagonal";
  EXPECT_THAT(markup, HasSubstr("b&lt;"));
}

/// The names above narrow cells would lie over each other if they were slanted.
TEST(HeatMap, NamesAboveNarrowCellsStandUpright) {
  HeatMap map{.name = "correlation", .title = "correlation", .text = ""};
  const auto add = [&] { map.columns.push_back(fmt::format("stiffness_{}", map.columns.size())); };
  while (map.columns.size() < 12) add();
  map.rows = {"a"};
  map.values = {std::vector<double>(map.columns.size(), 0.5)};
  EXPECT_THAT(figure(map).markup(), HasSubstr("rotate(-45)"));
  add();
  map.values[0].push_back(0.5);
  EXPECT_THAT(figure(map).markup(), HasSubstr("rotate(-90)"));
}

TEST(Plot, AMinusSignIsWiderThanADigit) {
  EXPECT_GT(text_width("−100"), text_width("1100") + 2);
}

TEST(Forest, MarksOutsideTheAxisBecomeArrows) {
  const ForestRow row{
      .value = 10, .sd = 1, .individual = {8, 12}, .initial = 100, .truth = 10.5, .text = "ten"};
  const auto markup = forest_cell(row).markup();
  EXPECT_THAT(markup, HasSubstr("class=\"mark guess ring\" d=\"M239 12l-6 4v-8z\""));
  // value +- 4 sd on 224 pixels: 10.5 stands at 8 + 224 * 4.5 / 8.
  EXPECT_THAT(markup, HasSubstr("class=\"mark truth ring\" transform=\"translate(134.0 12)\""));
  EXPECT_THAT(markup, HasSubstr("class=\"single\""));
}

TEST(Forest, WithoutADeviationTheBarIsOpen) {
  const auto markup = forest_cell({.value = 3, .lower = 0, .upper = 10, .text = ""}).markup();
  EXPECT_THAT(markup, HasSubstr("class=\"open\""));
  EXPECT_THAT(markup, Not(HasSubstr("class=\"single\"")));
}

}  // namespace
}  // namespace parfait::report
