#include "saving.h"

#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "interrupt.h"

namespace parfait::app {

std::optional<std::filesystem::path> save_or_tell(
    const std::filesystem::path& out, const std::function<std::filesystem::path()>& save) {
  InterruptWatch::begin();  // it is written to its end, or not at all
  try {
    const auto folder = save();
    if (std::filesystem::absolute(folder).filename() !=
        std::filesystem::absolute(out / "").lexically_normal().parent_path().filename()) {
      fmt::print(stderr,
                 "--out {}: somebody has put a file there during the run. It is kept; the results "
                 "are in {}.\n",
                 out.string(), folder.string());
      return folder;
    }
    return out;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{} The results are not saved.\n", error.what());
    return std::nullopt;
  }
}

}  // namespace parfait::app
