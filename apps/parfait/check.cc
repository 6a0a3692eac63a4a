#include <fmt/format.h>

#include <cmath>

#include "command.h"
#include "parfait/base/error.h"
#include "parfait/dynamics/formula_system.h"
#include "parfait/io/any_model_file.h"
#include "parfait/io/problem_file.h"
#include "parfait/mbs/model.h"
#include "parfait/run/model.h"
#include "problem_facts.h"
#include "simulation_text.h"

// parfait check: is the file a model or a problem, and what is in it?
namespace parfait::app {
namespace {

template <class Element>
std::vector<std::string> ids_of(const std::vector<Element>& elements) {
  std::vector<std::string> ids;
  ids.reserve(elements.size());
  for (const auto& element : elements) ids.push_back(element.id);
  return ids;
}

/// A bound that is not there is null.
Json bound(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json parameters_json(const dynamics::System& system) {
  Json parameters = Json::array();
  for (const auto& p : system.parameters()) {
    parameters.push_back({{"id", p.id},
                          {"initial", p.initial},
                          {"lower", bound(p.lower)},
                          {"upper", bound(p.upper)},
                          {"scale", p.scale}});
  }
  return parameters;
}

Json facts_of(const std::string& file, const mechanism::Description& description) {
  const auto model = mbs::build(description);
  return {{"model", file},
          {"kind", "mechanics"},
          {"bodies", ids_of(description.bodies)},
          {"joints", ids_of(description.joints)},
          {"constraints", ids_of(description.constraints)},
          {"forces", ids_of(description.forces)},
          {"events", ids_of(description.events)},
          {"external_states", ids_of(description.states)},
          {"inputs", ids_of(description.inputs)},
          {"states", model->sizes().ny()},
          {"degrees_of_freedom", model->degrees_of_freedom()},
          {"redundant", model->redundant_rows()},
          {"parameters", parameters_json(*model)},
          {"assembly",
           {{"moved", model->assembly().moved},
            {"velocity_change", model->assembly().velocity_change}}},
          {"warnings", model->warnings()}};
}

Json facts_of(const std::string& file, const dynamics::FormulaModel& model) {
  const auto system = dynamics::make_formula_system(model);
  return {{"model", file},
          {"kind", model.is_dae() ? "dae" : "ode"},
          {"external_states", ids_of(model.states)},
          {"algebraic_states", ids_of(model.algebraics)},
          {"definitions", ids_of(model.definitions)},
          {"inputs", ids_of(model.inputs)},
          {"events", ids_of(model.events)},
          {"states", system->sizes().ny()},
          {"parameters", parameters_json(*system)},
          {"warnings", dynamics::check(model)}};
}

void print_ids(const Json& facts, const char* what, const char* key) {
  if (!facts.contains(key) || facts[key].empty()) return;
  fmt::print("  {:<22}{:>4}   {}\n", what, facts[key].size(),
             base::listing(facts[key].get<std::vector<std::string>>()));
}

void print(const Json& facts) {
  fmt::print("{} is a model\n", facts["model"].get<std::string>());
  print_ids(facts, "bodies", "bodies");
  print_ids(facts, "joints", "joints");
  print_ids(facts, "constraints", "constraints");
  print_ids(facts, "forces", "forces");
  print_ids(facts, "external states", "external_states");
  print_ids(facts, "algebraic states", "algebraic_states");
  print_ids(facts, "definitions", "definitions");
  print_ids(facts, "inputs", "inputs");
  print_ids(facts, "events", "events");
  fmt::print("  {:<22}{:>4}\n", "states", facts["states"].get<int>());
  if (facts.contains("degrees_of_freedom")) {
    fmt::print("  {:<22}{:>4}\n", "degrees of freedom", facts["degrees_of_freedom"].get<int>());
  }
  print_ids(facts, "redundant constraints", "redundant");
  const auto& parameters = facts["parameters"];
  if (!parameters.empty()) fmt::print("  {:<22}{:>4}\n", "parameters", parameters.size());
  for (const auto& p : parameters) {
    const auto text = [](const Json& x, const char* none) {
      return x.is_null() ? std::string(none) : fmt::format("{:g}", x.get<double>());
    };
    fmt::print("    {} = {:g}   in [{}, {}], scale {:g}\n", p["id"].get<std::string>(),
               p["initial"].get<double>(), text(p["lower"], "-inf"), text(p["upper"], "inf"),
               p["scale"].get<double>());
  }
  if (facts.contains("assembly")) {
    const auto& assembly = facts["assembly"];
    fmt::print("{}", assembly_text({assembly["moved"].get<double>(),
                                    assembly["velocity_change"].get<double>()}));
  }
  for (const auto& warning : facts["warnings"]) {
    fmt::print("  warning: {}\n", warning.get<std::string>());
  }
}

}  // namespace

Command add_check(CLI::App& app, const Common& common) {
  auto* parser =
      app.add_subcommand("check", "validate a model or problem file and tell what is in it");
  auto file = std::make_shared<std::string>();
  parser->add_option("file", *file, "model or problem file")->required()->type_name("FILE");
  return {parser, [file, &common] {
            const bool is_problem = io::is_problem_file(*file);
            const Json facts =
                is_problem ? problem_facts(*file)
                           : std::visit([&](const auto& model) { return facts_of(*file, model); },
                                        io::read_any_model(*file));
            if (common.json) {
              fmt::print("{}\n", facts.dump(2));
            } else if (!common.quiet) {
              is_problem ? print_problem(facts) : print(facts);
            }
            return kDone;
          }};
}

}  // namespace parfait::app
