#include "parfait/io/results/json_archive.h"
#include "parfait/io/results/result_json.h"

// result.json of a scaled model.
namespace parfait::io {

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::ScalingPair> pair) {
  a("a", pair.a);
  a("b", pair.b);
  a("model", pair.model);
  a("measured", pair.measured);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::ScalingMeasurement> measurement) {
  a("name", measurement.name);
  a("factor", measurement.factor);
  a("pairs", measurement.pairs);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::ScaledBody> body) {
  a("body", body.body);
  a("factors", body.factors);
  a("mass_before", body.mass_before);
  a("mass", body.mass);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::PlacedMarker> marker) {
  a("marker", marker.marker);
  a("body", marker.body);
  a("fixed", marker.fixed);
  a("error", marker.error);
  a("moved", marker.moved);
  a("weight", marker.weight);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Scaling> scaling) {
  header_fields(a, scaling.verdict.version, "scale");
  a("setup", scaling.setup);
  a("model", scaling.model);
  a("trial", scaling.trial);
  verdict_fields(a, scaling.verdict);
  a("as_opensim", scaling.as_opensim);
  a("measurements", scaling.measurements);
  a("bodies", scaling.bodies);
  a("mass_before", scaling.mass_before);
  a("mass", scaling.mass);
  a("static_rms", scaling.static_rms);
  a("static_max", scaling.static_max);
  a("markers", scaling.markers);
}

std::string result_text(const result::Scaling& scaling) {
  return indented_text(scaling);
}
result::Scaling read_scaling_text(std::string_view text, const std::string& file) {
  return read_result<result::Scaling>(text, file, "scale");
}

}  // namespace parfait::io
