#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace parfait::run {

/// InputError if a folder of that name must not be replaced: it is neither empty nor a result, or
/// holds a file that its result.json does not list (docs/faults.md). Found before anything is
/// computed.
void check_replaceable(const std::filesystem::path& target);

/// The right to write a folder, from before the computation until the result is in place: two runs
/// into one folder would replace each other. While it lives, a file ".name.lock" beside the folder
/// is locked; it ends with the process, however that ends. Making it also brings back the old
/// result, or finishes the removal, where an earlier run was killed in the middle.
class FolderClaim {
 public:
  /// InputError if check_replaceable says so, or another run has claimed the folder.
  explicit FolderClaim(const std::filesystem::path& target);
  ~FolderClaim();
  FolderClaim(const FolderClaim&) = delete;
  FolderClaim& operator=(const FolderClaim&) = delete;

  /// Absolute, without a slash at its end, links followed.
  const std::filesystem::path& target() const { return target_; }

 private:
  void release();

  std::filesystem::path target_, lock_file_;
  std::vector<std::filesystem::path> made_;  ///< folders above, which go if they stay empty
  int lock_ = -1;
};

/// The folder a run leaves behind. Files collect in a hidden sibling and appear under the final
/// name in one step, so that neither a reader nor a killed program ever leaves half a run: old and
/// new folder are exchanged, and only then is the old one removed, file by file as its result.json
/// lists them. A file of somebody else is never touched.
class RunFolder {
 public:
  /// `claim` may have been made before the computation; without one it is made here.
  explicit RunFolder(const std::filesystem::path& target, std::shared_ptr<FolderClaim> claim = {});
  ~RunFolder();  ///< removes what was not committed
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  /// `name` may lead into folders below. InputError if it cannot be written completely.
  void write(const std::string& name, std::string_view text);
  /// What was written so far and `more`, sorted: what result.json lists as `outputs`.
  std::vector<std::string> outputs(const std::vector<std::string>& more) const;
  /// Takes the place of the folder that was there. Returns where the result is: the target, or,
  /// where somebody has put a file of their own into it meanwhile, a new folder beside it.
  std::filesystem::path commit();

  const std::filesystem::path& target() const { return claim_->target(); }

 private:
  std::shared_ptr<FolderClaim> claim_;
  std::filesystem::path staging_;
  std::set<std::string> names_;
};

}  // namespace parfait::run
