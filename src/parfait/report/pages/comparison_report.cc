#include "parfait/report/pages/comparison_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/report/drawing/plot.h"
#include "parfait/report/html/frame.h"
#include "parfait/report/html/numbers.h"

namespace parfait::report {
namespace {

constexpr Ink kRunInks[] = {Ink::kModel,  Ink::kSecond, Ink::kThird,
                            Ink::kFourth, Ink::kFifth,  Ink::kData};
constexpr std::size_t kMostRuns = std::size(kRunInks);  ///< with a line of their own
constexpr std::size_t kMostShared = 24;                 ///< plots

bool run_dashed(std::size_t k) {
  return k % 2 == 1;
}

Html run_legend(const std::vector<std::string>& names) {
  std::vector<LegendEntry> entries;
  for (std::size_t k = 0; k < names.size() && k < kMostRuns; ++k) {
    entries.push_back({run_dashed(k) ? LegendEntry::Sign::kDashed : LegendEntry::Sign::kLine,
                       kRunInks[k], names[k]});
  }
  Html content = legend(entries);
  if (names.size() > kMostRuns) {
    content += absent(fmt::format("Lines for the first {} of {} runs.", kMostRuns, names.size()));
  }
  return content;
}

/// Names in the order in which they first appear.
void add_unique(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

std::string estimate_name(const result::Estimate& e) {
  return result::name_of(e, false, true);
}

const result::Estimate* find_estimate(const result::Fit& fit, const std::string& name) {
  for (const auto& e : fit.parameters) {
    if (estimate_name(e) == name) return &e;
  }
  return nullptr;
}

/// How runs are called where there is no room for their names.
std::string run_number(std::size_t k, const std::string& name) {
  return fmt::format("{}: {}", k + 1, name);
}

Html fit_overview(const std::vector<NamedFit>& fits) {
  constexpr auto kNumber = Table::Kind::kNumber;
  Table table{"",
              {{"run"},
               {"status"},
               {"objective", kNumber},
               {"β", kNumber, "residual scatter relative to the stated sigma"},
               {"measurements", kNumber},
               {"degrees of freedom", kNumber},
               {"iterations", kNumber},
               {"problem"}},
              {}};
  for (std::size_t k = 0; k < fits.size(); ++k) {
    const auto& fit = fits[k].fit;
    table.rows.push_back({text(run_number(k, fits[k].name)), text(fit.verdict.status),
                          number(fit.objective, 8), number(fit.sigma_scale, 4),
                          fit.measurements ? count(*fit.measurements) : text("–"),
                          fit.degrees_of_freedom ? count(*fit.degrees_of_freedom) : text("–"),
                          count(fit.iterations), text(fit.problem)});
  }
  return html(table);
}

Html parameter_comparison(const std::vector<NamedFit>& fits) {
  std::vector<std::string> names;
  for (const auto& run : fits) {
    for (const auto& e : run.fit.parameters) add_unique(names, estimate_name(e));
  }
  if (names.empty()) return absent("No parameter was estimated in any of them.");
  Table table{"Value ± standard deviation", {{"parameter"}}, {}};
  for (std::size_t k = 0; k < fits.size(); ++k) {
    table.columns.push_back({run_number(k, fits[k].name), Table::Kind::kNumber});
  }
  for (const auto& name : names) {
    auto& row = table.rows.emplace_back(std::vector<Html>{text(name)});
    for (const auto& run : fits) {
      const auto* e = find_estimate(run.fit, name);
      if (e == nullptr) {
        row.push_back(text("–"));
        continue;
      }
      Html cell = number(e->value, rounded_like(e->value, e->sd));
      if (std::isfinite(e->sd)) {
        cell += text(" ± ") + number(e->sd, rounded_like(e->sd, e->sd));
      } else if (e->at_bound()) {
        cell += text(" (at bound)");
      } else if (e->determined == "undetermined") {
        cell += text(" (undetermined)");
      }
      row.push_back(cell);
    }
  }
  return html(table);
}

/// One plot per parameter: the run across, value with its interval upwards.
Html interval_plots(const std::vector<NamedFit>& fits) {
  std::vector<std::string> names;
  for (const auto& run : fits) {
    for (const auto& e : run.fit.parameters) add_unique(names, estimate_name(e));
  }
  Html figures;
  for (std::size_t i = 0; i < names.size() && i < kMostShared; ++i) {
    Plot plot{.name = "compare-parameter",
              .key = names[i],
              .title = names[i],
              .text = fmt::format("{} in each run, with its standard deviation.", names[i]),
              .caption = "± two standard deviations; dashed: the true value, where it is known",
              .x = {.label = "run",
                    .whole = true,
                    .low = 0.5,
                    .high = static_cast<double>(fits.size()) + 0.5},
              .y = {}};
    Points points{.x = {}, .y = {}, .ink = Ink::kModel, .large = true};
    for (std::size_t k = 0; k < fits.size(); ++k) {
      const auto* e = find_estimate(fits[k].fit, names[i]);
      if (e == nullptr) continue;
      plot.y.unit = e->unit;
      points.x.push_back(static_cast<double>(k + 1));
      points.y.push_back(e->value);
      points.deviation.push_back(2 * e->sd);
      if (e->truth)
        plot.layers.emplace_back(
            Rule{.at = *e->truth, .ink = Ink::kTruth, .dashed = true, .in_range = true});
    }
    plot.layers.emplace_back(std::move(points));
    figures += figure(plot);
  }
  return figures;
}

Html objectives_plot(const std::vector<NamedFit>& fits) {
  Plot plot{.name = "compare-objective",
            .title = "Objective",
            .text = "Objective over iterations, a line per run.",
            .x = {.label = "iteration", .whole = true},
            .y = {.label = "objective", .log = true}};
  for (std::size_t k = 0; k < fits.size() && k < kMostRuns; ++k) {
    Line line{{}, {}, kRunInks[k], run_dashed(k)};
    for (const auto& iteration : fits[k].fit.history) {
      line.x.push_back(iteration.number);
      line.y.push_back(iteration.objective);
    }
    plot.layers.emplace_back(std::move(line));
  }
  return figure(plot);
}

Html simulation_overview(const std::vector<NamedSimulation>& runs) {
  constexpr auto kNumber = Table::Kind::kNumber;
  Table table{"",
              {{"run"},
               {"status"},
               {"t in s", kNumber, "reached"},
               {"integrator"},
               {"rtol", kNumber},
               {"steps", kNumber},
               {"rejected", kNumber},
               {"evaluations", kNumber},
               {"events", kNumber},
               {"energy change in J", kNumber},
               {"model"}},
              {}};
  for (const auto& run : runs) {
    const auto& s = run.simulation;
    table.rows.push_back(
        {text(run.name), text(s.verdict.status), number(s.t), text(s.options.integrator),
         number(s.options.rtol), count(s.work.steps), count(s.work.rejected),
         count(s.work.evaluations), count(static_cast<long long>(s.events.size())),
         s.drift.energy ? number(s.drift.energy->largest, 2) : text("–"), text(s.model)});
  }
  return html(table);
}

/// Quantities that at least two runs have.
Html shared_quantities(const std::vector<NamedSimulation>& runs) {
  std::vector<std::string> names;
  for (const auto& run : runs) {
    const auto& header = run.trajectory.header;
    for (std::size_t i = 1; i < header.size(); ++i) add_unique(names, header[i]);
  }
  Html figures;
  std::size_t shown = 0;
  for (const auto& name : names) {
    if (shown == kMostShared) break;
    Plot plot{.name = "compare-quantity",
              .key = name,
              .title = name,
              .text = name + " over time, a line per run.",
              .x = {.label = "t", .unit = "s"},
              .y = {}};
    int having = 0;
    for (std::size_t k = 0; k < runs.size() && k < kMostRuns; ++k) {
      const auto& table = runs[k].trajectory;
      const int column = table.find_column(name);
      if (column <= 0) continue;
      for (const auto& known : runs[k].simulation.units) {
        if (known.column == name) plot.y.unit = known.unit;
      }
      plot.layers.emplace_back(Line{table.columns[0],
                                    table.columns[static_cast<std::size_t>(column)], kRunInks[k],
                                    run_dashed(k)});
      ++having;
    }
    if (having < 2) continue;
    figures += figure(plot);
    ++shown;
  }
  if (figures.empty()) return absent("They have no quantity in common.");
  return plots(figures);
}

template <class Runs>
std::vector<std::string> run_names(const Runs& runs) {
  std::vector<std::string> names;
  names.reserve(runs.size());
  for (const auto& run : runs) names.push_back(run.name);
  return names;
}

template <class Runs, class Partial>
Html comparison_verdict(const Runs& runs, Partial&& partial) {
  const auto failed = std::count_if(runs.begin(), runs.end(), partial);
  const Weight weight = failed > 0 ? Weight::kDoubt : Weight::kGood;
  return verdict_box(weight, counted(static_cast<long long>(runs.size()), "run", "runs"),
                     failed == 0 ? "side by side; all of them came to their end."
                                 : fmt::format("side by side; {} did not come to the end.", failed),
                     "", {});
}

}  // namespace

std::string comparison_report(const std::vector<NamedFit>& fits, Liveness liveness) {
  Frame frame("Comparison of fits",
              comparison_verdict(fits, [](const NamedFit& r) { return r.fit.verdict.partial; }));
  frame.add("runs", "Runs", fit_overview(fits));
  frame.add("parameters", "Parameters", parameter_comparison(fits) + plots(interval_plots(fits)));
  frame.add("convergence", "Convergence",
            run_legend(run_names(fits)) + plots(objectives_plot(fits)));
  return finished(frame.page(), {}, liveness);
}

std::string comparison_report(const std::vector<NamedSimulation>& simulations,
                              const result::Scenes& scenes, Liveness liveness) {
  Frame frame("Comparison of simulations",
              comparison_verdict(simulations, [](const NamedSimulation& r) {
                return r.simulation.verdict.partial;
              }));
  frame.add("runs", "Runs", simulation_overview(simulations));
  frame.add("quantities", "Quantities",
            run_legend(run_names(simulations)) + shared_quantities(simulations));
  if (const Html motion = motion_block(scenes, liveness, MotionKind::kRuns); !motion.empty()) {
    frame.add("motion", "Motion", motion);
  }
  return finished(frame.page(), scenes, liveness);
}

}  // namespace parfait::report
