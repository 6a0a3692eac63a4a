#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "parfait/dynamics/system.h"
#include "parfait/integrate/driver/integrator.h"
#include "parfait/integrate/driver/sample.h"
#include "parfait/result/table.h"
#include "parfait/run/simulation/sensitivities.h"

namespace parfait::run {

/// 0, step, 2 step, ... and `until`, which is always the last. InputError if that makes no sense.
std::vector<double> make_grid(double until, double step);

/// Samples quantities and their sensitivities while an integration runs: at given times from its
/// continuous extension, or at the end of every step. Each sample is projected onto the invariants,
/// its directions along with it. Uses a workspace of its own, so it never disturbs the integrator.
///
/// Events  A sample at the time of an event is the one before it; with every step there is a second
///         row, the one after. A terminal event ends the table with a row at its time.
class Recorder {
 public:
  /// InputError if a quantity does not exist. Times are ascending; none: every step.
  Recorder(const dynamics::System& system, dynamics::ConstVec p, Sensitivities sensitivities,
           std::vector<std::string> quantities, std::vector<double> times,
           const integrate::Options& options);

  /// Called with every point that becomes a row.
  void set_on_row(std::function<void(const integrate::Sample&)> on_row) {
    on_row_ = std::move(on_row);
  }

  /// The row at the start, then the rows of each accepted step, then what the end adds.
  void start(const integrate::State& state);
  void add(const integrate::AcceptedStep& step);
  /// Whether a row before t is missing: it was stopped in the middle of a step.
  bool is_behind(double t) const;
  void finish(const integrate::State& state, const integrate::Result& result);

  /// Not kOk if a sample could not be computed; nothing is recorded from then on.
  dynamics::Status status() const { return status_; }
  /// One sentence that says where and what, if the status is not kOk.
  std::string message() const;

  /// Column t, then one per quantity (columns that are a joint angle are continued beyond half a
  /// turn), then d<quantity>/d<name> for each quantity and sensitivity.
  result::Table table() const;

 private:
  bool every_step() const { return times_.empty(); }
  void take(const integrate::AcceptedStep& step, double t);
  void take(const integrate::State& state);
  void record();
  /// Counts the turns of joint angles along a step, however far apart the rows are.
  void follow_angles(const integrate::AcceptedStep& step, double from, double to);
  void continue_angles();

  const dynamics::System& system_;
  Sensitivities sensitivities_;
  std::unique_ptr<dynamics::Workspace> workspace_;
  std::vector<std::string> quantities_;
  std::unique_ptr<dynamics::System::Observer> observer_;
  std::vector<double> times_;
  integrate::Options options_;
  bool may_terminate_ = false;

  integrate::Sample sample_;
  std::vector<double> values_;
  dynamics::Directions dvalues_;
  std::unique_ptr<dynamics::System::Observer> angle_observer_;  ///< null: no column is an angle
  std::vector<int> angle_columns_;
  std::vector<double> angle_values_;  ///< as observed, within half a turn
  std::vector<double> angles_;        ///< the same, continued beyond half a turn
  bool has_angles_ = false;
  std::vector<double> recorded_t_;
  std::vector<std::vector<double>>
      recorded_;  ///< columns of the quantities, then of the directions
  std::size_t next_ = 0;
  bool has_row_ = false;                               ///< of the point where the next step begins
  std::optional<std::vector<std::int8_t>> last_mode_;  ///< of the last step, if there was one
  dynamics::Status status_ = dynamics::Status::kOk;
  std::function<void(const integrate::Sample&)> on_row_;
};

}  // namespace parfait::run
