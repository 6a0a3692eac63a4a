#pragma once

#include <string>
#include <string_view>

#include "parfait/report/drawing/plot.h"

namespace parfait::report {

/// The numbers behind a picture as JSON, to seven digits, for a script that draws it again
/// (web/src/data.ts, PlotData). Curves and clouds of very many points are thinned.
std::string plot_data(const Plot& plot);

/// `plain` as a JSON string in which no sign has a meaning in HTML or XML.
std::string json_string(std::string_view plain);

/// Where a picture's numbers stand in its markup, before a page takes them out.
inline constexpr std::string_view kPlotDataBegin =
    "<script type=\"application/json\" class=\"plot\">";
inline constexpr std::string_view kPlotDataEnd = "</script>";

}  // namespace parfait::report
