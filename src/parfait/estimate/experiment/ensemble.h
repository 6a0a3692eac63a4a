#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "parfait/estimate/experiment/experiment.h"
#include "parfait/estimate/experiment/shared_block.h"
#include "parfait/estimate/experiment/team.h"
#include "parfait/estimate/iteration/least_squares_problem.h"
#include "parfait/estimate/linear/curved_step.h"
#include "parfait/estimate/linear/linear_fit.h"
#include "parfait/estimate/problem/variables.h"

namespace parfait::estimate {

/// All experiments of a problem as one least squares problem in
///
///   x = (p | x_1 | x_2 | ...)      shared parameters, then the variables of each experiment.
///
/// Experiments are evaluated in parallel, on threads and on the processes of a team. Each condenses
/// its own equations; LinearFit solves what is left for all together.
class Ensemble : public LeastSquaresProblem {
 public:
  /// `requirements` are those of the shared parameters alone.
  Ensemble(Unknowns shared, const std::vector<Requirement>& requirements,
           std::vector<std::unique_ptr<Experiment>> experiments, const LinearFitOptions& options,
           Team& team);
  ~Ensemble() override;

  int num_variables() const override { return offsets_.back(); }
  /// The first guess; false: it cannot be had.
  [[nodiscard]] bool initialize(Eigen::VectorXd& x);
  Values evaluate(VecIn x) override;
  Values linearize(VecIn x) override;
  std::string why() const override { return why_; }
  Eigen::VectorXd increment() override;
  Eigen::VectorXd remainder() override;
  Eigen::VectorXd increment_of(VecIn r1) override;
  [[nodiscard]] bool damp(double lambda) override;
  void damp_no_more() override;
  void set_curved(bool on) override;
  double model_objective() override;
  bool has_natural_level() const override { return !is_likelihood_; }
  bool has_inequalities() const override;
  void set_unbounded(bool on) override { unbounded_ = on; }
  Eigen::VectorXd into_bounds(VecIn x) const override;
  double longest_step(VecIn dx) const override;
  Eigen::VectorXd noise_increment() override;
  Eigen::VectorXd correction() override;
  Eigen::VectorXd adopt(VecIn x) override;
  /// Nodes go onto the constraints after each step.
  void set_consistent(bool consistent) { consistent_ = consistent; }
  double noise() const override { return noise_; }
  void set_noise(double noise) { noise_ = noise; }
  /// The factor of covariances, for precision(): as in the summary of a fit.
  void set_sigma_known(bool known) { sigma_known_ = known; }
  const Eigen::VectorXd& weights() const override { return weights_; }
  Precision precision(VecIn x, bool with_deviations) override;
  int rank() const override { return linear_.rank(); }
  int num_free() const override { return linear_.num_free(); }
  double condition() const override { return linear_.condition(); }

  const Unknowns& shared() const { return shared_; }
  int num_experiments() const { return static_cast<int>(experiments_.size()); }
  Experiment& experiment(int e) { return *experiments_[static_cast<std::size_t>(e)]; }
  const Experiment& experiment(int e) const { return *experiments_[static_cast<std::size_t>(e)]; }
  /// The part of x that belongs to an experiment.
  Eigen::VectorXd variables_of(int e, VecIn x) const;
  int offset_of(int e) const { return offsets_[static_cast<std::size_t>(e)]; }

