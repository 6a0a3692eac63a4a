#include "parfait/io/results/json_archive.h"
#include "parfait/io/results/result_json.h"

// What `parfait check --json` prints.
namespace parfait::io {

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::ModelFacts::Parameter> parameter) {
  a("id", parameter.id);
  a("initial", parameter.initial);
  a("lower", parameter.lower);
  a("upper", parameter.upper);
  a("scale", parameter.scale);
}

template <class Archive>
void fields(Archive& a,
            typename Archive::template Ref<result::ProblemFacts::Experiment> experiment) {
  a("id", experiment.id);
  a.nullable("model", experiment.model);
  a("data", experiment.data);
  a("observed", experiment.observed);
  a("rows", experiment.rows);
  a("measurements", experiment.measurements);
  a("nodes", experiment.nodes);
  a("unknowns", experiment.unknowns);
  a("requirements", experiment.requirements);
  a.optional("begin", experiment.begin);
  a.optional("end", experiment.end);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::ProblemFacts::Parameter> parameter) {
  a("id", parameter.id);
  a.nullable("experiment", parameter.experiment);
  a("initial", parameter.initial);
  a("lower", parameter.lower);
  a("upper", parameter.upper);
  a("transform", parameter.transform);
}

std::string facts_text(const result::ModelFacts& facts) {
  JsonWriter a;
  a("model", facts.model);
  a("kind", facts.kind);
  for (const auto& [kind, ids] : facts.elements) a(kind.c_str(), ids);
  a("states", facts.states);
  if (facts.degrees_of_freedom) {
    a("degrees_of_freedom", *facts.degrees_of_freedom);
    if (!facts.driven.empty()) a("driven", facts.driven);
    a("redundant", facts.redundant);
  }
  a("parameters", facts.parameters);
  a.optional("assembly", facts.assembly);
  a("warnings", facts.warnings);
  return a.json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string facts_text(const result::ProblemFacts& facts) {
  JsonWriter a;
  a("problem", facts.problem);
  a("kind", "problem");
  a("experiments", facts.experiments);
  a("measurements", facts.measurements);
  a("nodes", facts.nodes);
  a("unknowns", facts.unknowns);
  a("requirements", facts.requirements);
  a("parameters", facts.parameters);
  a("warnings", facts.warnings);
  return a.json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace parfait::io
