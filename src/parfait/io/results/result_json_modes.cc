#include "parfait/io/results/json_archive.h"
#include "parfait/io/results/result_json.h"

// result.json of modes.
namespace parfait::io {

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Equilibrium> equilibrium) {
  a("status", equilibrium.status);
  a("message", equilibrium.message);
  a("iterations", equilibrium.iterations);
  a("evaluations", equilibrium.evaluations);
  a("correction", equilibrium.correction);
  a("residual", equilibrium.residual);
  a("moved", equilibrium.moved);
  a("prescribed_speed", equilibrium.prescribed_speed);
  a("moving", equilibrium.moving);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Mode> mode) {
  a("mode", mode.number);
  a("re", mode.re);
  a("im", mode.im);
  a("frequency_hz", mode.frequency_hz);
  a("damped_frequency_hz", mode.damped_frequency_hz);
  a("damping", mode.damping);
  a("time_constant", mode.time_constant, std::numeric_limits<double>::infinity());
  a("moves_most", mode.moves_most);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Modes> m) {
  header_fields(a, m.verdict.version, "modes");
  a("model", m.model);
  verdict_fields(a, m.verdict);
  a("origin", m.verdict.origin);
  a("at", m.at);
  a("t", m.t);
  a.nullable("equilibrium", m.equilibrium);
  a("degrees_of_freedom", m.degrees_of_freedom);
  a.nullable("stability", m.stability);
  a("growth", m.growth);
  a("residual", m.residual);
  a("neutral", m.neutral);
  a("drifts", m.drifts);
  a("num_modes", m.num_modes);
  a.derived("shapes", "the largest displacement of a coordinate or state is 1");
  a("modes", m.modes);
  a("parameters", m.parameters);
}

std::string result_text(const result::Modes& modes) {
  return indented_text(modes);
}

result::Modes read_modes_text(std::string_view text, const std::string& file) {
  return read_result<result::Modes>(text, file, "modes");
}

}  // namespace parfait::io
