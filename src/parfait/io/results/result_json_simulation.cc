#include <map>

#include "parfait/io/results/json_archive.h"
#include "parfait/io/results/result_json.h"

// result.json of a simulation.
namespace parfait::io {

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Event> event) {
  a("t", event.t);
  a("name", event.name);
  a("jumped", event.jumped);
  a("mode", event.mode);
}

template <class Archive>
void fields(Archive& a,
            typename Archive::template Ref<result::SimulationOptions::Tolerance> tolerance) {
  a("rtol", tolerance.rtol);
  a("atol", tolerance.atol);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::SimulationOptions> options) {
  a("integrator", options.integrator);
  a("until", options.until);
  a.nullable("step", options.step);
  a.derived("every_step", !options.step);
  a("rtol", options.rtol);
  a("atol", options.atol);
  const auto groups = [&](auto& inside) {
    inside.optional("positions", options.positions);
    inside.optional("velocities", options.velocities);
    inside.optional("states", options.states);
  };
  if constexpr (Archive::kReads) {
    if (a.has("tolerance")) a.object("tolerance", groups);
  } else {
    if (options.positions || options.velocities || options.states) a.object("tolerance", groups);
  }
  a.nullable("first_step", options.first_step);
  a.nullable("max_step", options.max_step);
  a("max_steps", options.max_steps);
  a.optional("max_order", options.max_order);
  a.optional("hht_alpha", options.hht_alpha);
  a("projection", options.projection);
  a("projection_tolerance", options.projection_tolerance);
  a("control_sensitivities", options.control_sensitivities);
  a("settle", options.settle);
  a("observe", options.observe);
  a("sensitivity", options.sensitivity);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Settled> settled) {
  a("outcome", settled.outcome);
  a("message", settled.message);
  a("iterations", settled.iterations);
  a("moved", settled.moved);
  a("residual", settled.residual);
  a("growth", settled.growth);
  a("neutral", settled.neutral);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Drift> drift) {
  const auto constraints = [&](auto& c) {
    a("constraints", c.largest);
    a("correction", c.correction);
    a("start_correction", c.start_correction);
  };
  const auto energy = [&](auto& e) {
    a("energy", e.largest);
    a("energy_relative", e.relative);
  };
  if constexpr (Archive::kReads) {
    if (a.has("constraints")) constraints(*(drift.constraints = result::Drift::Constraints{}));
    if (a.has("energy")) energy(*(drift.energy = result::Drift::Energy{}));
  } else {
    if (drift.constraints) constraints(*drift.constraints);
    if (drift.energy) energy(*drift.energy);
  }
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Partition::Choice> choice) {
  a("t", choice.t);
  a("left_out", choice.left_out);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Partition> partition) {
  a("rank_tolerance", partition.rank_tolerance);
  a("choices", partition.choices);
  a("largest_residual", partition.largest_residual);
  const auto worst = [&](auto& w) {
    a("largest_residual_row", w.row);
    a("largest_residual_t", w.t);
  };
  if constexpr (Archive::kReads) {
    if (a.has("largest_residual_row")) worst(*(partition.worst = result::Partition::Worst{}));
  } else {
    if (partition.worst) worst(*partition.worst);
  }
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Energy> energy) {
  a("initial", energy.initial);
  a("largest_kinetic", energy.largest_kinetic);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::LastState> state) {
  a("t", state.t);
  a("y", state.y);
  a.unless_empty("z", state.z);
  a.unless_empty("mode", state.mode);
}

void orders_field(JsonWriter& a, const result::IntegrationWork& work) {
  if (!work.steps_of_order) return;
  Json counts = Json::object();
  for (const auto& [order, steps] : *work.steps_of_order) counts[std::to_string(order)] = steps;
  a.json["steps_of_order"] = std::move(counts);
}

void orders_field(JsonReader& a, result::IntegrationWork& work) {
  if (!a.has("steps_of_order")) return;
  auto& counts = work.steps_of_order.emplace();
  JsonReader inside(a.at("steps_of_order"), a.path("steps_of_order"));
  for (const auto& [order, steps] : inside.json().items()) {
    if (order.empty() || order.size() > 3 || order.find_first_not_of("0123456789") < order.size()) {
      inside.fail("must have orders as keys");
    }
    inside(order.c_str(), counts[std::stoi(order)]);
  }
}

void units_field(JsonWriter& a, const std::vector<result::ColumnUnit>& units) {
  if (units.empty()) return;
  Json json = Json::object();
  for (const auto& [column, unit] : units) json[column] = unit;
  a.json["units"] = std::move(json);
}

void units_field(JsonReader& a, std::vector<result::ColumnUnit>& units) {
  if (!a.has("units")) return;
  JsonReader inside(a.at("units"), a.path("units"));
  for (const auto& [column, unit] : inside.json().items()) {
    inside(column.c_str(), units.emplace_back(result::ColumnUnit{column, ""}).unit);
  }
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Simulation> s) {
  header_fields(a, s.verdict.version, "simulate");
  a("model", s.model);
  verdict_fields(a, s.verdict);
  a("t", s.t);
  a("rows", s.rows);
  a("steps", s.work.steps);
  a("rejected", s.work.rejected);
  a("evaluations", s.work.evaluations);
  a("direction_evaluations", s.work.direction_evaluations);
  a("projections", s.work.projections);
  a("factorizations", s.work.factorizations);
  a("smallest_step", s.work.smallest_step);
  a("largest_step", s.work.largest_step);
  orders_field(a, s.work);
  a.optional("equilibrium", s.equilibrium);
  a("events", s.events);
  if constexpr (Archive::kReads) {
    if (a.has("drift")) a("drift", s.drift);
  } else {
    if (s.drift.constraints || s.drift.energy) a("drift", s.drift);
  }
  a.optional("assembly", s.assembly);
  a.optional("partition", s.partition);
  a.optional("energy", s.energy);
  a("options", s.options);
  a("parameters", s.parameters);
  a.optional("last_state", s.last_state);
  units_field(a, s.units);
  a.unless_empty("motions", s.motions);
  origin_fields(a, s.verdict.origin);
}

std::string result_text(const result::Simulation& simulation) {
  return indented_text(simulation);
}

result::Simulation read_simulation_text(std::string_view text, const std::string& file) {
  return read_result<result::Simulation>(text, file, "simulate");
}

}  // namespace parfait::io
