#include "parfait/report/pages/gait_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "parfait/base/counted.h"
#include "parfait/report/drawing/plot.h"
#include "parfait/report/html/frame.h"
#include "parfait/report/html/numbers.h"

namespace parfait::report {
namespace gait_page {
namespace {

Html value_or_none(double x, int digits) {
  return std::isnan(x) ? text("–") : number(x, digits);
}

Html parameters_table(const result::Gait& gait) {
  Table table{.caption = "Mean and standard deviation over all strides",
              .columns = {{"parameter"},
                          {"unit"},
                          {"left", Table::Kind::kNumber},
                          {"sd", Table::Kind::kNumber},
                          {"strides", Table::Kind::kNumber},
                          {"right", Table::Kind::kNumber},
                          {"sd", Table::Kind::kNumber},
                          {"strides", Table::Kind::kNumber}}};
  for (const auto& left : gait.parameters) {
    if (left.side != "left") continue;
    const auto right =
        std::find_if(gait.parameters.begin(), gait.parameters.end(),
                     [&](const auto& p) { return p.side == "right" && p.name == left.name; });
    if (right == gait.parameters.end()) continue;
    table.rows.push_back({text(left.name), text(left.unit), value_or_none(left.mean, 4),
                          value_or_none(left.sd, 2), count(left.count),
                          value_or_none(right->mean, 4), value_or_none(right->sd, 2),
                          count(right->count)});
  }
  return html(table);
}

Html events_table(const result::GaitTrial& trial) {
  Table table{.caption = fmt::format("{}: events", trial.trial),
              .columns = {{"t [s]", Table::Kind::kNumber},
                          {"side"},
                          {"event"},
                          {"source"},
                          {"from the file's [ms]", Table::Kind::kNumber},
                          {"cycles"}}};
  auto events = trial.events;
  std::stable_sort(events.begin(), events.end(),
                   [](const auto& a, const auto& b) { return a.t < b.t; });
  for (const auto& event : events) {
    table.rows.push_back(
        {number(event.t, 4), text(event.side), text(event.kind), text(event.source),
         event.source == "file" ? text("") : value_or_none(1e3 * event.from_file, 2),
         text(event.used ? "used" : "")});
  }
  return html(table);
}

/// Mean difference and spread of events of a source from those of the file.
Html comparison_table(const result::Gait& gait) {
  Table table{.caption = "Events found, beside those that files have: difference in ms",
              .columns = {{"source"},
                          {"event"},
                          {"found", Table::Kind::kNumber},
                          {"in the file as well", Table::Kind::kNumber},
                          {"mean", Table::Kind::kNumber},
                          {"sd", Table::Kind::kNumber},
                          {"largest", Table::Kind::kNumber}}};
  for (const char* source : {"forces", "kinematics"}) {
    for (const char* kind : {"strike", "off"}) {
      std::vector<double> differences;
      long long found = 0;
      for (const auto& trial : gait.trials) {
        for (const auto& event : trial.events) {
          if (event.source != source || event.kind != kind) continue;
          ++found;
          if (!std::isnan(event.from_file)) differences.push_back(1e3 * event.from_file);
        }
      }
      if (found == 0) continue;
      double sum = 0, squares = 0, most = 0;
      for (const double d : differences) {
        sum += d;
        most = std::max(most, std::abs(d));
      }
      const auto n = static_cast<double>(differences.size());
      for (const double d : differences) squares += (d - sum / n) * (d - sum / n);
      const double nan = std::nan("");
      table.rows.push_back({text(source), text(kind), count(found),
                            count(static_cast<long long>(differences.size())),
                            value_or_none(n > 0 ? sum / n : nan, 3),
                            value_or_none(n > 1 ? std::sqrt(squares / (n - 1)) : nan, 3),
                            value_or_none(n > 0 ? most : nan, 3)});
    }
  }
  return table.rows.empty() ? absent("No event was found by forces or kinematics.") : html(table);
}

void add_layers(const result::GaitCurve& curve, Ink ink, bool dashed, Plot& plot) {
  std::vector<double> percent(curve.mean.size());
  std::iota(percent.begin(), percent.end(), 0.0);
  if (curve.count > 1) {
    Band band{percent, curve.mean, curve.mean};
    band.pale = ink != Ink::kModel;
    for (std::size_t k = 0; k < percent.size(); ++k) {
      const double sd = std::isnan(curve.sd[k]) ? 0 : curve.sd[k];
      band.low[k] -= sd;
      band.high[k] += sd;
    }
    plot.layers.emplace_back(std::move(band));
  }
  plot.layers.emplace_back(Line{percent, curve.mean, ink, dashed});
}

}  // namespace
}  // namespace gait_page

Html cycle_figures(const std::vector<result::GaitCurve>& curves) {
  Html figures;
  std::vector<std::string> names;
  for (const auto& curve : curves) {
    if (std::find(names.begin(), names.end(), curve.name) == names.end()) {
      names.push_back(curve.name);
    }
  }
  for (const auto& name : names) {
    Plot plot{.name = "cycle",
              .key = name,
              .title = name,
              .text = fmt::format("{} over the gait cycle.", name),
              .x = {.label = "cycle", .unit = "%"},
              .y = {}};
    std::string counts;
    for (const auto& curve : curves) {
      if (curve.name != name) continue;
      plot.y.unit = curve.unit;
      const bool left = curve.side == "left";
      gait_page::add_layers(curve, left ? Ink::kSecond : Ink::kModel, left, plot);
      counts += fmt::format("{}{}{}{}", counts.empty() ? "" : ", ", curve.side,
                            curve.side.empty() ? "" : " ", curve.count);
    }
    plot.caption = "cycles: " + counts;
    figures += figure(plot);
  }
  return figures;
}

std::string gait_report(const result::Gait& gait, const std::vector<result::GaitCurve>& curves,
                        Liveness liveness) {
  namespace gp = gait_page;
  std::vector<Remark> remarks;
  for (const auto& warning : gait.verdict.warnings)
    remarks.push_back({Weight::kDoubt, warning, ""});
  long long strides = 0;
  double speed = 0;
  for (const auto& trial : gait.trials) {
    strides += static_cast<long long>(trial.strides.size());
    for (const auto& stride : trial.strides) {
      if (!std::isnan(stride.speed)) speed += stride.speed;
    }
  }
  const bool found = strides > 0;
  Frame frame(
      "Gait",
      verdict_box(
          !found            ? Weight::kBad
          : remarks.empty() ? Weight::kGood
                            : Weight::kDoubt,
          found ? "Done." : "No stride was found.",
          found ? fmt::format("{} in {}.", base::counted(strides, "stride", "strides"),
                              base::counted(static_cast<std::int64_t>(gait.trials.size()), "trial",
                                            "trials"))
                : "",
          "",
          {{"strides", count(strides), ""},
           {"speed",
            found ? number(speed / static_cast<double>(strides), 3) + text(" m/s") : text("–"),
            "mean of the strides"}}));
  frame.add("findings", "Findings", remarks_block(remarks));
  frame.add("parameters", "Gait parameters", gp::parameters_table(gait));
  Html events = gp::comparison_table(gait);
  for (const auto& trial : gait.trials) {
    events +=
        element("p", fmt::format("{}: {}; cycles by events of: {}{}.", trial.trial, trial.points,
                                 trial.source, trial.treadmill ? "; on a treadmill" : ""));
    events += gp::events_table(trial);
  }
  frame.add("events", "Events", events);
  if (!curves.empty()) {
    frame.add("cycles", "Over the gait cycle",
              legend({{LegendEntry::Sign::kLine, Ink::kModel, "right, or of no side"},
                      {LegendEntry::Sign::kDashed, Ink::kSecond, "left"},
                      {LegendEntry::Sign::kBand, Ink::kModel,
                       "mean ± standard deviation over cycles of all trials"}}) +
                  plots(cycle_figures(curves)));
  }
  frame.add("origin", "How it was made", origin_block(gait.verdict));
  return finished(frame.page(), {}, liveness);
}

}  // namespace parfait::report
