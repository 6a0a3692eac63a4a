#include "parfait/run/summary/facts_text.h"

#include "parfait/base/counted.h"
#include "parfait/base/error.h"
#include "parfait/run/summary/simulation_text.h"
#include "parfait/run/summary/words.h"

namespace parfait::run {
namespace {

using base::counted;

void print_count(Words& out, const char* what, std::int64_t count) {
  out.print("  {:<22}{:>4}\n", what, count);
}

void print_ids(Words& out, const char* what, const std::vector<std::string>& ids) {
  if (!ids.empty()) out.print("  {:<22}{:>4}   {}\n", what, ids.size(), base::listing(ids));
}

void print_ids(Words& out, const result::ModelFacts& facts, const char* what, const char* kind) {
  for (const auto& elements : facts.elements) {
    if (elements.kind == kind) print_ids(out, what, elements.ids);
  }
}

void print_warnings(Words& out, const std::vector<std::string>& warnings) {
  for (const auto& warning : warnings) out.print("  warning: {}\n", warning);
}

void print_experiment(Words& out, const result::ProblemFacts::Experiment& e) {
  out.print("    {}: {}, {}: {} in {}", e.id, e.model.value_or("no model"),
            e.data.empty() ? "table" : e.data,
            counted(e.measurements, "measurement", "measurements"), counted(e.rows, "row", "rows"));
  if (e.begin && e.end) {
    out.print(", from {:g} to {:g}, {}", *e.begin, *e.end, counted(e.nodes, "node", "nodes"));
  }
  out.print(", {}\n", counted(e.unknowns, "unknown of its own", "unknowns of its own"));
}

}  // namespace

std::string facts_text(const result::ModelFacts& facts) {
  Words out;
  out.print("{} is a model\n", facts.model);
  print_ids(out, facts, "bodies", "bodies");
  print_ids(out, facts, "joints", "joints");
  print_ids(out, facts, "constraints", "constraints");
  print_ids(out, facts, "forces", "forces");
  print_ids(out, facts, "external states", "external_states");
  print_ids(out, facts, "algebraic states", "algebraic_states");
  print_ids(out, facts, "definitions", "definitions");
  print_ids(out, facts, "inputs", "inputs");
  print_ids(out, facts, "events", "events");
  print_count(out, "states", facts.states);
  if (facts.degrees_of_freedom && facts.driven.empty()) {
    print_count(out, "degrees of freedom", *facts.degrees_of_freedom);
  } else if (facts.degrees_of_freedom) {
    out.print("  {:<22}{:>4} free + {} driven   {}\n", "degrees of freedom",
              *facts.degrees_of_freedom, facts.driven.size(), base::listing(facts.driven));
  }
  print_ids(out, "redundant constraints", facts.redundant);
  if (!facts.parameters.empty()) {
    print_count(out, "parameters", static_cast<std::int64_t>(facts.parameters.size()));
  }
  for (const auto& p : facts.parameters) {
    out.print("    {} = {:g}   in [{:g}, {:g}], scale {:g}\n", p.id, p.initial, p.lower, p.upper,
              p.scale);
  }
  if (facts.assembly) out.print("{}", assembly_text(*facts.assembly));
  print_warnings(out, facts.warnings);
  return out.text();
}

std::string facts_text(const result::ProblemFacts& facts) {
  Words out;
  out.print("{} is a problem\n", facts.problem.empty() ? "this" : facts.problem);
  print_count(out, "experiments", static_cast<std::int64_t>(facts.experiments.size()));
  for (const auto& experiment : facts.experiments) print_experiment(out, experiment);
  print_count(out, "measurements", facts.measurements);
  print_count(out, "nodes", facts.nodes);
  print_count(out, "unknowns", facts.unknowns);
  print_count(out, "requirements", facts.requirements);
  print_count(out, "parameters", static_cast<std::int64_t>(facts.parameters.size()));
  for (const auto& p : facts.parameters) {
    out.print("    {} = {:g}   in [{:g}, {:g}]{}{}\n", p.id, p.initial, p.lower, p.upper,
              p.transform == "log" ? ", logarithm" : "",
              p.experiment ? ", only in " + *p.experiment : "");
  }
  print_warnings(out, facts.warnings);
  return out.text();
}

}  // namespace parfait::run
