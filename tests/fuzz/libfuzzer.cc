// One target for libFuzzer (clang): see CMakeLists.txt.
#include <cstddef>
#include <cstdint>
#include <string>

#include "parfait/base/error.h"
#include "targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto* const target = parfait::fuzz::find_target(PARFAIT_FUZZ_TARGET);
  try {
    target->run(std::string(reinterpret_cast<const char*>(data), size));
  } catch (const parfait::base::InputError&) {
    return 0;  // an answer
  }
  return 0;
}
