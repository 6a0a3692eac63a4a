#include "parfait/dynamics/system.h"

namespace parfait::dynamics {

const char* text(Status status) {
  switch (status) {
    case Status::kOk:
      return "ok";
    case Status::kNotFinite:
      return "a value became infinite or undefined";
    case Status::kSingular:
      return "the system is singular at this point";
    case Status::kProjectionFailed:
      return "the projection onto the constraints did not converge";
  }
  return "unknown";
}

}  // namespace parfait::dynamics
