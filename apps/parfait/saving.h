#pragma once

#include <filesystem>
#include <functional>
#include <optional>

namespace parfait::app {

/// Saves a result. What was computed is not lost where that fails (a full disk): the reason is told
/// on standard error, the result can still be printed, and there is no folder.
std::optional<std::filesystem::path> save_or_tell(
    const std::filesystem::path& out, const std::function<std::filesystem::path()>& save);

}  // namespace parfait::app