  /// Where the last linearize() was, if it could be solved; otherwise empty.
  const Eigen::VectorXd& linearization_point() const { return point_; }
  /// Of the last linearize(): block e + 1 belongs to experiment e, block 0 to the shared
  /// parameters.
  const LinearFit& linear() const { return linear_; }
  const std::vector<Block>& blocks() const { return blocks_; }
  /// The same for statistics: inequalities are equations where x, the point of the last
  /// linearize(), lies on them, and nothing where it does not (the increment of linear() may lead
  /// to others).
  const LinearFit& linear_on_bounds(VecIn x);
  /// Residuals of the last point, priors of shared parameters first, then experiment by experiment.
  Eigen::VectorXd residuals() const;
  /// Residuals of one experiment, whoever owns it.
  const Eigen::VectorXd& residuals_of(int e) const {
    return residuals_[static_cast<std::size_t>(e) + 1];
  }
  /// What its likelihood says at the last point; without a model's values: it is a sum of squares.
  const NoiseValues& noise_of(int e) const { return noise_values_[static_cast<std::size_t>(e)]; }
  /// The objective is -2 log L instead of a sum of squares (experiment.h).
  bool is_likelihood() const { return is_likelihood_; }
  /// Of the experiments: from the next linearize() on.
  void set_expected_information(bool expected);
  /// All variables of an experiment as a linear function of increments (of the last linearize()),
  /// x = by_xi xi + by_p p, and the state at its first node; of the owner, for everybody.
  struct Expansion {
    Eigen::MatrixXd by_xi, by_p;
    Eigen::VectorXd first_state;

    /// 1 / |row of (by_xi by_p)| with xi and p in units of their columns: a change of this variable
    /// times its scale is one of the data, in sigma, roughly. 0: nothing moves it.
    Eigen::VectorXd scales(const ColumnScales& columns, int experiment) const;
  };
  std::vector<Expansion> expansions();
  const SharedBlock& shared_block() const { return shared_block_; }
  /// Other requirements of the shared parameters: the same experiments as another problem, which
  /// remembers nothing of the one before.
  void set_requirements(const std::vector<Requirement>& requirements);
  /// Of all experiments, on all processes.
  Work work() const;
  std::vector<std::string> remarks() const;

 private:
  Values visit(VecIn x, bool with_derivatives);
  void exchange(bool with_derivatives);
  std::string what_is_not_finite() const;
  Eigen::VectorXd expand(const LinearSolution& solution, bool with_values);
  double objective(VecIn r) const;
  double likelihood_objective() const;
  void set_weights(VecIn x);
  double data_size() const;
  ColumnScales variable_sizes(VecIn x) const;

  Unknowns shared_;
  SharedBlock shared_block_;
  std::vector<std::unique_ptr<Experiment>> experiments_;
  LinearFitOptions options_;
  Team& team_;
  std::vector<int> offsets_;  ///< of each experiment's variables in x, and the end

  std::string why_;
  Eigen::VectorXd point_;    ///< of the last linearize()
  Eigen::VectorXd visited_;  ///< the last point
  std::vector<Block> blocks_, damped_blocks_;
  std::vector<RightSide> rights_;
  std::vector<Eigen::VectorXd> residuals_;  ///< of each block
  std::vector<NoiseValues> noise_values_;   ///< of each experiment
  bool is_likelihood_ = false;
  double objective_ = 0, offset_ = 0;  ///< of the last linearize()
  std::vector<double> infeasibility_, relative_infeasibility_;
  std::vector<std::string> failures_;  ///< of each experiment; empty: it exists
  bool at_linearization_ = false;      ///< the last point is that of the last linearize()
  bool linearized_ = false;            ///< once: before, there is nothing to condense with
  bool consistent_ = false;
  bool unbounded_ = false;
  double noise_ = 0;
  bool sigma_known_ = false;
  LinearFit linear_, on_bounds_;
  WorkingSet working_set_;
  /// Steps with curvature (set_curved()).
  struct Curved {
    bool on = false;
    bool preferred = false;  ///< the model with curvature predicted the last step better
    SecantCurvature secant;
    ColumnScales damping;                ///< D
    std::optional<LinearSolution> step;  ///< of the last damp()
    double decrease = 0;                 ///< that its model promises
  };
  Curved curved_;
  bool is_curved() const;
  bool prefers_curvature();
  void update_damping_scales();
  void learn(const std::vector<Block>& before, const std::vector<RightSide>& here,
             const Eigen::VectorXd& from, VecIn to, double objective_before);
  Eigen::VectorXd weights_;  ///< of |dx|, from the first linearize() on
  ColumnScales sizes_;       ///< of the variables at the last linearize()
  double damping_ = 0;       ///< D of damp(): largest column norm at the first point
};

}  // namespace parfait::estimate
