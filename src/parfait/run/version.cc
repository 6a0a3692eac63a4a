#include "parfait/run/version.h"

namespace parfait::run {

const char* version() {
  return PARFAIT_VERSION;
}

}  // namespace parfait::run
