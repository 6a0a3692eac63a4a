#include "parfait/io/results/json_archive.h"
#include "parfait/io/results/result_json.h"

// result.json of a synthesis.
namespace parfait::io {

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Synthesis::Experiment> experiment) {
  a("id", experiment.id);
  a("data", experiment.data);
  a("times", experiment.times);
  a("rows", experiment.rows);
  a("measurements", experiment.measurements);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Synthesis> synthesis) {
  header_fields(a, synthesis.version, "synthesize");
  a("problem", synthesis.problem);
  a("seed", synthesis.seed);
  a("set", synthesis.set);
  a("experiments", synthesis.experiments);
  a.unless_empty("outputs", synthesis.outputs);
}

std::string result_text(const result::Synthesis& synthesis) {
  return indented_text(synthesis);
}

result::Synthesis read_synthesis_text(std::string_view text, const std::string& file) {
  return read_result<result::Synthesis>(text, file, "synthesize");
}

}  // namespace parfait::io
