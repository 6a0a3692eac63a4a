#include "parfait/run/summary/simulation_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "parfait/base/counted.h"
#include "parfait/base/error.h"
#include "parfait/run/summary/words.h"

namespace parfait::run {
namespace {

using base::counted;

template <class T>
std::int64_t count_of(const T& container) {
  return static_cast<std::int64_t>(container.size());
}

/// ", order 1 to 9, mostly 8".
std::string orders_text(const result::IntegrationWork& work) {
  if (!work.steps_of_order || work.steps_of_order->empty()) return "";
  const auto& counts = *work.steps_of_order;
  const int lowest = counts.begin()->first, highest = counts.rbegin()->first;
  const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
  const int most = std::max_element(counts.begin(), counts.end(), fewer)->first;
  if (lowest == highest) return fmt::format(", order {}", lowest);
  return fmt::format(", order {} to {}, mostly {}", lowest, highest, most);
}

void print_work(Words& out, const result::Simulation& s, double seconds) {
  const auto& work = s.work;
  out.print("  {}{}: {} rejected, {}", s.options.integrator, orders_text(work), work.rejected,
            counted(work.evaluations, "evaluation", "evaluations"));
  if (!s.options.sensitivity.empty()) {
    out.print(", {} with {}", work.direction_evaluations,
              counted(count_of(s.options.sensitivity), "direction", "directions"));
  }
  out.print(", {:.3g} s of computing\n", seconds);
}

/// "3 redundant rows left out: A.B0_x, ..."; empty if there were none.
std::string partition_text(const result::Partition& partition) {
  if (partition.choices.empty()) return "";
  const auto& rows = partition.choices.front().left_out;
  const auto changes = count_of(partition.choices) - 1;
  if (rows.empty() && changes == 0) return "";
  std::string out = rows.empty()
                        ? "no redundant rows at the start"
                        : fmt::format("{} left out: {}",
                                      counted(count_of(rows), "redundant row", "redundant rows"),
                                      base::listing(rows));
  if (changes > 0) out += fmt::format("; changed {}", counted(changes, "time", "times"));
  return out;
}

void print_events(Words& out, const std::vector<result::Event>& events) {
  constexpr std::size_t kMostEvents = 8;
  if (events.empty()) return;
  std::size_t width = 0;
  const std::size_t shown = events.size() <= kMostEvents + 1 ? events.size() : kMostEvents;
  for (std::size_t i = 0; i < shown; ++i) width = std::max(width, events[i].name.size());
  out.print("  {}\n", counted(count_of(events), "event", "events"));
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& event = events[i];
    const char* what = event.jumped ? "jump" : event.mode > 0 ? "now > 0" : "now < 0";
    out.print("    t = {:<13.8g} {:<{}}  {}\n", event.t, event.name, width, what);
  }
  if (shown < events.size()) out.print("    ... and {} more\n", events.size() - shown);
}

void print_energy(Words& out, const result::Energy& energy, const result::Drift::Energy& drift) {
  out.print("  energy {:.6g} J at the start, changed by at most {:.1e} J", energy.initial,
            drift.largest);
  // A part of nothing, where nothing moves, would only puzzle.
  if (energy.largest_kinetic > drift.largest) {
    out.print(" ({:.1e} of the largest kinetic energy)", drift.relative);
  }
  out.print("\n");
}

}  // namespace

std::string assembly_text(const result::Assembly& assembly) {
  // Less than this is the rounding of a file written with a few digits.
  constexpr double kWorthSaying = 1e-6;
  if (assembly.moved <= kWorthSaying && assembly.velocity_change <= kWorthSaying) return "";
  return fmt::format(
      "  The initial state does not fit the joints: assembly moved it by {:.2g} m, {:.2g} m/s.\n",
      assembly.moved, assembly.velocity_change);
}

std::string simulation_text(const SimulationRun& run, const std::filesystem::path& folder) {
  Words out;
  const auto& s = run.result;
  out.print("{}: {}\n", s.model, run.contents);
  if (s.assembly) out.print("{}", assembly_text(*s.assembly));
  for (const auto& warning : s.verdict.warnings) out.print("  warning: {}\n", warning);
  if (s.equilibrium && s.equilibrium->found()) out.print("{}\n", s.equilibrium->message);
  out.print("{}\n", s.verdict.message);
  print_work(out, s, run.timing.total());
  if (s.energy && s.drift.energy) print_energy(out, *s.energy, *s.drift.energy);
  if (s.drift.constraints) {
    out.print("  constraints kept to {:.1e}\n", s.drift.constraints->largest);
  }
  if (s.partition) {
    const auto text = partition_text(*s.partition);
    if (!text.empty()) out.print("  {}\n", text);
  }
  print_events(out, s.events);
  if (folder.empty()) return out.text();
  out.print("{}results in {}: report.html, trajectory.csv ({}, {}), result.json, timing.json\n",
            run.finished() ? "" : "partial ", folder.string(), counted(s.rows, "row", "rows"),
            counted(count_of(run.trajectory.columns), "column", "columns"));
  return out.text();
}

}  // namespace parfait::run
