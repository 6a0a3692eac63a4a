#include "parfait/dynamics/system.h"

#include <algorithm>

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

void System::start(Workspace&, Vec y, Vec) const {
  std::ranges::copy(initial_state(), y.begin());
}

void System::start_directions(Workspace&, Directions& dy) const {
  dy.resize(sizes().ny(), dy.count());
}

Status System::switches(Workspace&, const Point&, Vec) const {
  return Status::kOk;
}

void System::switch_directions(Workspace&, const PointDirections&, Directions&) const {}

Status System::jump(Workspace&, int, const Point& before, Vec after) const {
  std::ranges::copy(before.y, after.begin());
  return Status::kOk;
}

void System::jump_directions(Workspace&, const PointDirections& d, Directions& dafter) const {
  dafter = *d.dy;
}

}  // namespace parfait::dynamics
