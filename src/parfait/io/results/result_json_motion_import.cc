#include "parfait/io/results/json_archive.h"
#include "parfait/io/results/result_json.h"

// result.json of an import.
namespace parfait::io {

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::TrialFacts::Output> output) {
  a("name", output.name);
  a("kind", output.kind);
  a("unit", output.unit);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::TrialFacts::Channel> channel) {
  a("name", channel.name);
  a("unit", channel.unit);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::TrialFacts::Plate> plate) {
  a("type", plate.type);
  a("corners", plate.corners);
  a("channels", plate.channels);
  a("has_wrench", plate.has_wrench);
  a("turned_round", plate.turned_round);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::TrialFacts::Event> event) {
  a("t", event.t);
  a("label", event.label);
  a("context", event.context);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::TrialFacts> trial) {
  a("frames", trial.frames);
  a("first_frame", trial.first_frame);
  a("rate", trial.rate);
  a("start", trial.start);
  a("end", trial.end);
  a("unit_of_file", trial.unit_of_file);
  a("unit_reason", trial.unit_reason);
  a("up", trial.up);
  a("up_reason", trial.up_reason);
  a("markers", trial.markers);
  a("missing", trial.missing);
  a("outputs", trial.outputs);
  a("analog_rate", trial.analog_rate);
  a("channels", trial.channels);
  a("plates", trial.plates);
  a("events", trial.events);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::TableFacts> table) {
  a("rows", table.rows);
  a("columns", table.columns);
  a("start", table.start);
  a("end", table.end);
  a("angles", table.angles);
  a("angles_stated", table.angles_stated);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::MotionImport> import) {
  header_fields(a, import.verdict.version, "import");
  a("file", import.file);
  verdict_fields(a, import.verdict);
  a("file_format", import.format);
  a.nullable("trial", import.trial);
  a.nullable("table", import.table);
  a("files", import.files);
}

std::string result_text(const result::MotionImport& import) {
  return indented_text(import);
}

result::MotionImport read_motion_import_text(std::string_view text, const std::string& file) {
  return read_result<result::MotionImport>(text, file, "import");
}

}  // namespace parfait::io
