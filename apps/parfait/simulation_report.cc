#include "simulation_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace parfait::app {
namespace {

Json options_json(const SimulatePlan& plan) {
  const auto& options = plan.options;
  Json json = {{"integrator", integrate::text(options.method)},
               {"until", plan.until},
               {"step", plan.times.empty() ? Json(nullptr) : Json(plan.step)},
               {"every_step", plan.times.empty()},
               {"rtol", options.rtol},
               {"atol", options.atol}};
  const auto group = [&](const char* name, const std::optional<integrate::Tolerance>& tolerance) {
    if (tolerance) {
      json["tolerance"][name] = {{"rtol", tolerance->rtol}, {"atol", tolerance->atol}};
    }
  };
  group("positions", options.positions);
  group("velocities", options.velocities);
  group("states", options.externals);
  json["first_step"] = options.first_step > 0 ? Json(options.first_step) : Json(nullptr);
  json["max_step"] = options.max_step > 0 ? Json(options.max_step) : Json(nullptr);
  json["max_steps"] = options.max_steps;
  const auto& can = integrate::info(options.method);
  if (can.max_order > 0) json["max_order"] = std::min(options.max_order, can.max_order);
  if (can.has_alpha) json["hht_alpha"] = options.hht_alpha;
  json["projection"] = text(options.projection);
  json["projection_tolerance"] = options.projection_tolerance;
  json["control_sensitivities"] = options.control_sensitivities;
  json["settle"] = plan.settle;
  json["observe"] = plan.quantities;
  json["sensitivity"] = plan.sensitivities;
  return json;
}

/// Multistep methods: how many steps had order 1, 2, ...
Json orders_json(const integrate::Statistics& statistics) {
  const auto& counts = statistics.steps_of_order;
  Json json = Json::object();
  for (std::size_t order = 1; order < counts.size(); ++order) {
    if (counts[order] > 0) json[std::to_string(order)] = counts[order];
  }
  return json;
}

Json events_json(const integrate::Result& result,
                 const std::vector<dynamics::SwitchInfo>& switches) {
  Json json = Json::array();
  for (const auto& event : result.events) {
    json.push_back({{"t", event.t},
                    {"name", switches[event.which].name},
                    {"jumped", event.jumped},
                    {"mode", event.mode}});
  }
  return json;
}

Json drift_json(const Simulation& s) {
  const auto& sizes = s.model.system->sizes();
  Json json = Json::object();
  if (sizes.num_pos + sizes.num_vel > 0) {
    json["constraints"] = s.monitor.largest_residual();
    json["correction"] = s.result.statistics.largest_correction;
    json["start_correction"] = s.start.correction;
  }
  if (s.model.mechanics) {
    json["energy"] = s.monitor.largest_energy_change();
    json["energy_relative"] = s.monitor.relative_energy_change();
  }
  return json;
}

/// What a person should know before trusting the numbers.
std::vector<std::string> warnings_of(const Simulation& s) {
  auto warnings = s.model.warnings;
  if (!s.partition) return warnings;
  for (auto& text : s.partition->warnings(s.plan.quantities)) warnings.push_back(std::move(text));
  // The projection keeps constraints to its tolerance; what is far above it could not be kept.
  constexpr double kViolated = 1e-6;
  // It takes back the error of a step; what is more than that was a jump. |v| in its norm is
  // sqrt(2 T).
  const double speed = std::sqrt(2 * s.monitor.largest_kinetic_energy());
  const double correction = s.result.statistics.largest_correction;
  if (s.monitor.largest_residual() > kViolated) {
    warnings.push_back(fmt::format(
        "{} was off by {:.2g} at t = {:g} s: does an offset that drives it jump, or its rate?",
        s.model.mechanics->invariant_name(s.monitor.largest_residual_row()),
        s.monitor.largest_residual(), s.monitor.largest_residual_time()));
  } else if (correction > std::max(kViolated, std::max(0.01, 100 * s.plan.options.rtol) * speed)) {
    warnings.push_back(fmt::format(
        "constraints were kept only by moving the state at once, by {:.2g} in the mass norm (the "
        "largest speed is {:.2g}): does an offset that drives one jump, or its rate?",
        correction, speed));
  }
  return warnings;
}

Json equilibrium_json(const dynamics::EquilibriumReport& report) {
  return {{"outcome", dynamics::text(report.outcome)},
          {"message", report.message()},
          {"iterations", report.iterations},
          {"moved", report.moved},
          {"residual", report.residual},
          {"growth", report.growth},
          {"neutral", report.neutral}};
}

Json state_json(const Simulation& s) {
  Json y = Json::object();
  const auto names = s.model.system->state_names();
  for (std::size_t i = 0; i < names.size(); ++i) y[names[i]] = s.end.y[i];
  Json json = {{"t", s.end.t}, {"y", y}};
  if (!s.end.z.empty()) json["z"] = s.end.z;
  if (!s.end.mode.empty()) json["mode"] = s.end.mode;
  return json;
}

/// "order 1 to 9, mostly 8".
std::string orders_text(const integrate::Statistics& statistics) {
  const auto& counts = statistics.steps_of_order;
  int lowest = 0, highest = 0, most = 0;
  for (int order = 1; order < static_cast<int>(counts.size()); ++order) {
    if (counts[order] == 0) continue;
    if (lowest == 0) lowest = order;
    highest = order;
    if (most == 0 || counts[order] > counts[most]) most = order;
  }
  if (highest == 0) return "";
  if (lowest == highest) return fmt::format(", order {}", lowest);
  return fmt::format(", order {} to {}, mostly {}", lowest, highest, most);
}

void print_work(const Simulation& s, double seconds) {
  const auto& statistics = s.result.statistics;
  fmt::print("  {}{}: {} rejected, {}", integrate::text(s.plan.options.method),
             orders_text(statistics), statistics.rejected,
             counted(statistics.evaluations, "evaluation", "evaluations"));
  if (!s.plan.sensitivities.empty()) {
    fmt::print(
        ", {} with {}", statistics.direction_evaluations,
        counted(static_cast<std::int64_t>(s.plan.sensitivities.size()), "direction", "directions"));
  }
  fmt::print(", {:.3g} s of computing\n", seconds);
}

void print_events(const Simulation& s) {
  constexpr std::size_t kMost = 8;
  const auto& events = s.result.events;
  if (events.empty()) return;
  const auto switches = s.model.system->switch_infos();
  std::size_t width = 0;
  const std::size_t shown = events.size() <= kMost + 1 ? events.size() : kMost;
  for (std::size_t i = 0; i < shown; ++i) {
    width = std::max(width, switches[events[i].which].name.size());
  }
  fmt::print("  {}\n", counted(static_cast<std::int64_t>(events.size()), "event", "events"));
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& event = events[i];
    const char* what = event.jumped ? "jump" : event.mode > 0 ? "now > 0" : "now < 0";
    fmt::print("    t = {:<13.8g} {:<{}}  {}\n", event.t, switches[event.which].name, width, what);
  }
  if (shown < events.size()) fmt::print("    ... and {} more\n", events.size() - shown);
}

}  // namespace

