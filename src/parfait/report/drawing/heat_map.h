#pragma once

#include <string>
#include <vector>

#include "parfait/report/html/html.h"

namespace parfait::report {

/// A matrix as coloured cells: 0 is the colour of the page, 1 (or a larger value) full orange if
/// `diverging`, otherwise full blue, and -1 full blue. Values stand in the cells while there is
/// room. A value that is no number leaves its cell empty.
struct HeatMap {
  std::string name;  ///< data-plot
  std::string title;
  std::string text;  ///< for those who cannot see it
  std::string caption{};
  std::vector<std::string> rows{}, columns{};
  std::vector<std::vector<double>> values{};
  bool diverging = true;
  bool lower_triangle = false;  ///< of a symmetric matrix
};
Html figure(const HeatMap& map);

}  // namespace parfait::report
