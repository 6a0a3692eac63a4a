#include "parfait/run/fit/facts.h"

#include "parfait/dynamics/formula_system.h"
#include "parfait/estimate/problem/check_problem.h"
#include "parfait/estimate/problem/horizon.h"
#include "parfait/estimate/problem/problem_counts.h"
#include "parfait/io/problem/problem_file.h"

namespace parfait::run {
namespace facts_of_files {

using result::ModelFacts;
using result::ProblemFacts;

template <class Element>
ModelFacts::Elements ids_of(const char* kind, const std::vector<Element>& elements) {
  ModelFacts::Elements out{.kind = kind, .ids = {}};
  for (const auto& element : elements) out.ids.push_back(element.id);
  return out;
}

void add_elements(const mechanism::Description& description, ModelFacts& facts) {
  facts.kind = "mechanics";
  facts.elements = {ids_of("bodies", description.bodies),
                    ids_of("joints", description.joints),
                    ids_of("constraints", description.constraints),
                    ids_of("forces", description.forces),
                    ids_of("events", description.events),
                    ids_of("external_states", description.states),
                    ids_of("inputs", description.inputs)};
}

void add_elements(const dynamics::FormulaModel& model, ModelFacts& facts) {
  facts.kind = model.is_dae() ? "dae" : "ode";
  facts.elements = {ids_of("external_states", model.states),
                    ids_of("algebraic_states", model.algebraics),
                    ids_of("definitions", model.definitions), ids_of("inputs", model.inputs),
                    ids_of("events", model.events)};
}

ProblemFacts::Parameter parameter_of(const estimate::Estimate& e,
                                     std::optional<std::string> experiment) {
  const bool is_log = e.transform == estimate::Estimate::Transform::kLog;
  return {.id = e.parameter,
          .experiment = std::move(experiment),
          .initial = e.initial,
          .lower = e.lower,
          .upper = e.upper,
          .transform = is_log ? "log" : "none"};
}

ProblemFacts::Experiment experiment_of(const estimate::ExperimentDescription& e) {
  const auto counts = estimate::count(e);
  ProblemFacts::Experiment out;
  out.id = e.id;
  if (e.system) out.model = e.model;
  out.data = e.data.file;
  for (const auto& observation : e.observations) out.observed.push_back(observation.column);
  out.rows = counts.rows;
  out.measurements = counts.measurements;
  out.nodes = counts.nodes;
  out.unknowns = counts.unknowns();
  out.requirements = static_cast<int>(e.requirements.size());
  out.free_initial = estimate::num_free_initial(e);
  if (e.system) {
    const auto horizon = estimate::horizon_of(e);
    out.begin = horizon.begin;
    out.end = horizon.end;
  }
  return out;
}

}  // namespace facts_of_files

result::ModelFacts facts_of(const Model& model) {
  result::ModelFacts facts;
  facts.model = model.file;
  facts.contents = model.contents;
  std::visit([&](const auto& described) { facts_of_files::add_elements(described, facts); },
             *model.source);
  facts.states = model.system->sizes().ny();
  if (model.mechanics) {
    facts.degrees_of_freedom = model.mechanics->degrees_of_freedom();
    facts.driven = model.mechanics->driven();
    facts.redundant = model.mechanics->redundant_rows();
    const auto& assembly = model.mechanics->assembly();
    facts.assembly = {assembly.moved, assembly.velocity_change};
  }
  for (const auto& p : model.system->parameters()) {
    facts.parameters.push_back({p.id, p.initial, p.lower, p.upper, p.scale});
  }
  facts.warnings = model.warnings;
  return facts;
}

result::ProblemFacts facts_of(const estimate::Problem& problem,
                              const std::vector<std::string>& warnings) {
  result::ProblemFacts facts;
  facts.problem = problem.file;
  facts.requirements = static_cast<int>(problem.requirements.size());
  facts.unknowns = static_cast<int>(problem.estimates.size());
  for (const auto& e : problem.estimates) {
    facts.parameters.push_back(facts_of_files::parameter_of(e, {}));
  }
  for (const auto& experiment : problem.experiments) {
    const auto& own = facts.experiments.emplace_back(facts_of_files::experiment_of(experiment));
    facts.measurements += own.measurements;
    facts.nodes += own.nodes;
    facts.unknowns += own.unknowns;
    facts.requirements += own.requirements;
    for (const auto& e : experiment.locals) {
      facts.parameters.push_back(facts_of_files::parameter_of(e, experiment.id));
    }
  }
  facts.warnings = warnings;
  return facts;
}

std::variant<result::ModelFacts, result::ProblemFacts> check(const std::string& file,
                                                             const std::string& coordinates) {
  const auto chosen = io::coordinates_of(coordinates, "--coordinates");
  auto parsed = io::parse_any_file(file, chosen);
  if (auto* model = std::get_if<io::AnyModel>(&parsed)) {
    return facts_of(make_model(std::move(*model), {}, file, chosen));
  }
  const auto& problem = std::get<estimate::Problem>(parsed);
  const auto warnings = estimate::check(problem);
  return facts_of(problem, warnings);
}

}  // namespace parfait::run
