#include "parfait/report/drawing/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "parfait/report/drawing/path.h"
#include "parfait/report/drawing/plot.h"
#include "parfait/report/html/numbers.h"

namespace parfait::report {
namespace {

constexpr int kLevels = 20;  ///< shades on either side of 0
constexpr std::size_t kMostNumbers = 12;

struct CellGrid {
  double left, top, width, height;  ///< of the corner, and of a cell
};

void add_cell(PathData& path, const CellGrid& grid, std::size_t row, std::size_t column) {
  const double x = grid.left + static_cast<double>(column) * grid.width;
  const double y = grid.top + static_cast<double>(row) * grid.height;
  path.move({x, y});
  path.line({x + grid.width, y});
  path.line({x + grid.width, y + grid.height});
  path.line({x, y + grid.height});
  path.close();
}

/// Dark shades need another colour for the number in them.
std::string_view number_class(int level, bool diverging) {
  const bool blue = diverging ? level < 0 : level > 0;
  if (std::abs(level) <= kLevels / 2) return "m note";
  return blue ? "m on" : "m in";
}

bool is_shown(const HeatMap& map, std::size_t i, std::size_t j) {
  return (!map.lower_triangle || j <= i) && std::isfinite(map.values[i][j]);
}

std::string cells(const HeatMap& map, const CellGrid& grid, bool with_numbers) {
  std::map<int, PathData> shades;  // one path for each shade
  std::string numbers;
  for (std::size_t i = 0; i < map.values.size(); ++i) {
    for (std::size_t j = 0; j < map.values[i].size(); ++j) {
      if (!is_shown(map, i, j)) continue;
      const double value = map.values[i][j];
      const int level = static_cast<int>(std::lround(kLevels * std::clamp(value, -1.0, 1.0)));
      add_cell(shades[level], grid, i, j);
      if (!with_numbers) continue;
      numbers += fmt::format("<text class=\"{}\" x=\"{:.0f}\" y=\"{:.0f}\">{}</text>",
                             number_class(level, map.diverging),
                             grid.left + (static_cast<double>(j) + 0.5) * grid.width,
                             grid.top + (static_cast<double>(i) + 0.5) * grid.height + 4,
                             typeset(fmt::format("{:.2f}", value == 0 ? 0.0 : value)));
    }
  }
  std::string out;
  for (const auto& [level, path] : shades) {
    const bool blue = map.diverging ? level < 0 : true;
    out += fmt::format("<path class=\"cell {}\" fill-opacity=\"{:.2f}\" d=\"{}\"/>",
                       blue ? "blue" : "orange", std::abs(level) / double{kLevels}, path.data());
  }
  return out + numbers;
}

}  // namespace

Html figure(const HeatMap& map) {
  constexpr double kLongestName = 150;
  double row_names = 0, column_names = 0;
  for (const auto& name : map.rows) row_names = std::max(row_names, text_width(name));
  for (const auto& name : map.columns) column_names = std::max(column_names, text_width(name));
  row_names = std::min(row_names, kLongestName);
  column_names = std::min(column_names, kLongestName);

  const bool with_numbers = map.columns.size() <= kMostNumbers && map.rows.size() <= 40;
  CellGrid grid{row_names + 8, 0, with_numbers ? 40.0 : 13.0, with_numbers ? 22.0 : 13.0};
  // Names that do not fit above their cells are slanted; above narrow ones that would put one over
  // the other, so they stand upright.
  const bool turned = column_names > grid.width - 4;
  const double angle = with_numbers ? 45 : 90;
  const double rise = with_numbers ? 0.72 : 1, reach = with_numbers ? 0.72 : 0;
  grid.top = turned ? rise * column_names + 12 : 18;
  const double width = grid.left + static_cast<double>(map.columns.size()) * grid.width +
                       std::max(4.0, turned ? reach * column_names : 0);
  const double height = grid.top + static_cast<double>(map.rows.size()) * grid.height + 2;

  std::string out = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\"><svg class=\"heat\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "width=\"{0:.0f}\" height=\"{1:.0f}\" role=\"img\" aria-label=\"{2}\">",
      width, height, escaped(map.text));
  out += cells(map, grid, with_numbers);
  for (std::size_t i = 0; i < map.rows.size(); ++i) {
    out += fmt::format("<text class=\"e\" x=\"{:.0f}\" y=\"{:.0f}\">{}</text>", grid.left - 5,
                       grid.top + (static_cast<double>(i) + 0.5) * grid.height + 4,
                       escaped(shortened(map.rows[i], kLongestName)));
  }
  for (std::size_t j = 0; j < map.columns.size(); ++j) {
    const double x = grid.left + (static_cast<double>(j) + 0.5) * grid.width;
    const auto name = escaped(shortened(map.columns[j], kLongestName));
    out += turned
               ? fmt::format("<text transform=\"translate({:.0f} {:.0f}) rotate(-{})\">{}</text>",
                             x + 3, grid.top - 5, angle, name)
               : fmt::format("<text class=\"m\" x=\"{:.0f}\" y=\"{:.0f}\">{}</text>", x,
                             grid.top - 6, name);
  }
  return figure(map.name, "", map.title, map.caption, Html::trusted(out + "</svg></div>"));
}

}  // namespace parfait::report
