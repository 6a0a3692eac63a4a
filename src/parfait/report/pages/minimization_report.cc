#include "parfait/report/pages/minimization_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "parfait/base/counted.h"
#include "parfait/report/drawing/plot.h"
#include "parfait/report/html/frame.h"
#include "parfait/report/html/numbers.h"

namespace parfait::report {
namespace minimization_page {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr int kLevels = 7;

Html parameters_table(const result::Minimization& found) {
  const bool has_sd =
      std::ranges::any_of(found.parameters, [](const auto& p) { return p.sd.has_value(); });
  Table table{.caption = has_sd ? "Standard deviations and intervals by a last linearization, as "
                                  "Gauss–Newton gives them"
                                : "Values without intervals",
              .columns = {{"parameter"},
                          {"value", Table::Kind::kNumber},
                          {"± sd", Table::Kind::kNumber},
                          {"95 % interval"},
                          {"first guess", Table::Kind::kNumber},
                          {"lower", Table::Kind::kNumber},
                          {"upper", Table::Kind::kNumber},
                          {"gradient", Table::Kind::kNumber, "dJ/dp"},
                          {""}}};
  const auto bound = [](double x) { return std::isfinite(x) ? number(x, 6) : text("–"); };
  for (const auto& p : found.parameters) {
    const Html interval =
        p.sd ? text(fmt::format("[{}, {}]", rounded(p.ci95[0], 5), rounded(p.ci95[1], 5)))
             : text("–");
    table.rows.push_back({text(p.id), number(p.value, 7), p.sd ? number(*p.sd, 3) : text("–"),
                          interval, number(p.initial, 6), bound(p.lower), bound(p.upper),
                          number(p.gradient, 3), text(p.at_bound ? "at its bound" : "")});
  }
  return html(table);
}

Html path_figure(const result::Minimization& found, const std::string& title,
                 double result::Minimization::Step::*field) {
  Line line;
  bool positive = true;
  for (const auto& step : found.path) {
    line.x.push_back(step.iteration);
    line.y.push_back(step.*field);
    positive = positive && step.*field > 0;
  }
  Plot plot{.name = "path",
            .key = title,
            .title = title,
            .text = fmt::format("{} over iterations, from {} to {}.", title,
                                rounded(line.y.front(), 4), rounded(line.y.back(), 4)),
            .x = {.label = "iteration", .whole = true},
            .y = {.label = title, .log = positive}};
  plot.layers.emplace_back(std::move(line));
  return figure(plot);
}

/// The grid, one row for each value of the first parameter.
struct Grid {
  std::vector<double> a, b, J;
  double at(std::size_t i, std::size_t k) const { return J[i * b.size() + k]; }
};

Grid grid_of(const Contour& contour) {
  Grid grid;
  for (const auto& [a, b, J] : contour.points) {
    if (grid.a.empty() || a != grid.a.back()) grid.a.push_back(a);
    if (grid.a.size() == 1) grid.b.push_back(b);
    grid.J.push_back(J);
  }
  return grid;
}

/// Where the objective has the value `level`: in each cell between four points of the grid straight
/// lines between the places on its sides, by linear interpolation (marching squares; a saddle is
/// resolved by the mean of its corners).
Line line_of(const Grid& grid, double level) {
  Line line{.ink = Ink::kGuess};
  for (std::size_t i = 0; i + 1 < grid.a.size(); ++i) {
    for (std::size_t k = 0; k + 1 < grid.b.size(); ++k) {
      const std::array<std::array<std::size_t, 2>, 4> corners{
          {{i, k}, {i + 1, k}, {i + 1, k + 1}, {i, k + 1}}};
      std::vector<std::array<double, 2>> crossings;
      double mean = 0;
      for (std::size_t s = 0; s < 4; ++s) {
        const auto &p = corners[s], &q = corners[(s + 1) % 4];
        const double u = grid.at(p[0], p[1]) - level, w = grid.at(q[0], q[1]) - level;
        mean += u / 4;
        if (!((u < 0) != (w < 0))) continue;
        const double share = u / (u - w);
        crossings.push_back({grid.a[p[0]] + share * (grid.a[q[0]] - grid.a[p[0]]),
                             grid.b[p[1]] + share * (grid.b[q[1]] - grid.b[p[1]])});
      }
      if (std::isnan(mean) || crossings.size() < 2) continue;
      // Crossings stand in the order of the sides. At a saddle the line goes round the corners
      // whose sign the middle does not have.
      const bool turned = crossings.size() == 4 && ((grid.at(i, k) < level) == (mean < 0));
      for (std::size_t c = 0; c < crossings.size(); c += 2) {
        for (const std::size_t end : {c, c + 1}) {
          const auto& place =
              crossings[(end + (turned ? 0 : crossings.size() - 1)) % crossings.size()];
          line.x.push_back(place[0]);
          line.y.push_back(place[1]);
        }
        line.x.push_back(kNan);
        line.y.push_back(kNan);
      }
    }
  }
  return line;
}

/// Levels at which equal shares of the grid lie between two lines.
std::vector<double> levels_of(const Grid& grid) {
  std::vector<double> sorted;
  std::copy_if(grid.J.begin(), grid.J.end(), std::back_inserter(sorted),
               [](double J) { return std::isfinite(J); });
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> levels;
  for (int l = 1; l <= kLevels && !sorted.empty(); ++l) {
    levels.push_back(sorted[sorted.size() * static_cast<std::size_t>(l) / (kLevels + 1)]);
  }
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  return levels;
}

int place_of(const result::Minimization& found, const std::string& id) {
  for (std::size_t i = 0; i < found.parameters.size(); ++i) {
    if (found.parameters[i].id == id) return static_cast<int>(i);
  }
  return -1;
}

Html contour_block(const result::Minimization& found, const Contour& contour) {
  const Grid grid = grid_of(contour);
  if (grid.J.size() != grid.a.size() * grid.b.size() || grid.a.size() < 2 || grid.b.size() < 2) {
    return absent("The objective exists nowhere on the grid.");
  }
  const auto levels = levels_of(grid);
  if (levels.empty()) return absent("The objective exists nowhere on the grid.");
  const std::string &p = contour.parameters[0], &q = contour.parameters[1];
  std::vector<std::string> values;
  values.reserve(levels.size());
  for (const double level : levels) values.push_back(rounded(level, 3));
  Plot plot{
      .name = "contour",
      .key = p + " " + q,
      .title = fmt::format("{} and {}", p, q),
      .text = fmt::format("Lines of equal objective over {} and {}, {} of them from {} to {}, "
                          "and the path of {} iterations.",
                          p, q, levels.size(), rounded(levels.front(), 4),
                          rounded(levels.back(), 4), found.iterations),
      .caption = "between two lines lie equal shares of the picture",
      .x = {.label = p},
      .y = {.label = q},
      .square = true};
  for (const double level : levels) plot.layers.emplace_back(line_of(grid, level));
  const int a = place_of(found, p), b = place_of(found, q);
  if (a >= 0 && b >= 0 && !found.path.empty()) {
    Line path{.in_range = false};
    for (const auto& step : found.path) {
      path.x.push_back(step.values[static_cast<std::size_t>(a)]);
      path.y.push_back(step.values[static_cast<std::size_t>(b)]);
    }
    Points end{.x = {path.x.back()}, .y = {path.y.back()}, .large = true};
    plot.layers.emplace_back(std::move(path));
    plot.layers.emplace_back(std::move(end));
  }
  return legend({{LegendEntry::Sign::kLine, Ink::kGuess, "equal objective"},
                 {LegendEntry::Sign::kLine, Ink::kModel, "path of the iteration"},
                 {LegendEntry::Sign::kPoint, Ink::kData, "where it ended"}}) +
         plots(figure(plot));
}

}  // namespace
}  // namespace minimization_page

