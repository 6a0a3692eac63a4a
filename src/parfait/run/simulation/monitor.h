#pragma once

#include <memory>
#include <vector>

#include "parfait/dynamics/system.h"

namespace parfait::run {

/// Watches what should not change along a motion: the invariants and, in mechanics, the energy.
class Monitor {
 public:
  Monitor(const dynamics::System& system, dynamics::ConstVec p, bool has_energy);

  /// A point of the motion.
  void observe(double t, dynamics::ConstVec y, dynamics::Mode mode);

  double largest_residual() const { return largest_residual_; }       ///< max |g| so far
  int largest_residual_row() const { return largest_residual_row_; }  ///< its invariant; -1: none
  double largest_residual_time() const { return largest_residual_time_; }
  double initial_energy() const { return first_energy_; }
  double largest_energy_change() const { return largest_energy_change_; }
  double largest_kinetic_energy() const { return largest_kinetic_energy_; }
  /// As a part of the largest kinetic energy; 0 if nothing moves.
  double relative_energy_change() const;

 private:
  const dynamics::System& system_;
  std::unique_ptr<dynamics::Workspace> workspace_;
  std::unique_ptr<dynamics::System::Observer> energies_;  ///< total and kinetic; null: none
  std::vector<double> residuals_;
  bool begun_ = false;
  double largest_residual_ = 0, largest_residual_time_ = 0;
  int largest_residual_row_ = -1;
  double first_energy_ = 0;
  double largest_energy_change_ = 0;
  double largest_kinetic_energy_ = 0;
};

}  // namespace parfait::run
