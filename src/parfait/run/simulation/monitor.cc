#include "parfait/run/simulation/monitor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace parfait::run {

Monitor::Monitor(const dynamics::System& system, dynamics::ConstVec p, bool has_energy)
    : system_(system),
      workspace_(system.make_workspace(0)),
      residuals_(system.sizes().num_pos + system.sizes().num_vel) {
  system.bind(*workspace_, p);
  if (!has_energy) return;
  const std::array<std::string, 2> names{"energy.total", "energy.kinetic"};
  energies_ = system.make_observer(names);
}

void Monitor::observe(double t, dynamics::ConstVec y, dynamics::Mode mode) {
  if (!residuals_.empty()) {
    system_.invariants(*workspace_, t, y, residuals_);
    for (std::size_t i = 0; i < residuals_.size(); ++i) {
      if (std::abs(residuals_[i]) <= largest_residual_) continue;
      largest_residual_ = std::abs(residuals_[i]);
      largest_residual_row_ = static_cast<int>(i);
      largest_residual_time_ = t;
    }
  }
  if (!energies_) return;
  std::array<double, 2> energy{};
  const dynamics::Point point{.t = t, .y = y, .z = {}, .mode = mode, .offset = {}};
  if (system_.observe(*workspace_, *energies_, point, energy) != dynamics::Status::kOk) return;
  if (!begun_) first_energy_ = energy[0];
  begun_ = true;
  largest_energy_change_ = std::max(largest_energy_change_, std::abs(energy[0] - first_energy_));
  largest_kinetic_energy_ = std::max(largest_kinetic_energy_, energy[1]);
}

double Monitor::relative_energy_change() const {
  return largest_kinetic_energy_ > 0 ? largest_energy_change_ / largest_kinetic_energy_ : 0;
}

}  // namespace parfait::run
