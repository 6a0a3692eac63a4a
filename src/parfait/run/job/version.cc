#include "parfait/run/job/version.h"

namespace parfait::run {

const char* version() {
  return PARFAIT_VERSION;
}

}  // namespace parfait::run
