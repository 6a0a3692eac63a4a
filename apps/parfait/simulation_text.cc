#include "simulation_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "parfait/base/counted.h"
#include "parfait/base/error.h"

namespace parfait::app {
namespace {

using base::counted;

template <class T>
std::int64_t size_of(const T& container) {
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

void print_work(const result::Simulation& s, double seconds) {
  const auto& work = s.work;
  fmt::print("  {}{}: {} rejected, {}", s.options.integrator, orders_text(work), work.rejected,
             counted(work.evaluations, "evaluation", "evaluations"));
  if (!s.options.sensitivity.empty()) {
    fmt::print(", {} with {}", work.direction_evaluations,
               counted(size_of(s.options.sensitivity), "direction", "directions"));
  }
  fmt::print(", {:.3g} s of computing\n", seconds);
}

/// "3 redundant rows left out: A.B0_x, ..."; empty if there were none.
std::string partition_text(const result::Partition& partition) {
  if (partition.choices.empty()) return "";
  const auto& rows = partition.choices.front().left_out;
  const auto changes = size_of(partition.choices) - 1;
  if (rows.empty() && changes == 0) return "";
  std::string out = rows.empty()
                        ? "no redundant rows at the start"
                        : fmt::format("{} left out: {}",
                                      counted(size_of(rows), "redundant row", "redundant rows"),
                                      base::listing(rows));
  if (changes > 0) out += fmt::format("; changed {}", counted(changes, "time", "times"));
  return out;
}

void print_events(const std::vector<result::Event>& events) {
  constexpr std::size_t kMostEvents = 8;
  if (events.empty()) return;
  std::size_t width = 0;
  const std::size_t shown = events.size() <= kMostEvents + 1 ? events.size() : kMostEvents;
  for (std::size_t i = 0; i < shown; ++i) width = std::max(width, events[i].name.size());
  fmt::print("  {}\n", counted(size_of(events), "event", "events"));
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& event = events[i];
    const char* what = event.jumped ? "jump" : event.mode > 0 ? "now > 0" : "now < 0";
    fmt::print("    t = {:<13.8g} {:<{}}  {}\n", event.t, event.name, width, what);
  }
  if (shown < events.size()) fmt::print("    ... and {} more\n", events.size() - shown);
}

void print_energy(const result::Energy& energy, const result::Drift::Energy& drift) {
  fmt::print("  energy {:.6g} J at the start, changed by at most {:.1e} J", energy.initial,
             drift.largest);
  // A part of nothing, where nothing moves, would only puzzle.
  if (energy.largest_kinetic > drift.largest) {
    fmt::print(" ({:.1e} of the largest kinetic energy)", drift.relative);
  }
  fmt::print("\n");
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

void print_simulation(const run::SimulationRun& run,
                      const std::optional<std::filesystem::path>& folder) {
  const auto& s = run.result;
  fmt::print("{}: {}\n", s.model, run.contents);
  if (s.assembly) fmt::print("{}", assembly_text(*s.assembly));
  for (const auto& warning : s.verdict.warnings) fmt::print("  warning: {}\n", warning);
  if (s.equilibrium && s.equilibrium->found()) fmt::print("{}\n", s.equilibrium->message);
  fmt::print("{}\n", s.verdict.message);
  print_work(s, run.timing.total());
  if (s.energy && s.drift.energy) print_energy(*s.energy, *s.drift.energy);
  if (s.drift.constraints) {
    fmt::print("  constraints kept to {:.1e}\n", s.drift.constraints->largest);
  }
  if (s.partition) {
    const auto text = partition_text(*s.partition);
    if (!text.empty()) fmt::print("  {}\n", text);
  }
  print_events(s.events);
  if (!folder) return;
  fmt::print("{}results in {}: report.html, trajectory.csv ({}, {}), result.json, timing.json\n",
             run.finished() ? "" : "partial ", folder->string(), counted(s.rows, "row", "rows"),
             counted(size_of(run.trajectory.columns), "column", "columns"));
}

}  // namespace parfait::app
