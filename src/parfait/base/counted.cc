#include "parfait/base/counted.h"

#include <fmt/format.h>

namespace parfait::base {

std::string counted(std::int64_t n, const char* one, const char* many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

}  // namespace parfait::base
