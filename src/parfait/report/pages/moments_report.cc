#include "parfait/report/pages/moments_report.h"

#include <fmt/format.h>

#include "parfait/report/drawing/plot.h"
#include "parfait/report/html/frame.h"
#include "parfait/report/html/numbers.h"

namespace parfait::report {
namespace moments_page {
namespace {

Html extremes_table(const result::InverseDynamics& found) {
  Table table{.caption = "Moments [N m] or forces [N], and powers [W]",
              .columns = {{"coordinate"},
                          {"unit"},
                          {"rms", Table::Kind::kNumber},
                          {"least", Table::Kind::kNumber},
                          {"largest", Table::Kind::kNumber},
                          {"least power", Table::Kind::kNumber, "taken from the motion"},
                          {"largest power", Table::Kind::kNumber, "given to the motion"}}};
  for (const auto& c : found.coordinates) {
    table.rows.push_back({text(c.name), text(c.unit), number(c.rms, 4), number(c.least, 4),
                          number(c.largest, 4), number(c.least_power, 4),
                          number(c.largest_power, 4)});
  }
  return html(table);
}

Html curves(const result::InverseDynamics& found, const result::Table& table, bool power) {
  Html figures;
  if (table.num_rows() == 0) return figures;
  for (const auto& c : found.coordinates) {
    const double least = power ? c.least_power : c.least;
    const double largest = power ? c.largest_power : c.largest;
    const std::string unit = power ? "W" : c.unit;
    Plot plot{.name = power ? "power" : "moment",
              .key = c.name,
              .title = c.name,
              .text = fmt::format("{} of {} over time, from {} to {} {}.",
                                  power             ? "Power"
                                  : c.unit == "N m" ? "Moment"
                                                    : "Force",
                                  c.name, rounded(least, 4), rounded(largest, 4), unit),
              .x = {.label = "t", .unit = "s"},
              .y = {.label = "", .unit = unit}};
    plot.layers.emplace_back(Rule{.at = 0});
    for (const auto& cycle : found.cycles) {
      plot.layers.emplace_back(
          Rule{.at = cycle.start, .vertical = true, .ink = Ink::kSecond, .dashed = true});
    }
    plot.layers.emplace_back(Line{table.column("t"), table.column(c.name)});
    figures += figure(plot);
  }
  return figures;
}

Html cycles_table(const result::InverseDynamics& found) {
  Table table{.caption = "Cycles: from one contact of a load with its body to the next",
              .columns = {{"load"},
                          {"body"},
                          {"from [s]", Table::Kind::kNumber},
                          {"to [s]", Table::Kind::kNumber}}};
  for (const auto& cycle : found.cycles) {
    table.rows.push_back(
        {text(cycle.load), text(cycle.body), number(cycle.start, 5), number(cycle.end, 5)});
  }
  return html(table);
}

}  // namespace
}  // namespace moments_page

std::string moments_report(const result::InverseDynamics& moments, const result::Table& taus,
                           const result::Table& powers, Liveness liveness) {
  namespace mp = moments_page;
  std::vector<Remark> remarks;
  for (const auto& warning : moments.verdict.warnings) {
    remarks.push_back({Weight::kDoubt, warning, ""});
  }
  const bool partial = moments.verdict.partial;
  Frame frame(
      "Moments of " + moments.model,
      verdict_box(
          partial           ? Weight::kBad
          : remarks.empty() ? Weight::kGood
                            : Weight::kDoubt,
          partial ? "Interrupted." : "Done.",
          fmt::format("What moves the model as {} says{}{}.", moments.motion,
                      moments.loads.empty() ? "" : ", under the loads of " + moments.loads,
                      moments.filter > 0
                          ? fmt::format(", filtered at {} Hz", rounded(moments.filter, 4))
                          : ""),
          "",
          {{"samples", count(static_cast<long long>(moments.rows)),
            fmt::format("from {} to {} s", rounded(moments.start, 5), rounded(moments.end, 5))},
           {"coordinates", count(static_cast<long long>(moments.coordinates.size())), ""},
           {"mass", number(moments.mass, 5) + text(" kg"), "of the model"}}));
  frame.add("findings", "Findings", remarks_block(remarks));
  frame.add("extremes", "Extremes", mp::extremes_table(moments));
  std::vector<LegendEntry> signs{{LegendEntry::Sign::kLine, Ink::kModel, "over time"}};
  if (!moments.cycles.empty()) {
    signs.push_back({LegendEntry::Sign::kDashed, Ink::kSecond, "a cycle begins"});
  }
  frame.add("moments", "Moments and forces",
            legend(signs) + plots(mp::curves(moments, taus, false)));
  frame.add("powers", "Powers", plots(mp::curves(moments, powers, true)));
  if (!moments.cycles.empty()) frame.add("cycles", "Cycles", mp::cycles_table(moments));
  frame.add("origin", "How it was made", origin_block(moments.verdict));
  return finished(frame.page(), {}, liveness);
}

}  // namespace parfait::report
