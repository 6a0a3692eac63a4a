#include <fmt/format.h>

#include <variant>

#include "command.h"
#include "parfait/base/counted.h"
#include "parfait/base/error.h"
#include "parfait/io/results/result_json.h"
#include "parfait/run/fit/facts.h"
#include "simulation_text.h"

// parfait check: is the file a model or a problem, and what is in it?
namespace parfait::app {
namespace check_command {

using base::counted;

void print_count(const char* what, std::int64_t count) {
  fmt::print("  {:<22}{:>4}\n", what, count);
}

void print_ids(const char* what, const std::vector<std::string>& ids) {
  if (!ids.empty()) fmt::print("  {:<22}{:>4}   {}\n", what, ids.size(), base::listing(ids));
}

void print_ids(const result::ModelFacts& facts, const char* what, const char* kind) {
  for (const auto& elements : facts.elements) {
    if (elements.kind == kind) print_ids(what, elements.ids);
  }
}

void print_warnings(const std::vector<std::string>& warnings) {
  for (const auto& warning : warnings) fmt::print("  warning: {}\n", warning);
}

void print_facts(const result::ModelFacts& facts) {
  fmt::print("{} is a model\n", facts.model);
  print_ids(facts, "bodies", "bodies");
  print_ids(facts, "joints", "joints");
  print_ids(facts, "constraints", "constraints");
  print_ids(facts, "forces", "forces");
  print_ids(facts, "external states", "external_states");
  print_ids(facts, "algebraic states", "algebraic_states");
  print_ids(facts, "definitions", "definitions");
  print_ids(facts, "inputs", "inputs");
  print_ids(facts, "events", "events");
  print_count("states", facts.states);
  if (facts.degrees_of_freedom && facts.driven.empty()) {
    print_count("degrees of freedom", *facts.degrees_of_freedom);
  } else if (facts.degrees_of_freedom) {
    fmt::print("  {:<22}{:>4} free + {} driven   {}\n", "degrees of freedom",
               *facts.degrees_of_freedom, facts.driven.size(), base::listing(facts.driven));
  }
  print_ids("redundant constraints", facts.redundant);
  if (!facts.parameters.empty()) {
    print_count("parameters", static_cast<std::int64_t>(facts.parameters.size()));
  }
  for (const auto& p : facts.parameters) {
    fmt::print("    {} = {:g}   in [{:g}, {:g}], scale {:g}\n", p.id, p.initial, p.lower, p.upper,
               p.scale);
  }
  if (facts.assembly) fmt::print("{}", assembly_text(*facts.assembly));
  print_warnings(facts.warnings);
}

void print_experiment(const result::ProblemFacts::Experiment& e) {
  fmt::print("    {}: {}, {}: {} in {}", e.id, e.model.value_or("no model"),
             e.data.empty() ? "table" : e.data,
             counted(e.measurements, "measurement", "measurements"),
             counted(e.rows, "row", "rows"));
  if (e.begin && e.end) {
    fmt::print(", from {:g} to {:g}, {}", *e.begin, *e.end, counted(e.nodes, "node", "nodes"));
  }
  fmt::print(", {}\n", counted(e.unknowns, "unknown of its own", "unknowns of its own"));
}

void print_facts(const result::ProblemFacts& facts) {
  fmt::print("{} is a problem\n", facts.problem);
  print_count("experiments", static_cast<std::int64_t>(facts.experiments.size()));
  for (const auto& experiment : facts.experiments) print_experiment(experiment);
  print_count("measurements", facts.measurements);
  print_count("nodes", facts.nodes);
  print_count("unknowns", facts.unknowns);
  print_count("requirements", facts.requirements);
  print_count("parameters", static_cast<std::int64_t>(facts.parameters.size()));
  for (const auto& p : facts.parameters) {
    fmt::print("    {} = {:g}   in [{:g}, {:g}]{}{}\n", p.id, p.initial, p.lower, p.upper,
               p.transform == "log" ? ", logarithm" : "",
               p.experiment ? ", only in " + *p.experiment : "");
  }
  print_warnings(facts.warnings);
}

}  // namespace check_command

Command add_check(CLI::App& app, const GlobalOptions& global) {
  auto* parser =
      app.add_subcommand("check", "validate a model or problem file and show what is in it");
  auto file = std::make_shared<std::string>();
  parser->add_option("file", *file, "model or problem file")->required()->type_name("FILE");
  auto coordinates = std::make_shared<std::string>();
  parser->add_option("--coordinates", *coordinates, "of mechanisms: natural or joint (natural)")
      ->type_name("NAME");
  return {parser, [file, coordinates, &global] {
            const auto facts = run::check(*file, *coordinates);
            if (global.json) {
              fmt::print("{}", std::visit([](const auto& f) { return io::facts_text(f); }, facts));
            } else if (!global.quiet) {
              std::visit([](const auto& f) { check_command::print_facts(f); }, facts);
            }
            return kDone;
          }};
}

}  // namespace parfait::app
