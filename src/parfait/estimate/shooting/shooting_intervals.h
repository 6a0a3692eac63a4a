#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "parfait/estimate/experiment/experiment.h"
#include "parfait/estimate/shooting/node_placement.h"
#include "parfait/estimate/shooting/shooting_interval.h"
#include "parfait/estimate/shooting/trajectory.h"

namespace parfait::estimate {

/// All intervals of a shooting experiment, each with the node that it begins at: places the nodes,
/// integrates, keeps account.
class ShootingIntervals {
 public:
  /// Both must outlive it.
  ShootingIntervals(const ShootingLayout& layout, const FitOptions& options);

  const ShootingLayout& layout() const { return layout_; }
  const FitOptions& options() const { return options_; }
  const NodePlacement& placement() const { return placement_; }
  int size() const { return static_cast<int>(intervals_.size()); }
  PlacedNode& node(int i) { return intervals_[i].node; }
  const PlacedNode& node(int i) const { return intervals_[i].node; }
  ShootingInterval& interval(int i) { return *intervals_[i].integration; }
  const ShootingInterval& interval(int i) const { return *intervals_[i].integration; }

  /// From now on run() and run_seeded() keep the steps they take, or take those of `steps` (one
  /// record per interval) again.
  void keep_steps() { steps_ = Steps::kKept; }
  void repeat_steps(const std::vector<integrate::Record>& steps);
  std::vector<integrate::Record> kept_steps() const;

  /// All intervals in parallel, from the nodes of a point. `seeded`: along all directions of each
  /// node; `restrict` may then change what a placed node is integrated along. False: why().
  [[nodiscard]] bool run(const ShootingPoint& at);
  [[nodiscard]] bool run_seeded(const ShootingPoint& at,
                                const std::function<void(int, PlacedNode&)>& restrict);
  /// One interval along some directions; with `record` its steps can be taken again. False: why().
  [[nodiscard]] bool run_one(int i, const ShootingPoint& at, const Seeds& seeds,
                             const std::function<void(PlacedNode&)>& restrict);
  /// The recorded steps of run_one() again, along other directions from the same point.
  [[nodiscard]] bool replay_one(int i, const ShootingPoint& at, const Seeds& seeds);
  /// Places a node without integrating. False: why().
  [[nodiscard]] bool place_one(int i, const ShootingPoint& at, const Seeds& seeds);

  /// Values of the last run of interval i; the defects of all matching conditions; both of all.
  void take_values(int i, Trajectory& trajectory) const;
  void take_defects(Trajectory& trajectory) const;
  void take_all(Trajectory& trajectory) const;
  /// Directions of the end of interval i, scaled as the nodes are.
  Eigen::MatrixXd end_directions(int i) const;

  /// How much longer a change of the start of interval i is at its end, at most over the directions
  /// that were integrated; 0: none of them was one of the state.
  double growth(int i) const;

  /// An interval of the last run turned out to be stiff.
  bool is_stiff() const;
  void set_method(integrate::Method method);

  /// Why the last run failed; empty: it did not.
  const std::string& why() const { return why_; }
  void forget_failure() { why_.clear(); }
  void fail(const std::string& why) { why_ = why; }
  Work& work() { return work_; }
  const Work& work() const { return work_; }

 private:
  struct Interval {
    std::unique_ptr<dynamics::System> relaxed;      ///< what is integrated, if not the system
    std::unique_ptr<ShootingInterval> integration;  ///< of length 0 for an end node
    PlacedNode node;
    std::string why;  ///< the last run failed
  };
  enum class Steps : std::uint8_t { kChosen, kKept, kRepeated };
  bool integrate(Interval& interval) const;
  void account(int i);
  void continue_angles(int i, Trajectory& trajectory) const;
  bool account_all();
  std::string lost_start(int i) const;

  const ShootingLayout& layout_;
  const FitOptions& options_;
  NodePlacement placement_;
  std::vector<Interval> intervals_;
  std::string why_;
  Work work_;
  Steps steps_ = Steps::kChosen;
};

}  // namespace parfait::estimate
