#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/report/blocks/fit_blocks.h"
#include "parfait/report/drawing/plot.h"
#include "parfait/report/html/numbers.h"

// Many starts: which minima they found, and the waterfall of their objectives.
namespace parfait::report {
namespace {

constexpr std::size_t kMostMinima = 12;

Html minima_table(const result::Starts& starts) {
  Table table{"Minima",
              {{"minimum", Table::Kind::kNumber},
               {"objective", Table::Kind::kNumber},
               {"starts", Table::Kind::kNumber},
               {"share", Table::Kind::kNumber},
               {"best start", Table::Kind::kNumber}},
              {}};
  for (std::size_t k = 0; k < std::min(kMostMinima, starts.minima.size()); ++k) {
    const auto& minimum = starts.minima[k];
    const double share = 100.0 * minimum.starts / static_cast<double>(starts.list.size());
    table.rows.push_back({text(fmt::format("{}", k + 1)), number(minimum.objective, 8),
                          text(fmt::format("{}", minimum.starts)),
                          text(fmt::format("{} %", rounded(share, 3))),
                          text(fmt::format("{}", minimum.best))});
  }
  return table.rows.empty() ? Html{} : html(table);
}

/// Objectives above the best one, sorted; what is equal to the best stands at the foot.
Html waterfall(const FitView& view, const result::Starts& starts) {
  double best = result::kInfinity, highest = 0;
  for (const auto& start : starts.list) {
    if (std::isfinite(start.objective)) best = std::min(best, start.objective);
  }
  for (const auto& start : starts.list) {
    if (std::isfinite(start.objective)) highest = std::max(highest, start.objective - best);
  }
  if (!std::isfinite(best)) return {};
  // A thousandth of the variance of a measurement is nothing.
  const double unit = view.fit.options.sigma == "known" ? 1 : view.scatter() * view.scatter();
  const double foot = std::max(1e-3 * unit, 1e-12 * highest);
  Plot plot{.name = "waterfall",
            .title = "Waterfall",
            .text = "",
            .caption = "blue: converged, orange: not; points at the foot are as good as the best",
            .x = {.label = "starts, best first", .whole = true},
            .y = {.label = "objective above the best", .log = true}};
  Points converged{.x = {}, .y = {}, .ink = Ink::kModel},
      others{.x = {}, .y = {}, .ink = Ink::kAlarm};
  int rank = 0, without = 0;
  for (const auto& start : starts.list) {
    ++rank;
    if (!std::isfinite(start.objective)) {
      ++without;
      continue;
    }
    auto& list = start.status == "converged" ? converged : others;
    list.x.push_back(rank), list.y.push_back(std::max(foot, start.objective - best));
  }
  plot.text =
      fmt::format("Objectives of {} starts, sorted: {} converged, {} did not, {} have none.",
                  starts.list.size(), converged.x.size(), others.x.size(), without);
  plot.layers.emplace_back(std::move(others));
  plot.layers.emplace_back(std::move(converged));
  return figure(plot);
}

}  // namespace

Html starts_block(const FitView& view) {
  if (!view.fit.starts) return {};
  const auto& starts = *view.fit.starts;
  Html content = element(
      "p",
      fmt::format("{} starts within the bounds (seed {}) besides the initial values; this fit is "
                  "start {}.",
                  starts.count, starts.seed, starts.reported));
  content += side_by_side(plots(waterfall(view, starts)) + minima_table(starts));
  return content;
}

}  // namespace parfait::report
