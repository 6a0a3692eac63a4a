#include "parfait/io/results/json_archive.h"
#include "parfait/io/results/result_json.h"

// result.json of a minimization.
namespace parfait::io {

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Minimization::Parameter> p) {
  a("id", p.id);
  a("initial", p.initial);
  a("value", p.value);
  a("lower", p.lower, -std::numeric_limits<double>::infinity());
  a("upper", p.upper, std::numeric_limits<double>::infinity());
  a("gradient", p.gradient);
  a("at_bound", p.at_bound);
  a.optional("sd", p.sd);
  a.unless_empty("ci95", p.ci95);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Minimization::Step> step) {
  a("iteration", step.iteration);
  a("objective", step.objective);
  a("gradient", step.gradient);
  a("length", step.length);
  a("evaluations", step.evaluations);
  a("values", step.values);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Minimization> m) {
  header_fields(a, m.verdict.version, "minimize");
  a("problem", m.problem);
  verdict_fields(a, m.verdict);
  a("origin", m.verdict.origin);
  a("method", m.method);
  a("line_search", m.line_search);
  a("by", m.by);
  a("objective", m.objective);
  a("costs", m.costs);
  a("parameters", m.parameters);
  a("iterations", m.iterations);
  a("evaluations", m.evaluations);
  a("path", m.path);
}

std::string result_text(const result::Minimization& minimization) {
  return indented_text(minimization);
}

result::Minimization read_minimization_text(std::string_view text, const std::string& file) {
  return read_result<result::Minimization>(text, file, "minimize");
}

}  // namespace parfait::io
