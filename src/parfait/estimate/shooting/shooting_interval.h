#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "parfait/dynamics/system.h"
#include "parfait/integrate/driver/integrator.h"
#include "parfait/integrate/driver/sample.h"

namespace parfait::estimate {

/// One shooting interval [t0, t1]: integrates from a node and observes quantities at given times on
/// the way, with derivatives along any directions of the node and the parameters.
///
/// Samples at t0 are those of the node itself; others come from the continuous extension, projected
/// onto the invariants, and never shorten a step. t0 = t1 is an end node: nothing is integrated.
/// Used by one thread at a time.
class ShootingInterval {
 public:
  ShootingInterval(const dynamics::System& system, const dynamics::System::Observer& observer,
                   const integrate::Options& options, double t0, double t1,
                   std::vector<double> times, bool watches_events = false);

  /// Some quantities are joint angles, which are continued beyond half a turn from what they are at
  /// t0; `observer` sees them alone. Both outlive this.
  void follow_angles(const dynamics::System::Observer& observer, std::vector<int> quantities);

  /// The parameters p and the node (y, z), and what to differentiate along: dp (np x k), W = dy
  /// (ny x k), dz (nz x k); no columns: values only.
  struct Start {
    std::vector<double> p, y, z;
    dynamics::Directions dp, W, dz;
  };
  /// False: no solution to t1; why() says it. With `record` the steps can be taken again.
  [[nodiscard]] bool run(const Start& start, bool record = false);
  /// The steps of the last recorded run again, from this start.
  [[nodiscard]] bool replay(const Start& start);
  /// The steps of the last recorded run, for another interval of the same model.
  const integrate::Record& record() const { return record_; }
  /// Steps for replay(); where the interval has another length, they have it, too.
  void set_record(const integrate::Record& record);
  const std::string& why() const { return why_; }
  /// The last run failed because rates of the model held an explicit method to tiny steps.
  bool is_stiff() const { return is_stiff_; }
  void set_method(integrate::Method method) { options_.method = method; }

  double t0() const { return t0_; }
  double t1() const { return t1_; }
  int num_samples() const { return static_cast<int>(times_.size()); }
  /// Blocks of derivatives(): one per sample, then one with the times of events, if they are
  /// watched.
  int num_watched() const { return static_cast<int>(derivatives_.size()); }

  // Of the last run.
  const std::vector<double>& y1() const { return state_.y; }
  const std::vector<double>& z1() const { return state_.z; }
  const dynamics::Directions& W1() const { return state_.W; }
  /// One column per sample time.
  const Eigen::MatrixXd& values() const { return values_; }
  /// Derivatives of the quantities at a sample time (quantities x k), or of the times of all
  /// events (events x k).
  const Eigen::MatrixXd& derivatives(int block) const { return derivatives_[block]; }
  const std::vector<integrate::Event>& events() const { return events_; }
  /// The angles that are followed, at t0 (within half a turn) and at t1.
  const std::vector<double>& first_angles() const { return first_angles_; }
  const std::vector<double>& last_angles() const { return angles_; }
  const integrate::Statistics& statistics() const { return statistics_; }

 private:
  bool integrate(const Start& start, const integrate::Record* repeat, integrate::Record* record);
  void bind(const Start& start);
  bool take(const integrate::AcceptedStep& step);
  bool observe();  ///< the quantities of the sample
  void take_event_times(int num_directions);
  bool look_at_angles(double t, const std::vector<double>& y, const std::vector<double>& z,
                      dynamics::Mode mode);
  bool turn_with(const integrate::AcceptedStep& step, double from, double to);

  const dynamics::System& system_;
  const dynamics::System::Observer& observer_;
  integrate::Options options_;
  double t0_, t1_;
  std::vector<double> times_;
  bool watches_events_;

  int capacity_ = -1;  ///< directions that the workspaces hold
  std::unique_ptr<dynamics::Workspace> flow_workspace_, observer_workspace_;
  integrate::State state_;
  integrate::Record record_;
  int next_ = 0;  ///< sample
  integrate::Sample sample_;
  std::vector<double> quantity_;
  dynamics::Directions dquantity_;
  Eigen::MatrixXd values_;
  std::vector<Eigen::MatrixXd> derivatives_;
  std::vector<integrate::Event> events_;
  integrate::Statistics statistics_;
  std::string why_;
  bool is_stiff_ = false;

  const dynamics::System::Observer* angle_observer_ = nullptr;  ///< null: none are followed
  std::vector<int> angle_quantities_;
  std::vector<double> first_angles_, angles_, angle_values_, look_;
};

}  // namespace parfait::estimate