std::string minimization_report(const result::Minimization& found, const Contour& contour,
                                Liveness liveness) {
  namespace mp = minimization_page;
  std::vector<Remark> remarks;
  for (const auto& warning : found.verdict.warnings) {
    remarks.push_back({Weight::kDoubt, warning, ""});
  }
  for (const auto& p : found.parameters) {
    if (p.at_bound) remarks.push_back({Weight::kDoubt, p.id + " is at its bound.", "parameters"});
  }
  const bool arrived = found.verdict.status == "converged";
  std::vector<Fact> facts{{"objective", number(found.objective, 7), "made small"},
                          {"iterations", count(found.iterations), found.method},
                          {"evaluations", count(found.evaluations), "gradients by " + found.by}};
  for (const auto& cost : found.costs) facts.push_back({cost.name, number(cost.value, 6), "of it"});
  Frame frame(
      "Minimum of " + found.problem,
      verdict_box(!arrived          ? Weight::kBad
                  : remarks.empty() ? Weight::kGood
                                    : Weight::kDoubt,
                  arrived ? "Converged" : "Not converged.",
                  arrived ? fmt::format("after {}.",
                                        base::counted(found.iterations, "iteration", "iterations"))
                          : reason_of(found.verdict.message),
                  "", facts));
  frame.add("findings", "Findings", remarks_block(remarks, !found.verdict.partial));
  frame.add("parameters", "Parameters", mp::parameters_table(found));
  if (!found.path.empty()) {
    frame.add("convergence", "Convergence",
              plots(mp::path_figure(found, "objective", &result::Minimization::Step::objective) +
                    mp::path_figure(found, "gradient", &result::Minimization::Step::gradient) +
                    mp::path_figure(found, "step length", &result::Minimization::Step::length)));
  }
  if (!contour.parameters.empty()) {
    frame.add("contour", "Objective over two parameters", mp::contour_block(found, contour));
  }
  frame.add("origin", "How it was made", origin_block(found.verdict));
  return finished(frame.page(), {}, liveness);
}

}  // namespace parfait::report
