#include "parfait/io/results/json_archive.h"
#include "parfait/io/results/result_json.h"

// result.json of poses from markers and of a calibration.
namespace parfait::io {

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::MarkerErrorFacts> marker) {
  a("marker", marker.marker);
  a("role", marker.role);
  a("frames", marker.frames);
  a("rms", marker.rms);
  a("mean", marker.mean);
  a("max", marker.max);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::ErrorSummary> errors) {
  a("count", errors.count);
  a("rms", errors.rms);
  a("mean", errors.mean);
  a("max", errors.max);
  a("mean_frame_max", errors.mean_frame_max);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::LimitFacts> limit) {
  a("coordinate", limit.coordinate);
  a("frames", limit.frames);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::TrialPoseFacts> trial) {
  a("trial", trial.trial);
  a("file", trial.file);
  a("frames", trial.frames);
  a("start", trial.start);
  a("end", trial.end);
  a("axes", trial.axes);
  a("only_model", trial.only_model);
  a("only_data", trial.only_data);
  a("missing", trial.missing);
  a("errors", trial.errors);
  a("anatomical", trial.anatomical);
  a("tracking", trial.tracking);
  a("max_time", trial.max_time);
  a("max_marker", trial.max_marker);
  a("marker_sd", trial.marker_sd);
  a("mean_iterations", trial.mean_iterations);
  a("max_iterations", trial.max_iterations);
  a("not_converged", trial.not_converged);
  a("unseen", trial.unseen);
  a("at_limit", trial.at_limit);
  a("partly_unseen", trial.partly_unseen);
  a("markers", trial.markers);
  a("files", trial.files);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::InverseKinematics> ik) {
  header_fields(a, ik.verdict.version, "ik");
  a("model", ik.model);
  verdict_fields(a, ik.verdict);
  a("origin", ik.verdict.origin);
  a("method", ik.method);
  a("limits", ik.limits);
  a("coordinates", ik.coordinates);
  a("trials", ik.trials);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::CalibratedValue> value) {
  a("name", value.name);
  a("value", value.value);
  a("sd", value.sd);
  a("naive_sd", value.naive_sd);
  a("low", value.low);
  a("high", value.high);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::CalibratedParameterFacts> value) {
  a("name", value.name);
  a("value", value.value);
  a("initial", value.initial);
  a("sd", value.sd);
  a("naive_sd", value.naive_sd);
  a("low", value.low);
  a("high", value.high);
  a("prior_mean", value.prior_mean);
  a("prior_sd", value.prior_sd);
  a("moved", value.moved);
  a("told_by_data", value.told_by_data);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::CalibrationTrialFacts> trial) {
  a("trial", trial.trial);
  a("file", trial.file);
  a("frames", trial.frames);
  a("all_frames", trial.all_frames);
  a("markers", trial.markers);
  a("only_model", trial.only_model);
  a("only_data", trial.only_data);
  a("rms", trial.rms);
  a("rms_all", trial.rms_all);
  a("start_rms", trial.start_rms);
  a("lag_one", trial.lag_one);
  a("inflation", trial.inflation);
  a("effective_frames", trial.effective_frames);
  a("seconds", trial.seconds);
  a("by_blocks", trial.by_blocks);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::FunctionalJointFacts> joint) {
  a("trial", joint.trial);
  a("joint", joint.joint);
  a("what", joint.what);
  a("axes", joint.axes);
  a("apart", joint.apart);
  a("distance", joint.distance);
  a("half_axis", joint.half_axis);
  a("gap", joint.gap);
  a("frames", joint.frames);
  a("is_prior", joint.is_prior);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::TrialAdds> adds) {
  a("trial", adds.trial);
  a("length", adds.length);
  a("sd", adds.sd);
  a("sd_without", adds.sd_without);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::FurtherTrial> trial) {
  a("coordinates", trial.coordinates);
  a("low", trial.low);
  a("high", trial.high);
  a("length", trial.length);
  a("sd", trial.sd);
  a("promised_sd", trial.promised_sd);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::MarkerArtefactFacts> artefact) {
  a("trial", artefact.trial);
  a("marker", artefact.marker);
  a("rms", artefact.rms);
  a("noise", artefact.noise);
  a("seconds", artefact.seconds);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Calibration> calibration) {
  header_fields(a, calibration.verdict.version, "calibrate");
  a("model", calibration.model);
  verdict_fields(a, calibration.verdict);
  a("origin", calibration.verdict.origin);
  a("sigma", calibration.sigma);
  a("marker_sd", calibration.marker_sd);
  a("rms", calibration.rms);
  a("iterations", calibration.iterations);
  a("num_undetermined", calibration.num_undetermined);
  a("num_by_prior", calibration.num_by_prior);
  a("undetermined", calibration.undetermined);
  a("trials", calibration.trials);
  a("parameters", calibration.parameters);
  a("lengths", calibration.lengths);
  a("shapes", calibration.shapes);
  a("functional", calibration.functional);
  a("adds", calibration.adds);
  a("further", calibration.further);
  a("artefacts", calibration.artefacts);
}

std::string result_text(const result::InverseKinematics& ik) {
  return indented_text(ik);
}
std::string result_text(const result::Calibration& calibration) {
  return indented_text(calibration);
}
result::InverseKinematics read_inverse_kinematics_text(std::string_view text,
                                                       const std::string& file) {
  return read_result<result::InverseKinematics>(text, file, "ik");
}
result::Calibration read_calibration_text(std::string_view text, const std::string& file) {
  return read_result<result::Calibration>(text, file, "calibrate");
}

}  // namespace parfait::io
