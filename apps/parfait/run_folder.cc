#include "run_folder.h"

#include <unistd.h>

#include "parfait/base/error.h"
#include "parfait/io/text_file.h"

namespace parfait::app {
namespace fs = std::filesystem;
namespace {

bool is_ours(const fs::path& folder) {
  const fs::path file = folder / "result.json";
  if (!fs::is_regular_file(file)) return false;
  const auto json = Json::parse(io::read_text_file(file), nullptr, /*allow_exceptions=*/false);
  return json.is_object() && json.value("program", "") == "parfait";
}

/// ".name.kind-123" beside the target: same file system, so that it can be renamed.
fs::path sibling(const fs::path& target, const char* kind) {
  const std::string name =
      "." + target.filename().string() + "." + kind + "-" + std::to_string(getpid());
  return target.parent_path() / name;
}

}  // namespace

RunFolder::RunFolder(const fs::path& target) : target_(fs::absolute(target).lexically_normal()) {
  if (!target_.has_filename()) target_ = target_.parent_path();  // "run/" means "run"
  if (fs::exists(target_) &&
      !(fs::is_directory(target_) && (fs::is_empty(target_) || is_ours(target_)))) {
    throw base::InputError("--out " + target.string() +
                           ": exists and holds no result.json of parfait, so it is not replaced. "
                           "Choose another folder or remove this one.");
  }
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

void RunFolder::write_json(const std::string& name, const Json& json) {
  write(name, json.dump(2) + "\n");
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

}  // namespace parfait::app
