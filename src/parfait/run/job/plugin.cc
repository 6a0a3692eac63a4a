#include "parfait/run/job/plugin.h"

#include <dlfcn.h>

#include <filesystem>

#include "parfait/base/error.h"
#include "parfait/mechanism/elements/registry.h"

namespace parfait::run {
namespace {

std::size_t count_types() {
  const auto& types = mechanism::registry();
  return types.joint_keys().size() + types.force_keys().size() + types.event_keys().size();
}

/// A plug-in finds the library where this function lies. Python loads its modules so that nobody
/// else sees what is in them; the executable is always seen.
void show_own_symbols() {
  Dl_info where{};
  if (dladdr(reinterpret_cast<const void*>(&load_plugin), &where) == 0) return;
  dlopen(where.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
}

}  // namespace

void load_plugin(const std::string& file) {
  if (!std::filesystem::exists(file)) {
    throw base::InputError("plug-in " + file + ": there is no such file.");
  }
  // With a slash in the name the loader takes this very file instead of searching for it.
  const std::string path = std::filesystem::absolute(file).string();
  show_own_symbols();
  const auto before = count_types();
  if (dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) {
    throw base::InputError("plug-in " + file + ": cannot be loaded: " + dlerror());
  }
  if (count_types() == before) {
    throw base::InputError("plug-in " + file +
                           ": registers no element type, so it is not a plug-in of parfait, or it "
                           "was given twice.");
  }
}

}  // namespace parfait::run
