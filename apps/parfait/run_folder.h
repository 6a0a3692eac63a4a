#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace parfait::app {

using Json = nlohmann::ordered_json;

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
  void write_json(const std::string& name, const Json& json);
  /// Takes the place of the folder that was there.
  void commit();

  const std::filesystem::path& target() const { return target_; }

 private:
  std::filesystem::path target_, staging_;
};

}  // namespace parfait::app
