#include "parfait/io/results/json_archive.h"
#include "parfait/io/results/result_json.h"

// result.json of a batch of subjects.
namespace parfait::io {

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::BatchSubject> subject) {
  a("subject", subject.subject);
  a("status", subject.status);
  a("message", subject.message);
  a("trials", subject.trials);
  a("frames", subject.frames);
  a("rms_before", subject.rms_before);
  a("rms", subject.rms);
  a("warnings", subject.warnings);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Batch> batch) {
  header_fields(a, batch.verdict.version, "batch");
  a("folder", batch.folder);
  a("model", batch.model);
  a("work", batch.work);
  verdict_fields(a, batch.verdict);
  a("origin", batch.verdict.origin);
  a("subjects", batch.subjects);
}

std::string result_text(const result::Batch& batch) {
  return indented_text(batch);
}
result::Batch read_batch_text(std::string_view text, const std::string& file) {
  return read_result<result::Batch>(text, file, "batch");
}

}  // namespace parfait::io
