#include <limits>

#include "parfait/io/results/json_archive.h"
#include "parfait/io/results/result_json.h"

// result.json of a design.
namespace parfait::io {

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::DesignMeasures> m) {
  a("psi", m.psi);
  a("trace_C", m.trace_C);
  a("log_det_M", m.log_det_M);
  a("lambda_min_M", m.lambda_min);
  a("trace_M", m.trace_M);
  a("max_sd", m.max_sd);
  a("condition", m.condition, std::numeric_limits<double>::infinity());
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::DesignParameter> p) {
  constexpr double kOpen = std::numeric_limits<double>::infinity();
  a("id", p.id);
  a("value", p.value);
  a("of_interest", p.of_interest);
  a("sd_known", p.sd_known, kOpen);
  a("sd_start", p.sd_start, kOpen);
  a("sd_design", p.sd_design, kOpen);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::DesignVariable> v) {
  a("name", v.name);
  a("lower", v.lower);
  a("upper", v.upper);
  a("start", v.start);
  a("value", v.value);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::DesignChoice> c) {
  a("gap", c.gap);
  a("certified", c.certified);
  a("remark", c.remark);
  a("efficiency", c.efficiency);
  a("iterations", c.iterations);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::DesignExperiment> e) {
  a("id", e.id);
  a("copies", e.copies);
  a("times", e.times);
  a("columns", e.columns);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::DesignSearch> s) {
  a("psi", s.psi, std::numeric_limits<double>::infinity());
  a("violation", s.violation);
  a("iterations", s.iterations);
  a("converged", s.converged);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::DesignSwitching> s) {
  a("times", s.times);
  a("iterations", s.iterations);
  a("converged", s.converged);
  a("psi", s.psi);
  a("residual", s.residual);
  a("is_minimum", s.is_minimum);
  a("keeps_sign", s.keeps_sign);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Design> d) {
  header_fields(a, d.verdict.version, "design");
  a("design", d.design);
  verdict_fields(a, d.verdict);
  a("origin", d.verdict.origin);
  a("criterion", d.criterion);
  a("relative", d.relative);
  a("interest", d.interest);
  a("method", d.method);
  a("gradient", d.gradient);
  a.nullable("known", d.known);
  a.nullable("start", d.start);
  a("measures", d.measures);
  a("parameters", d.parameters);
  a("variables", d.variables);
  a("violation", d.violation);
  a.nullable("choice", d.choice);
  a("experiments", d.experiments);
  a("starts", d.starts);
  a.nullable("switching", d.switching);
  a("best_reached", d.best_reached);
  a("robust_samples", d.robust_samples);
  a("linearizations", d.linearizations);
}

std::string result_text(const result::Design& design) {
  return indented_text(design);
}

result::Design read_design_result_text(std::string_view text, const std::string& file) {
  return read_result<result::Design>(text, file, "design");
}

}  // namespace parfait::io