Json as_json(const Simulation& s) {
  const auto& statistics = s.result.statistics;
  Json parameters = Json::object();
  for (const auto& p : s.model.system->parameters()) parameters[p.id] = p.initial;
  Json json = {{"program", "parfait"},
               {"version", PARFAIT_VERSION},
               {"command", "simulate"},
               {"model", s.model.file},
               {"status", s.verdict.status},
               {"partial", !s.verdict.finished},
               {"message", s.verdict.message},
               {"warnings", warnings_of(s)},
               {"t", s.end.t},
               {"rows", s.table.num_rows()},
               {"steps", statistics.steps},
               {"rejected", statistics.rejected},
               {"evaluations", statistics.evaluations},
               {"direction_evaluations", statistics.direction_evaluations},
               {"projections", statistics.projections},
               {"factorizations", statistics.factorizations},
               {"smallest_step", statistics.smallest_step},
               {"largest_step", statistics.largest_step}};
  if (!statistics.steps_of_order.empty()) json["steps_of_order"] = orders_json(statistics);
  if (s.start.equilibrium) json["equilibrium"] = equilibrium_json(*s.start.equilibrium);
  json["events"] = events_json(s.result, s.model.system->switch_infos());
  if (auto drift = drift_json(s); !drift.empty()) json["drift"] = drift;
  if (s.model.mechanics) {
    const auto& assembly = s.model.mechanics->assembly();
    json["assembly"] = {{"moved", assembly.moved}, {"velocity_change", assembly.velocity_change}};
    if (s.model.mechanics->may_drop_rows()) json["partition"] = s.partition->json();
    json["energy"] = {{"initial", s.monitor.initial_energy()},
                      {"largest_kinetic", s.monitor.largest_kinetic_energy()}};
  }
  json["options"] = options_json(s.plan);
  json["parameters"] = parameters;
  if (!s.verdict.finished) json["last_state"] = state_json(s);
  return json;
}

void print(const Simulation& s, double seconds) {
  fmt::print("{}: {}\n", s.model.file, s.model.contents);
  if (s.model.mechanics) {
    const auto& assembly = s.model.mechanics->assembly();
    fmt::print("{}", assembly_text(assembly.moved, assembly.velocity_change));
  }
  for (const auto& warning : warnings_of(s)) fmt::print("  warning: {}\n", warning);
  if (s.start.equilibrium && s.start.equilibrium->found()) {
    fmt::print("{}\n", s.start.equilibrium->message());
  }
  fmt::print("{}\n", s.verdict.message);
  print_work(s, seconds);
  if (s.model.mechanics) {
    fmt::print("  energy {:.6g} J at the start, changed by at most {:.1e} J",
               s.monitor.initial_energy(), s.monitor.largest_energy_change());
    // A part of nothing, where nothing moves, would only puzzle.
    if (s.monitor.largest_kinetic_energy() > s.monitor.largest_energy_change()) {
      fmt::print(" ({:.1e} of the largest kinetic energy)", s.monitor.relative_energy_change());
    }
    fmt::print("\n");
  }
  const auto& sizes = s.model.system->sizes();
  if (sizes.num_pos + sizes.num_vel > 0) {
    fmt::print("  constraints kept to {:.1e}\n", s.monitor.largest_residual());
  }
  if (s.partition && !s.partition->text().empty()) fmt::print("  {}\n", s.partition->text());
  print_events(s);
  fmt::print("{}results in {}: trajectory.csv ({}, {}), result.json, timing.json\n",
             s.verdict.finished ? "" : "partial ", s.plan.out.string(),
             counted(s.table.num_rows(), "row", "rows"),
             counted(static_cast<std::int64_t>(s.table.columns.size()), "column", "columns"));
}

}  // namespace parfait::app
