#include "parfait/io/results/json_archive.h"
#include "parfait/io/results/result_json.h"

// result.json of inverse dynamics.
namespace parfait::io {

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::InverseDynamics::Coordinate> c) {
  a("name", c.name);
  a("unit", c.unit);
  a("rms", c.rms);
  a("least", c.least);
  a("largest", c.largest);
  a("least_power", c.least_power);
  a("largest_power", c.largest_power);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::InverseDynamics::Cycle> cycle) {
  a("load", cycle.load);
  a("body", cycle.body);
  a("start", cycle.start);
  a("end", cycle.end);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::InverseDynamics> run) {
  header_fields(a, run.verdict.version, "id");
  a("model", run.model);
  a("motion", run.motion);
  a("loads", run.loads);
  verdict_fields(a, run.verdict);
  a("origin", run.verdict.origin);
  a("filter", run.filter);
  a("mass", run.mass);
  a("rate", run.rate);
  a("rows", run.rows);
  a("start", run.start);
  a("end", run.end);
  a("coordinates", run.coordinates);
  a("cycles", run.cycles);
  a("files", run.files);
}

std::string result_text(const result::InverseDynamics& run) {
  return indented_text(run);
}

result::InverseDynamics read_inverse_dynamics_text(std::string_view text, const std::string& file) {
  return read_result<result::InverseDynamics>(text, file, "id");
}

}  // namespace parfait::io
