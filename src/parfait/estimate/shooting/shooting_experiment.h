#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "parfait/estimate/experiment/experiment.h"
#include "parfait/estimate/shooting/reduction.h"
#include "parfait/estimate/shooting/shooting_intervals.h"
#include "parfait/estimate/shooting/shooting_layout.h"
#include "parfait/estimate/shooting/trajectory.h"

namespace parfait::estimate {

/// An experiment with a dynamic model, by multiple shooting: on each interval of the grid the model
/// is integrated from its own node, and the nodes are unknowns that matching conditions connect.
///
///   shooting_layout.h     what its variables and rows are
///   node_placement.h      where its intervals begin
///   first_nodes.h         first values of the nodes
///   shooting_intervals.h  integrates
///   reduction.h           derivatives, and the elimination of the matching conditions
///   rows.h                residuals, requirements and bounds, made of what was seen
///
/// See  docs/theory/multiple_shooting.md
class ShootingExperiment final : public Experiment {
 public:
  ShootingExperiment(const ExperimentDescription& description, const Unknowns& shared,
                     const FitOptions& options);

  const ExperimentLayout& layout() const override { return layout_.experiment; }
  bool initialize(VecIn p, Eigen::VectorXd& x) override;
  bool evaluate(VecIn x, VecIn p) override;
  bool linearize(VecIn x, VecIn p) override;
  std::string why() const override { return intervals_.why(); }
  const Eigen::VectorXd& residuals() const override { return residuals_; }
  const NoiseValues* noise() const override {
    return layout_.likelihood.empty() ? nullptr : &noise_;
  }
  void set_expected_information(bool expected) override { expected_information_ = expected; }
  double infeasibility() const override;
  double relative_infeasibility() const override;
  const Block& block() const override { return block_; }
  RightSide right_side() const override;
  Eigen::VectorXd expand(VecIn xi, VecIn p, bool with_values) const override;
  Eigen::VectorXd into_bounds(VecIn x) const override;
  Eigen::VectorXd onto_manifold(VecIn x, VecIn p) override;
  Eigen::VectorXd first_state() const override;
  Work work() const override { return intervals_.work(); }
  std::vector<std::string> remarks() const override;

  /// From now on evaluate() and linearize() keep the steps they take, or take those of an
  /// experiment that differs in numbers only. Not for reduction fixfit, which has records of its
  /// own.
  void keep_steps() { intervals_.keep_steps(); }
  void repeat_steps(const std::vector<integrate::Record>& steps) { intervals_.repeat_steps(steps); }
  std::vector<integrate::Record> kept_steps() const { return intervals_.kept_steps(); }

  ReductionMethod reduction() const { return reduction_method_; }
  /// Of the last linearize(): how much a change of a node grows within its interval, at most.
  double growth() const;

 private:
  /// Which switching functions passed zero, in which order, from one linearization to the next.
  struct Switching {
    std::vector<std::vector<std::pair<int, int>>>
        sequence;  ///< (function, sign after), by interval
    int linearizations = 0;
    int changed = 0;  ///< the last linearization whose sequence differed from the one before
  };
  bool change_if_stiff();
  bool collect_values();
  bool collect_likelihood();
  void fill_block();
  void weigh_rows();
  void watch_switches();
  Eigen::VectorXd node_sizes() const;

  ExperimentDescription description_;
  FitOptions options_;
  ShootingLayout layout_;
  ShootingIntervals intervals_;
  ReductionMethod reduction_method_;
  std::unique_ptr<Reduction> reduction_;

  Trajectory trajectory_;  ///< of the last point
  RightSide values_;       ///< of the rows there: data, equations, inequalities
  Eigen::VectorXd residuals_;
  NoiseValues noise_;
  bool expected_information_ = false;
  Condensed condensed_;
  bool linearized_ = false;
  Eigen::VectorXd node_sizes_;  ///< at the last linearize(): trial points are measured by the same
  bool was_stiff_ = false;      ///< some run was
  bool is_changed_ = false;     ///< the integrator, for that
  Block block_;
  Switching switching_;
};

}  // namespace parfait::estimate
