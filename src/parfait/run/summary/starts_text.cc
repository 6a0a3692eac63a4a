#include "parfait/run/summary/starts_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "parfait/base/counted.h"
#include "parfait/run/summary/text_table.h"

namespace parfait::run {

void print_starts(Words& out, const result::Starts& starts) {
  // Statuses in words, the most frequent first.
  std::map<std::string, int> counts;
  for (const auto& start : starts.list) ++counts[start.status];
  std::vector<std::pair<std::string, int>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted,
                           [](const auto& a, const auto& b) { return a.second > b.second; });
  out.print("\n  {} within the bounds (seed {}) and the initial values:",
            base::counted(starts.count, "start", "starts"), starts.seed);
  const char* separator = " ";
  for (const auto& [status, count] : sorted) {
    out.print("{}{} {}", separator, count, status);
    separator = ", ";
  }
  out.print(".\n");
  if (starts.minima.empty()) return;
  TextTable table({"minimum", "objective", "starts", "best start", "values differ in"}, {4});
  constexpr std::size_t kMost = 8, kMostNames = 4;
  constexpr double kDiffers = 1e-3;  // of the larger one
  const std::size_t shown = std::min(kMost, starts.minima.size());
  for (std::size_t k = 0; k < shown; ++k) {
    const auto& minimum = starts.minima[k];
    std::string names;
    std::size_t differ = 0;
    for (std::size_t i = 0; i < minimum.low.size() && i < starts.names.size(); ++i) {
      const double size = std::max(std::abs(minimum.low[i]), std::abs(minimum.high[i]));
      if (minimum.high[i] - minimum.low[i] <= kDiffers * size) continue;
      if (++differ <= kMostNames) names += (names.empty() ? "" : ", ") + starts.names[i];
    }
    if (differ > kMostNames) names += fmt::format(" and {} more", differ - kMostNames);
    table.add({fmt::format("{}", k + 1), fmt::format("{:.8g}", minimum.objective),
               fmt::format("{}", minimum.starts), fmt::format("{}", minimum.best), names});
  }
  out.print("\n{}", table.text("  "));
  if (shown < starts.minima.size()) {
    out.print("  ... and {} more in starts.csv\n", starts.minima.size() - shown);
  }
}

}  // namespace parfait::run
