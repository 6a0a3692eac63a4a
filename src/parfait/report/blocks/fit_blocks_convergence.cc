#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/report/blocks/fit_blocks.h"
#include "parfait/report/drawing/plot.h"
#include "parfait/report/html/numbers.h"

// How the iteration went.
namespace parfait::report {
namespace {

using result::Iteration;

constexpr std::size_t kMostPaths = 8;
constexpr std::size_t kMostIterations = 200;

struct HistoryPlot {
  const char* name;
  const char* title;
  const char* label;
  double Iteration::*value;
  bool log;
};

Html history_plot(const std::vector<Iteration>& history, const HistoryPlot& what) {
  Line line;
  Points points{.x = {}, .y = {}, .ink = Ink::kModel};
  bool any = false;
  for (const auto& iteration : history) {
    const double y = iteration.*what.value;
    // Nothing taken at the last point is no step of length 0.
    if (what.value == &Iteration::step && y == 0) continue;
    line.x.push_back(iteration.number);
    line.y.push_back(what.log && y <= 0 ? NAN : y);
    any = any || std::isfinite(line.y.back());
  }
  if (!any) return {};
  points.x = line.x, points.y = line.y;
  Plot plot{.name = what.name,
            .title = what.title,
            .text = "",
            .x = {.label = "iteration", .whole = true},
            .y = {.label = what.label, .log = what.log}};
  double first = NAN, last = NAN;
  for (const double y : line.y) {
    if (!std::isfinite(y)) continue;
    if (std::isnan(first)) first = y;
    last = y;
  }
  plot.text = fmt::format("{} over iterations: from {} to {}.", what.title, rounded(first, 3),
                          rounded(last, 3));
  plot.caption = fmt::format("from {} to {}", rounded(first, 3), rounded(last, 3));
  plot.layers.emplace_back(std::move(line));
  plot.layers.emplace_back(std::move(points));
  return figure(plot);
}

/// Where the parameters went, in deviations from where they ended.
Html parameter_paths(const FitView& view) {
  const auto& history = view.fit.history;
  const std::size_t n = view.fit.parameters.size();
  struct Path {
    std::size_t parameter;
    double size;
  };
  std::vector<Path> paths;
  for (std::size_t i = 0; i < n; ++i) {
    double size = 0;
    const auto& e = view.fit.parameters[i];
    if (!std::isfinite(e.sd) || !(e.sd > 0)) continue;
    for (const auto& iteration : history) {
      if (iteration.values.size() == n) {
        size = std::max(size, std::abs(iteration.values[i] - e.value) / e.sd);
      }
    }
    if (size > 0) paths.push_back({i, size});
  }
  if (paths.empty()) return {};
  std::stable_sort(paths.begin(), paths.end(),
                   [](const Path& a, const Path& b) { return a.size > b.size; });
  if (paths.size() > kMostPaths) paths.resize(kMostPaths);
  Plot plot{.name = "paths",
            .title = "Parameters",
            .text = "Distance of the parameters from their final value over iterations.",
            .caption = "distance from the final value in standard deviations, the farthest ones",
            .x = {.label = "iteration", .whole = true},
            .y = {.label = "distance", .unit = "sd", .log = true}};
  constexpr Ink kInks[] = {Ink::kModel, Ink::kSecond, Ink::kThird, Ink::kFourth,
                           Ink::kFifth, Ink::kData,   Ink::kGuess, Ink::kLimit};
  std::vector<LegendEntry> entries;
  for (std::size_t k = 0; k < paths.size(); ++k) {
    const auto& e = view.fit.parameters[paths[k].parameter];
    Line line{{}, {}, kInks[k], k >= 4};
    for (const auto& iteration : history) {
      if (iteration.values.size() != n) continue;
      const double distance = std::abs(iteration.values[paths[k].parameter] - e.value) / e.sd;
      line.x.push_back(iteration.number);
      line.y.push_back(distance > 0 ? distance : NAN);
    }
    plot.layers.emplace_back(std::move(line));
    entries.push_back({k >= 4 ? LegendEntry::Sign::kDashed : LegendEntry::Sign::kLine, kInks[k],
                       view.names[paths[k].parameter]});
  }
  return figure(plot.name, "", plot.title, plot.caption, picture(plot) + legend(entries));
}

Html iteration_table(const std::vector<Iteration>& history) {
  constexpr auto kNumber = Table::Kind::kNumber;
  Table table{"",
              {{"iteration", kNumber},
               {"objective", kNumber},
               {"constraints", kNumber, "largest violation of an equation or inequality"},
               {"|dx|", kNumber, "scaled increment"},
               {"step", kNumber, "length that was taken"},
               {"ω", kNumber, "nonlinearity"},
               {"κ", kNumber, "incompatibility; below 1 at a stable minimum"},
               {"trials", kNumber},
               {"rank", kNumber},
               {"condition", kNumber}},
              {}};
  for (std::size_t i = 0; i < history.size() && i < kMostIterations; ++i) {
    const auto& h = history[i];
    table.rows.push_back({count(h.number), number(h.objective, 9), number(h.constraints, 3),
                          number(h.increment, 3), h.step > 0 ? number(h.step, 3) : text("–"),
                          number(h.omega, 2), number(h.kappa, 2), count(h.trials), count(h.rank),
                          number(h.condition, 2)});
  }
  Html content = html(table);
  if (history.size() > kMostIterations) {
    content += absent(fmt::format("and {} more in result.json.", history.size() - kMostIterations));
  }
  return content;
}

}  // namespace

Html convergence_block(const FitView& view) {
  const auto& history = view.fit.history;
  if (history.empty()) return absent("There was no iteration.");
  Html figures;
  // That of a likelihood may be negative.
  const bool is_positive =
      std::ranges::all_of(history, [](const Iteration& i) { return !(i.objective <= 0); });
  for (const auto& what :
       {HistoryPlot{"objective", "Objective", "objective", &Iteration::objective, is_positive},
        HistoryPlot{"increment", "Increment", "|dx|", &Iteration::increment, true},
        HistoryPlot{"constraints", "Constraints", "violation", &Iteration::constraints, true},
        HistoryPlot{"step", "Step length", "step", &Iteration::step, false},
        HistoryPlot{"condition", "Condition", "condition", &Iteration::condition, true}}) {
    figures += history_plot(history, what);
  }
  figures += parameter_paths(view);
  return element("p", view.fit.verdict.message) + plots(figures) +
         element("details", element("summary", "All iterations") + iteration_table(history));
}

}  // namespace parfait::report
