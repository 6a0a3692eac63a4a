#include "parfait/run/simulation/simulation_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/run/job/version.h"

namespace parfait::run {
namespace {

/// What came of it, in the order in which it can fail.
result::Verdict verdict_of(const SimulationParts& parts) {
  const auto& equilibrium = parts.start.equilibrium;
  result::Verdict verdict;
  verdict.version = version();
  verdict.partial = true;
  if (equilibrium && !equilibrium->found()) {
    verdict.status = "not_settled";
    verdict.message = "not simulated: " + equilibrium->message();
  } else if (parts.recorder.status() != dynamics::Status::kOk) {
    verdict.status = integrate::text(integrate::Outcome::kSystemFailed);
    verdict.message = parts.recorder.message();
  } else {
    verdict.status = integrate::text(parts.integration.outcome);
    verdict.message = parts.integration.message();
    verdict.partial = !parts.integration.finished();
  }
  return verdict;
}

/// What a person should know before trusting the numbers.
std::vector<std::string> warnings_of(const SimulationParts& parts) {
  const auto& monitor = parts.monitor;
  auto warnings = parts.model.warnings;
  for (const auto& name : parts.integration.unresolved) {
    warnings.push_back(
        fmt::format("the switching function of \"{}\" oscillates faster than the steps of the "
                    "integrator: events may be missed. Limit the steps with --max-step.",
                    name));
  }
  if (!parts.partition) return warnings;
  for (auto& text : parts.partition->warnings(parts.plan.quantities)) {
    warnings.push_back(std::move(text));
  }
  // The projection keeps constraints to its tolerance; what is far above it could not be kept.
  constexpr double kViolated = 1e-6;
  // It takes back the error of a step; what is more than that was a jump. |v| in its norm is
  // sqrt(2 T).
  const double speed = std::sqrt(2 * monitor.largest_kinetic_energy());
  const double correction = parts.integration.statistics.largest_correction;
  if (monitor.largest_residual() > kViolated) {
    warnings.push_back(fmt::format(
        "{} was off by {:.2g} at t = {:g} s: does an offset that drives it jump, or its rate?",
        parts.model.mechanics->invariant_name(monitor.largest_residual_row()),
        monitor.largest_residual(), monitor.largest_residual_time()));
  } else if (correction >
             std::max(kViolated, std::max(0.01, 100 * parts.plan.options.rtol) * speed)) {
    warnings.push_back(fmt::format(
        "constraints were kept only by moving the state at once, by {:.2g} in the mass norm (the "
        "largest speed is {:.2g}): does an offset that drives one jump, or its rate?",
        correction, speed));
  }
  return warnings;
}

result::IntegrationWork work_of(const integrate::Statistics& statistics) {
  result::IntegrationWork work;
  work.steps = statistics.steps;
  work.rejected = statistics.rejected;
  work.evaluations = statistics.evaluations;
  work.direction_evaluations = statistics.direction_evaluations;
  work.projections = statistics.projections;
  work.factorizations = statistics.factorizations;
  work.smallest_step = statistics.smallest_step;
  work.largest_step = statistics.largest_step;
  const auto& counts = statistics.steps_of_order;
  if (counts.empty()) return work;
  auto& orders = work.steps_of_order.emplace();
  for (std::size_t order = 1; order < counts.size(); ++order) {
    if (counts[order] > 0) orders[static_cast<int>(order)] = counts[order];
  }
  return work;
}

result::Settled settled_of(const dynamics::EquilibriumReport& report) {
  return {.outcome = dynamics::text(report.outcome),
          .message = report.message(),
          .iterations = report.iterations,
          .moved = report.moved,
          .residual = report.residual,
          .growth = report.growth,
          .neutral = report.neutral};
}

std::vector<result::Event> events_of(const SimulationParts& parts) {
  const auto switches = parts.model.system->switch_infos();
  std::vector<result::Event> events;
  for (const auto& event : parts.integration.events) {
    events.push_back({.t = event.t,
                      .name = switches[static_cast<std::size_t>(event.which)].name,
                      .jumped = event.jumped,
                      .mode = event.mode});
  }
  return events;
}

result::Drift drift_of(const SimulationParts& parts) {
  const auto& sizes = parts.model.system->sizes();
  result::Drift drift;
  if (sizes.num_pos + sizes.num_vel > 0) {
    drift.constraints = {.largest = parts.monitor.largest_residual(),
                         .correction = parts.integration.statistics.largest_correction,
                         .start_correction = parts.start.correction};
  }
  if (parts.model.mechanics) {
    drift.energy = {.largest = parts.monitor.largest_energy_change(),
                    .relative = parts.monitor.relative_energy_change()};
  }
  return drift;
}

result::LastState last_state_of(const SimulationParts& parts) {
  result::LastState last;
  last.t = parts.end.t;
  const auto names = parts.model.system->state_names();
  for (std::size_t i = 0; i < names.size(); ++i) last.y.push_back({names[i], parts.end.y[i]});
  last.z = parts.end.z;
  last.mode.assign(parts.end.mode.begin(), parts.end.mode.end());
  return last;
}

}  // namespace

result::Simulation make_result(const SimulationParts& parts) {
  result::Simulation out;
  out.verdict = verdict_of(parts);
  out.verdict.warnings = warnings_of(parts);
  out.model = parts.model.file;
  out.t = parts.end.t;
  out.work = work_of(parts.integration.statistics);
  if (parts.start.equilibrium) out.equilibrium = settled_of(*parts.start.equilibrium);
  out.events = events_of(parts);
  out.drift = drift_of(parts);
  if (const auto& mechanics = parts.model.mechanics) {
    const auto& assembly = mechanics->assembly();
    out.assembly = {assembly.moved, assembly.velocity_change};
    if (mechanics->may_drop_rows()) out.partition = parts.partition->result();
    out.energy = {.initial = parts.monitor.initial_energy(),
                  .largest_kinetic = parts.monitor.largest_kinetic_energy()};
  }
  out.options = options_of(parts.plan);
  for (const auto& p : parts.model.system->parameters()) {
    out.parameters.push_back({p.id, p.initial});
  }
  if (out.verdict.partial) out.last_state = last_state_of(parts);
  return out;
}

}  // namespace parfait::run
