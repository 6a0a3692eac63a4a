#include "parfait/report/blocks/simulation_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "parfait/report/drawing/plot.h"
#include "parfait/report/html/numbers.h"

namespace parfait::report {
namespace {

constexpr std::size_t kMostQuantities = 24;
constexpr std::size_t kMostEventLines = 30;
constexpr std::size_t kMostEventRows = 100;
constexpr Ink kLineInks[] = {Ink::kModel,  Ink::kSecond, Ink::kThird,
                             Ink::kFourth, Ink::kFifth,  Ink::kData};
constexpr std::size_t kMostLines = std::size(kLineInks);

bool is_energy(const std::string& name) {
  return name.rfind("energy.", 0) == 0;
}

/// "dx/dk" with the parameter k: the quantity "x"; empty if it is no such column.
std::string sensitive_quantity(const std::string& column, const std::string& parameter) {
  const std::string end = "/d" + parameter;
  if (column.size() <= end.size() + 1 || column[0] != 'd' || !column.ends_with(end)) return "";
  return column.substr(1, column.size() - 1 - end.size());
}

bool is_sensitivity(const SimulationView& view, const std::string& column) {
  const auto& parameters = view.simulation.options.sensitivity;
  return std::any_of(parameters.begin(), parameters.end(), [&](const std::string& parameter) {
    return !sensitive_quantity(column, parameter).empty();
  });
}

/// "Load.com.vx": "Load.com.v" and "x"; empty where the name does not end in a component.
std::pair<std::string, std::string> vector_component(const std::string& name) {
  const auto dot = name.rfind('.');
  if (dot == std::string::npos || name.find_first_of("+-*/( ") != std::string::npos) return {};
  const std::string last = name.substr(dot + 1);
  const char axis = last.back();
  const bool is_axis = axis == 'x' || axis == 'y' || axis == 'z';
  if (!is_axis || last.size() > 2) return {};
  return {name.substr(0, name.size() - 1), std::string(1, axis)};
}

void add_event_lines(const SimulationView& view, Plot& plot) {
  const auto& events = view.simulation.events;
  if (events.size() > kMostEventLines) return;
  for (const auto& event : events) {
    plot.layers.emplace_back(
        Rule{.at = event.t, .vertical = true, .ink = Ink::kLimit, .dashed = true});
  }
}

/// The smallest and largest value that can be shown.
std::pair<double, double> finite_range(const std::vector<double>& values) {
  double low = INFINITY, high = -INFINITY;
  for (const double x : values) {
    if (std::isfinite(x)) low = std::min(low, x), high = std::max(high, x);
  }
  return {low, high};
}

Html more_columns(std::size_t shown, std::size_t all, const char* what) {
  if (shown >= all) return {};
  return absent(fmt::format("{} of {} {}; the others are in trajectory.csv.", shown, all, what));
}

}  // namespace

const std::vector<double>& SimulationView::time() const {
  static const std::vector<double> kNone;
  return trajectory.columns.empty() ? kNone : trajectory.columns.front();
}

std::string SimulationView::unit(int column) const {
  const auto& name = trajectory.header[static_cast<std::size_t>(column)];
  for (const auto& known : simulation.units) {
    if (known.column == name) return known.unit;
  }
  return "";
}

std::vector<ColumnGroup> quantity_groups(const SimulationView& view) {
  const auto& header = view.trajectory.header;
  std::vector<ColumnGroup> groups;
  std::map<std::string, std::size_t> vectors;
  for (std::size_t i = 1; i < header.size(); ++i) {
    if (is_energy(header[i]) || is_sensitivity(view, header[i])) continue;
    const auto [base, component] = vector_component(header[i]);
    const int column = static_cast<int>(i);
    if (base.empty()) {
      groups.push_back({header[i], {column}, {header[i]}});
      continue;
    }
    const auto [found, is_new] = vectors.try_emplace(base, groups.size());
    if (is_new)
      groups.push_back({base.back() == '.' ? base.substr(0, base.size() - 1) : base, {}, {}});
    groups[found->second].columns.push_back(column);
    groups[found->second].labels.push_back(component);
  }
  return groups;
}

std::vector<ColumnGroup> sensitivity_groups(const SimulationView& view) {
  const auto& header = view.trajectory.header;
  std::vector<ColumnGroup> groups;
  std::map<std::string, std::size_t> known;
  for (std::size_t i = 1; i < header.size(); ++i) {
    for (const auto& parameter : view.simulation.options.sensitivity) {
      const auto quantity = sensitive_quantity(header[i], parameter);
      if (quantity.empty()) continue;
      const auto [found, is_new] = known.try_emplace(quantity, groups.size());
      if (is_new) groups.push_back({quantity, {}, {}});
      groups[found->second].columns.push_back(static_cast<int>(i));
      groups[found->second].labels.push_back("d/d" + parameter);
      break;
    }
  }
  return groups;
}

Html group_plot(const SimulationView& view, const ColumnGroup& group, const std::string& name) {
  const auto& table = view.trajectory;
  Plot plot{.name = name,
            .key = group.name,
            .title = group.name,
            .text = group.name + " over time.",
            .x = {.label = "t", .unit = "s"},
            .y = {.label = "", .unit = view.unit(group.columns[0])}};
  add_event_lines(view, plot);
  std::vector<LegendEntry> entries;
  const std::size_t shown = std::min(group.columns.size(), kMostLines);
  for (std::size_t k = 0; k < shown; ++k) {
    const auto& values = table.columns[static_cast<std::size_t>(group.columns[k])];
    plot.layers.emplace_back(Line{view.time(), values, kLineInks[k], k % 2 == 1});
    entries.push_back({k % 2 == 1 ? LegendEntry::Sign::kDashed : LegendEntry::Sign::kLine,
                       kLineInks[k], group.labels[k]});
    const auto [low, high] = finite_range(values);
    plot.text +=
        fmt::format(" {} from {} to {}.", group.labels[k], rounded(low, 4), rounded(high, 4));
  }
  if (plot.y.unit.empty() && group.columns.size() == 1) plot.y.label = group.labels[0];
  if (shown < group.columns.size()) {
    plot.caption = fmt::format("{} of {} columns", shown, group.columns.size());
  }
  Html content = picture(plot);
  if (group.columns.size() > 1) content += legend(entries);
  return figure(name, group.name, plot.title, plot.caption, content);
}

Html quantities_block(const SimulationView& view) {
  if (view.time().empty()) return absent("There is no trajectory.");
  const auto groups = quantity_groups(view);
  if (groups.empty()) return absent("No quantity was asked for.");
  Html figures;
  const std::size_t shown = std::min(groups.size(), kMostQuantities);
  for (std::size_t i = 0; i < shown; ++i) figures += group_plot(view, groups[i], "quantity");
  return more_columns(shown, groups.size(), "quantities") + plots(figures);
}

Html invariants_block(const SimulationView& view) {
  const auto& s = view.simulation;
  const auto& table = view.trajectory;
  Html figures;
  ColumnGroup energies{"energy", {}, {}};
  for (std::size_t i = 1; i < table.header.size(); ++i) {
    if (!is_energy(table.header[i])) continue;
    energies.columns.push_back(static_cast<int>(i));
    energies.labels.push_back(table.header[i].substr(7));
  }
  if (!energies.columns.empty()) figures += group_plot(view, energies, "energy");
  const int total = table.find_column("energy.total");
  if (total > 0 && !view.time().empty()) {
    const auto& values = table.columns[static_cast<std::size_t>(total)];
    Line change{view.time(), {}, Ink::kModel};
    for (const double e : values) change.y.push_back(e - values.front());
    const auto [low, high] = finite_range(change.y);
    Plot plot{.name = "energy-change",
              .title = "Change of the total energy",
              .text = fmt::format("Change of the total energy: from {} to {} J.", rounded(low, 2),
                                  rounded(high, 2)),
              .caption = "at output times, interpolated between steps",
              .x = {.label = "t", .unit = "s"},
              .y = {.label = "E(t) − E(0)", .unit = "J"}};
    add_event_lines(view, plot);
    plot.layers.emplace_back(std::move(change));
    figures += figure(plot);
  }
  std::vector<NamedCell> cells;
  if (s.energy) {
    cells.push_back({"energy at the start", number(s.energy->initial) + text(" J")});
    cells.push_back({"largest kinetic energy", number(s.energy->largest_kinetic) + text(" J")});
  }
  if (s.drift.energy) {
    cells.push_back({"largest change of energy", number(s.drift.energy->largest, 3) + text(" J")});
    cells.push_back(
        {"relative to the largest kinetic energy", number(s.drift.energy->relative, 3)});
  }
  if (s.drift.constraints) {
    const auto& c = *s.drift.constraints;
    cells.push_back({"largest violation of a constraint", number(c.largest, 3)});
    cells.push_back({"largest correction by the projection", number(c.correction, 3)});
    cells.push_back({"correction of the initial state", number(c.start_correction, 3)});
  }
  if (s.assembly) {
    cells.push_back({"assembly moved the start by", number(s.assembly->moved, 3) + text(" m")});
    cells.push_back(
        {"and its velocities by", number(s.assembly->velocity_change, 3) + text(" m/s")});
  }
  Html tables = cells.empty() ? Html{} : name_table("", cells);
  const bool redundant =
      s.partition && std::any_of(s.partition->choices.begin(), s.partition->choices.end(),
                                 [](const auto& choice) { return !choice.left_out.empty(); });
  if (redundant) {
    Table left{"Redundant constraints that were left out",
               {{"from t in s", Table::Kind::kNumber}, {"rows"}},
               {}};
    for (std::size_t i = 0; i < s.partition->choices.size() && i < kMostEventRows; ++i) {
      const auto& choice = s.partition->choices[i];
      std::string rows;
      for (const auto& row : choice.left_out) rows += (rows.empty() ? "" : ", ") + row;
      left.rows.push_back({number(choice.t), text(rows.empty() ? "none" : rows)});
    }
    tables += html(left);
  }
  if (figures.empty() && tables.empty()) {
    return absent("The model has no energy and no constraint.");
  }
  return plots(figures) + side_by_side(tables);
}

Html events_block(const SimulationView& view) {
  const auto& events = view.simulation.events;
  if (events.empty()) return absent("There was no event.");
  Table table{counted(static_cast<long long>(events.size()), "event", "events"),
              {{"t in s", Table::Kind::kNumber}, {"event"}, {"what happened"}},
              {}};
  for (std::size_t i = 0; i < events.size() && i < kMostEventRows; ++i) {
    const auto& event = events[i];
    const char* what = event.jumped     ? "the state jumped"
                       : event.mode > 0 ? "switching function now > 0"
                                        : "switching function now < 0";
    table.rows.push_back({number(event.t, 9), text(event.name), text(what)});
  }
  Html content = html(table);
  if (events.size() > kMostEventRows) {
    content += absent(fmt::format("and {} more in result.json.", events.size() - kMostEventRows));
  }
  return content;
}

Html steps_block(const SimulationView& view) {
  const auto& work = view.simulation.work;
  Html figures;
  const auto& steps = view.steps;
  const int t = steps.find_column("t"), size = steps.find_column("step");
  if (t >= 0 && size >= 0 && steps.num_rows() > 0) {
    Plot plot{.name = "steps",
              .title = "Step sizes",
              .text = fmt::format("{} accepted steps between {} and {} s.", work.steps,
                                  rounded(work.smallest_step, 3), rounded(work.largest_step, 3)),
              .caption = "accepted steps",
              .x = {.label = "t", .unit = "s"},
              .y = {.label = "step", .unit = "s", .log = true}};
    add_event_lines(view, plot);
    plot.layers.emplace_back(Points{steps.columns[static_cast<std::size_t>(t)],
                                    steps.columns[static_cast<std::size_t>(size)],
                                    {},
                                    Ink::kModel});
    figures += figure(plot);
  }
  if (work.steps_of_order && !work.steps_of_order->empty()) {
    Plot plot{.name = "orders",
              .title = "Orders",
              .text = "Number of steps of each order.",
              .caption = "steps of each order",
              .x = {.label = "order", .whole = true},
              .y = {.label = "steps"}};
    Bars bars;
    const int last = work.steps_of_order->rbegin()->first;
    for (int order = 1; order <= last; ++order) {
      bars.edges.push_back(order - 0.5);
      const auto found = work.steps_of_order->find(order);
      bars.heights.push_back(
          found == work.steps_of_order->end() ? 0.0 : static_cast<double>(found->second));
    }
    bars.edges.push_back(last + 0.5);
    plot.layers.emplace_back(std::move(bars));
    figures += figure(plot);
  }
  const Html table =
      name_table("", {{"steps", count(work.steps)},
                      {"rejected", count(work.rejected)},
                      {"smallest step", number(work.smallest_step, 3) + text(" s")},
                      {"largest step", number(work.largest_step, 3) + text(" s")},
                      {"evaluations", count(work.evaluations)},
                      {"evaluations of directions", count(work.direction_evaluations)},
                      {"projections", count(work.projections)},
                      {"factorizations", count(work.factorizations)}});
  return plots(figures) + table;
}

Html sensitivities_block(const SimulationView& view) {
  const auto groups = sensitivity_groups(view);
  if (groups.empty() || view.time().empty()) {
    return absent("None were asked for (--sensitivity).");
  }
  Html figures;
  const std::size_t shown = std::min(groups.size(), kMostQuantities);
  for (std::size_t i = 0; i < shown; ++i) figures += group_plot(view, groups[i], "sensitivity");
  return more_columns(shown, groups.size(), "quantities") + plots(figures);
}

Html simulation_origin(const SimulationView& view) {
  const auto& s = view.simulation;
  const auto& o = s.options;
  std::vector<NamedCell> cells = {
      {"integrator", text(o.integrator)},
      {"until", number(o.until) + text(" s")},
      {"step", o.step ? number(*o.step) + text(" s") : text("every step")},
      {"rtol", number(o.rtol)},
      {"atol", number(o.atol)},
      {"max_steps", count(o.max_steps)}};
  if (o.first_step) cells.push_back({"first_step", number(*o.first_step) + text(" s")});
  if (o.max_step) cells.push_back({"max_step", number(*o.max_step) + text(" s")});
  if (o.max_order) cells.push_back({"max_order", count(*o.max_order)});
  if (o.hht_alpha) cells.push_back({"hht_alpha", number(*o.hht_alpha)});
  cells.push_back({"projection", text(o.projection)});
  cells.push_back({"projection_tolerance", number(o.projection_tolerance)});
  cells.push_back({"settle", text(o.settle ? "yes" : "no")});
  Html tables = name_table("Options", cells);
  if (!s.parameters.empty()) {
    std::vector<NamedCell> values;
    for (const auto& p : s.parameters) values.push_back({p.name, number(p.value)});
    tables += name_table("Parameters", values);
  }
  if (s.last_state) {
    std::vector<NamedCell> values = {{"t", number(s.last_state->t) + text(" s")}};
    for (const auto& y : s.last_state->y) values.push_back({y.name, number(y.value)});
    tables += name_table("State where it stopped", values);
  }
  return origin_block(s.verdict) + side_by_side(tables);
}

}  // namespace parfait::report
