#include "plugin.h"

#include <dlfcn.h>

#include <filesystem>

#include "parfait/base/error.h"

namespace parfait::app {

void load_plugin(const std::string& file) {
  if (!std::filesystem::exists(file)) {
    throw base::InputError("--plugin " + file + ": there is no such file.");
  }
  // With a slash in the name the loader takes this very file instead of searching for it.
  const std::string path = std::filesystem::absolute(file).string();
  if (!dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    throw base::InputError("--plugin " + file + ": cannot be loaded: " + dlerror());
  }
}

}  // namespace parfait::app
