#include "parfait/report/pages/modes_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "parfait/base/counted.h"
#include "parfait/base/error.h"
#include "parfait/report/drawing/plot.h"
#include "parfait/report/html/frame.h"
#include "parfait/report/html/numbers.h"

namespace parfait::report {
namespace modes_page {
namespace {

/// An undamped mode has what rounding leaves.
constexpr double kUndamped = 1e-9;

double growth_of(const result::Mode& mode) {
  return std::abs(mode.re) < kUndamped * std::hypot(mode.re, mode.im) ? 0 : mode.re;
}

Html modes_table(const result::Modes& modes) {
  Table table{.caption = "Modes, slowest first",
              .columns = {{"mode", Table::Kind::kNumber},
                          {"frequency [Hz]", Table::Kind::kNumber, "undamped"},
                          {"damped [Hz]", Table::Kind::kNumber, "of the motion itself"},
                          {"damping [%]", Table::Kind::kNumber, "of critical damping"},
                          {"time constant [s]", Table::Kind::kNumber, "negative: it grows"},
                          {"moves most"}}};
  for (const auto& mode : modes.modes) {
    const bool damped = std::abs(mode.damping) >= kUndamped;
    table.rows.push_back(
        {count(mode.number), mode.swings() ? number(mode.frequency_hz, 6) : text("–"),
         mode.swings() ? number(mode.damped_frequency_hz, 6) : text("–"),
         mode.swings() ? number(damped ? 100 * mode.damping : 0, 4) : text("–"),
         damped ? number(mode.time_constant, 4) : text("–"), text(mode.moves_most)});
  }
  return html(table);
}

Html eigenvalues(const result::Modes& modes) {
  Points decaying, growing;
  growing.ink = Ink::kAlarm;
  growing.large = true;
  for (const auto& mode : modes.modes) {
    auto& points = growth_of(mode) > 0 ? growing : decaying;
    points.x.push_back(growth_of(mode));
    points.y.push_back(mode.im);
  }
  Plot plot{
      .name = "eigenvalues",
      .title = "Eigenvalues",
      .text = fmt::format("Eigenvalues of {} modes; {} of them to the right of zero: they grow.",
                          modes.modes.size(), growing.x.size()),
      .caption = "left of the line modes decay, right of it they grow; height: how fast they swing",
      .x = {.label = "real part", .unit = "1/s"},
      .y = {.label = "imaginary part", .unit = "rad/s"}};
  plot.layers.emplace_back(Rule{.at = 0, .vertical = true, .in_range = true});
  plot.layers.emplace_back(std::move(decaying));
  if (!growing.x.empty()) plot.layers.emplace_back(std::move(growing));
  return plots(figure(plot));
}

/// The largest parts of each shape; all of them lie in shapes.csv.
Html shapes_table(const result::Modes& modes, const result::ModeShapes& shapes) {
  constexpr std::size_t kLargest = 4, kModes = 20;
  Table table{
      .caption = "Largest parts of the shapes of the slowest modes (largest displacement 1)",
      .columns = {{"mode", Table::Kind::kNumber},
                  {"quantity"},
                  {"size", Table::Kind::kNumber},
                  {"phase [°]", Table::Kind::kNumber}}};
  for (std::size_t k = 0; k < std::min(modes.modes.size(), kModes); ++k) {
    const auto column = static_cast<int>(k);
    const auto size = [&](int row) {
      return std::hypot(shapes.re(row, column), shapes.im(row, column));
    };
    std::vector<int> order(shapes.quantities.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return size(a) > size(b); });
    for (std::size_t i = 0; i < std::min(order.size(), kLargest); ++i) {
      const int row = order[i];
      if (!(size(row) > 1e-6)) break;
      const double phase = std::atan2(shapes.im(row, column), shapes.re(row, column));
      const double degrees = std::abs(phase) < kUndamped ? 0 : phase * 180 / M_PI;
      table.rows.push_back({i == 0 ? count(modes.modes[k].number) : text(""),
                            text(shapes.quantities[static_cast<std::size_t>(row)]),
                            number(size(row), 4), number(degrees, 4)});
    }
  }
  return html(table);
}

}  // namespace
}  // namespace modes_page

std::string modes_report(const result::Modes& modes, const result::ModeShapes& shapes,
                         Liveness liveness) {
  namespace mp = modes_page;
  std::vector<Remark> remarks;
  for (const auto& warning : modes.verdict.warnings) remarks.push_back({Weight::kDoubt, warning});
  if (!modes.equilibrium && modes.residual > 1e-6) {
    remarks.push_back({Weight::kDoubt,
                       fmt::format("The initial position is no equilibrium: accelerations or rates "
                                   "of {}.",
                                   rounded(modes.residual, 3))});
  }
  if (!modes.neutral.empty()) {
    remarks.push_back(
        {Weight::kDoubt, fmt::format("{} neither swing nor decay: {}.",
                                     base::counted(static_cast<std::int64_t>(modes.neutral.size()),
                                                   "direction", "directions"),
                                     base::listing(modes.neutral))});
  }
  const bool partial = modes.verdict.partial;
  const std::string stability = modes.stability.value_or("not known");
  const bool stable = stability == "stable";
  double growth = modes.growth;
  for (const auto& mode : modes.modes) {
    if (mode.re == modes.growth) growth = mp::growth_of(mode);
  }
  std::vector<Fact> facts{
      {"modes", count(modes.num_modes),
       fmt::format("{} degrees of freedom", modes.degrees_of_freedom)},
      {"fastest growth", number(growth, 3) + text(" 1/s"), "largest real part"}};
  if (modes.equilibrium) {
    facts.push_back({"moved", number(modes.equilibrium->moved, 3), "from the initial position"});
  }
  Frame frame("Modes of " + modes.model,
              verdict_box(partial                     ? Weight::kBad
                          : stable && remarks.empty() ? Weight::kGood
                                                      : Weight::kDoubt,
                          partial ? "Not found." : "Done.",
                          partial ? modes.verdict.message
                                  : fmt::format("The {} is {}.",
                                                modes.at == "initial" ? "initial position, at rest,"
                                                                      : "static equilibrium",
                                                stability),
                          "", facts));
  frame.add("findings", "Findings", remarks_block(remarks));
  if (!modes.modes.empty()) {
    frame.add("modes", "Modes", mp::modes_table(modes));
    frame.add("eigenvalues", "Eigenvalues", mp::eigenvalues(modes));
    frame.add("shapes", "Shapes", mp::shapes_table(modes, shapes));
  }
  frame.add("origin", "How it was made", origin_block(modes.verdict));
  return finished(frame.page(), {}, liveness);
}

}  // namespace parfait::report
