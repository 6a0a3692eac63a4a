#include "parfait/io/results/json_archive.h"
#include "parfait/io/results/result_json.h"

// result.json of a gradient.
namespace parfait::io {

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Gradient::Entry> entry) {
  a("parameter", entry.parameter);
  a("value", entry.value);
  a("gradient", entry.gradient);
  a("relative", entry.relative);
  a.nullable("forward", entry.forward);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Gradient> g) {
  header_fields(a, g.verdict.version, "gradient");
  a("problem", g.problem);
  verdict_fields(a, g.verdict);
  a("by", g.by);
  a("objective", g.objective);
  a("costs", g.costs);
  a("gradient", g.gradient);
  a("steps", g.steps);
  a("events", g.events);
  a("tape_bytes", g.tape_bytes);
  a("tape_stride", g.tape_stride);
  a.nullable("difference", g.difference);
}

std::string result_text(const result::Gradient& gradient) {
  return indented_text(gradient);
}

result::Gradient read_gradient_text(std::string_view text, const std::string& file) {
  return read_result<result::Gradient>(text, file, "gradient");
}

}  // namespace parfait::io
