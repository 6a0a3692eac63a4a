#include "plugin.h"

#include <dlfcn.h>

#include <filesystem>

#include "parfait/base/error.h"
#include "parfait/plugin.h"

namespace parfait::app {
namespace {

std::size_t count_types() {
  const auto& types = registry();
  return types.joint_keys().size() + types.force_keys().size() + types.event_keys().size();
}

}  // namespace

void load_plugin(const std::string& file) {
  if (!std::filesystem::exists(file)) {
    throw base::InputError("--plugin " + file + ": there is no such file.");
  }
  // With a slash in the name the loader takes this very file instead of searching for it.
  const std::string path = std::filesystem::absolute(file).string();
  const auto before = count_types();
  if (!dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    throw base::InputError("--plugin " + file + ": cannot be loaded: " + dlerror());
  }
  if (count_types() == before) {
    throw base::InputError("--plugin " + file +
                           ": registers no element type, so it is not a plug-in of parfait, or it "
                           "was given twice.");
  }
}

}  // namespace parfait::app
