#include "parfait/run/job/run_folder.h"

#include <unistd.h>

#include "parfait/base/error.h"
#include "parfait/io/results/result_json.h"
#include "parfait/io/text/text_file.h"

namespace parfait::run {
namespace fs = std::filesystem;
namespace {

/// Without a slash at its end: "run/" means "run".
fs::path normal(const fs::path& target) {
  const fs::path path = fs::absolute(target).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

/// ".name.kind-123" beside the target: same file system, so that it can be renamed.
fs::path sibling(const fs::path& target, const char* kind) {
  const std::string name =
      "." + target.filename().string() + "." + kind + "-" + std::to_string(getpid());
  return target.parent_path() / name;
}

}  // namespace

void check_replaceable(const fs::path& target) {
  const fs::path path = normal(target);
  if (!fs::exists(path)) return;
  if (fs::is_directory(path) && (fs::is_empty(path) || io::is_result_folder(path))) return;
  throw base::InputError("--out " + target.string() +
                         ": exists and holds no result.json of parfait, so it is not replaced. "
                         "Choose another folder or remove this one.");
}

RunFolder::RunFolder(const fs::path& target) : target_(normal(target)) {
  check_replaceable(target);
  staging_ = sibling(target_, "partial");
}

RunFolder::~RunFolder() {
  std::error_code ignored;
  fs::remove_all(staging_, ignored);
}

void RunFolder::write(const std::string& name, std::string_view text) {
  fs::create_directories((staging_ / name).parent_path());
  io::write_text_file(staging_ / name, text);
}

void RunFolder::commit() {
  if (!fs::exists(target_)) {
    fs::rename(staging_, target_);
    return;
  }
  const fs::path old = sibling(target_, "old");
  fs::rename(target_, old);
  fs::rename(staging_, target_);
  fs::remove_all(old);
}

}  // namespace parfait::run
