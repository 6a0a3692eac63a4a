#pragma once

#include <memory>
#include <string>
#include <vector>

#include "parfait/dynamics/system.h"
#include "parfait/integrate/integrate.h"
#include "parfait/io/csv.h"

namespace parfait::app {

/// 0, step, 2 step, ... and `until`, which is always the last. InputError if that makes no sense.
std::vector<double> make_grid(double until, double step);

/// Samples quantities at given times while an integration runs, from its dense output, each sample
/// projected onto the invariants. Uses a workspace of its own, so it never disturbs the integrator.
class Recorder {
 public:
  /// InputError if a quantity does not exist. Times are ascending.
  Recorder(const dynamics::System& system, dynamics::ConstVec p,
           std::vector<std::string> quantities, std::vector<double> times,
           const integrate::Options& options);

  /// Rows up to t0, where the state is y; then rows inside each accepted step.
  void start(double t0, dynamics::ConstVec y);
  void add(const integrate::Step& step);

  /// Not kOk if a sample could not be evaluated; nothing is recorded from then on.
  dynamics::Status status() const { return status_; }
  /// Column t, then one per quantity; joint angles are continued beyond half a turn.
  io::CsvTable table() const;
  double initial_energy() const { return first_energy_; }
  double largest_energy_change() const { return largest_energy_change_; }
  double largest_residual() const { return largest_residual_; }  ///< max |g| over the rows

 private:
  void record(double t);

  const dynamics::System& system_;
  std::unique_ptr<dynamics::Workspace> workspace_;
  std::vector<std::string> quantities_;
  std::unique_ptr<dynamics::System::Observer> observer_;  ///< the quantities, then energy.total
  std::vector<double> times_;
  integrate::Options options_;

  std::vector<double> y_, values_, residuals_;
  std::vector<double> recorded_t_;
  std::vector<std::vector<double>> recorded_;  ///< one column per quantity
  std::size_t next_ = 0;
  dynamics::Status status_ = dynamics::Status::kOk;
  double first_energy_ = 0;
  double largest_energy_change_ = 0;
  double largest_residual_ = 0;
};

}  // namespace parfait::app
