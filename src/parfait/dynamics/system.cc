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
    case Status::kImpossible:
      return "the parameters make a mass negative";
  }
  return "unknown";
}

void System::start(Workspace&, Vec y, Vec) const {
  std::ranges::copy(initial_state(), y.begin());
}

void System::start_directions(Workspace&, Directions& dy) const {
  dy.resize(sizes().ny(), dy.count());
}

void System::invariant_directions(Workspace&, double, ConstVec, const PointDirections&,
                                  Directions& dg) const {
  dg.resize(sizes().num_pos + sizes().num_vel, dg.count());
}

std::vector<int> System::position_rows() const {
  std::vector<int> rows(static_cast<std::size_t>(sizes().num_vel), -1);
  for (int i = 0; i < std::min(sizes().num_pos, sizes().num_vel); ++i) {
    rows[static_cast<std::size_t>(i)] = i;
  }
  return rows;
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
