#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace parfait::run {

/// The folder a run leaves behind. Files collect in a hidden sibling and appear under the final
/// name in one piece, so a reader never sees half a run.
class RunFolder {
 public:
  /// InputError if `target` exists and is neither empty nor a run folder of ours.
  explicit RunFolder(const std::filesystem::path& target);
  ~RunFolder();  ///< removes what was not committed
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  /// `name` may lead into folders below.
  void write(const std::string& name, std::string_view text);
  /// Takes the place of the folder that was there.
  void commit();

  const std::filesystem::path& target() const { return target_; }

 private:
  std::filesystem::path target_, staging_;
};

/// InputError if a folder of that name must not be replaced: found before anything is computed.
void check_replaceable(const std::filesystem::path& target);

}  // namespace parfait::run
