#include "parfait/io/results/json_archive.h"
#include "parfait/io/results/result_json.h"

// result.json of walking.
namespace parfait::io {

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::GaitEventFacts> event) {
  a("t", event.t);
  a("side", event.side);
  a("kind", event.kind);
  a("source", event.source);
  a("used", event.used);
  a("from_file", event.from_file);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::StrideFacts> stride) {
  a("side", stride.side);
  a("start", stride.start);
  a("end", stride.end);
  a("length", stride.length);
  a("speed", stride.speed);
  a("step_length", stride.step_length);
  a("step_duration", stride.step_duration);
  a("step_width", stride.step_width);
  a("stance", stride.stance);
  a("double_support", stride.double_support);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::GaitTrial> trial) {
  a("trial", trial.trial);
  a("file", trial.file);
  a("points", trial.points);
  a("source", trial.source);
  a("treadmill", trial.treadmill);
  a("speed", trial.speed);
  a("events", trial.events);
  a("strides", trial.strides);
  a("emg", trial.emg);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::GaitParameter> parameter) {
  a("name", parameter.name);
  a("side", parameter.side);
  a("unit", parameter.unit);
  a("count", parameter.count);
  a("mean", parameter.mean);
  a("sd", parameter.sd);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Gait> gait) {
  header_fields(a, gait.verdict.version, "gait");
  verdict_fields(a, gait.verdict);
  a("origin", gait.verdict.origin);
  a("trials", gait.trials);
  a("parameters", gait.parameters);
}

std::string result_text(const result::Gait& gait) {
  return indented_text(gait);
}
result::Gait read_gait_text(std::string_view text, const std::string& file) {
  return read_result<result::Gait>(text, file, "gait");
}

}  // namespace parfait::io
