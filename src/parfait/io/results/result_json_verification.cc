#include "parfait/io/results/json_archive.h"
#include "parfait/io/results/result_json.h"

// What `parfait verify --json` prints.
namespace parfait::io {

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Verification::Problem> problem) {
  a("problem", problem.name);
  a("source", problem.source);
  a("method", problem.method);
  a("digits", problem.digits);
  a("expected", problem.expected);
  a("passed", problem.passed);
  a("seconds", problem.seconds);
  a.unless_empty("error", problem.error);
}

template <class Archive>
void fields(Archive& a, typename Archive::template Ref<result::Verification> verification) {
  header_fields(a, verification.version, "verify");
  a("status", verification.status);
  a("problems", verification.problems);
}

std::string result_text(const result::Verification& verification) {
  return indented_text(verification);
}

result::Verification read_verification_text(std::string_view text, const std::string& file) {
  return read_result<result::Verification>(text, file, "verify");
}

}  // namespace parfait::io
