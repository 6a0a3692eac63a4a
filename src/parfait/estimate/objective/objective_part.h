#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "parfait/estimate/objective/objective.h"
#include "parfait/estimate/problem/measurements.h"
#include "parfait/estimate/problem/sample_rows.h"
#include "parfait/integrate/driver/adjoint.h"
#include "parfait/integrate/driver/integrator.h"
#include "parfait/integrate/driver/sample.h"
#include "parfait/integrate/hht/continuous_adjoint.h"

namespace parfait::estimate {

/// What one experiment contributes to an Objective.
class Objective::Part {
 public:
  Part(const Problem& problem, const ExperimentDescription& experiment, const Unknowns& unknowns,
       double memory, std::vector<std::string>& cost_names);

  const ExperimentDescription& experiment() const { return experiment_; }

  /// Adds to value.costs, and to dJ_dp if there is one. Adjoint variables go to `path`, if given.
  void evaluate(VecIn p, const GradientBy* by, int continuous_steps, ObjectiveValue& value,
                Eigen::VectorXd* dJ_dp, AdjointPath* path);

  /// What is measured, as residuals r(p) = (model - data) / sigma; and, after a run with a tape,
  /// the products with their Jacobian at that point. Empty text: it went well.
  int num_residuals() const { return num_residuals_; }
  std::string linearize(VecIn p, ObjectiveValue& value, Eigen::VectorXd& r);
  std::string times(VecIn v, ObjectiveValue& value, Eigen::VectorXd& dr);
  std::string transposed_times(VecIn u, Eigen::VectorXd& Jt_u);

 private:
  /// A number of the trajectory and what it costs: itself, or what its residual does.
  struct Term {
    double t = 0;
    int quantity = 0;  ///< of the observer
    int cost = 0;      ///< of the names of the objective
    bool is_datum = false;
    double eta = 0, sigma = 1;
    int residual = -1;           ///< of its own ...
    int group = -1, member = 0;  ///< ... or those of a group
  };
  /// Samples that make residuals together.
  struct Group {
    std::unique_ptr<const SampleRows> rows{};
    int first_residual = 0;
    std::vector<std::size_t> terms{};
  };

  void refuse_the_rest(const Problem& problem) const;
  [[noreturn]] void refuse(const Place& place, const std::string& what) const;
  void add_terms(std::vector<std::string>& cost_names);
  void add_cost_terms(std::vector<std::string>& cost_names);
  void add_data_terms(std::vector<std::string>& cost_names);
  void add_group(int observation, const std::vector<Measurement>& measurements, int cost_index);
  int quantity(const std::string& formula);
  int cost(const std::string& name, std::vector<std::string>& cost_names) const;

  void bind(VecIn p);
  std::string begin(integrate::State& state, dynamics::Workspace& ws) const;
  template <class Visit>
  void for_terms(double t0, double end, const Visit& visit) const;
  /// Integrates: y_ and, with directions V of the unknowns, dy_. With a tape, a way back is kept.
  std::string run(ObjectiveValue& value, const Eigen::MatrixXd* V, integrate::Tape* tape);
  std::string begin_directions(integrate::State& state) const;
  /// y_ (and dy_) of the terms at a sample.
  std::string look(const integrate::Sample& sample, std::size_t first, std::size_t last);
  /// The way back, along the tape, of slopes_: what they do to the unknowns, added.
  std::string run_back(const integrate::Tape& tape, Eigen::VectorXd& dJ_dp,
                       AdjointPath* path = nullptr);
  /// The same by the adjoint equations, along motion_.
  std::string run_continuous(Eigen::VectorXd& dJ_dp, AdjointPath* path);
  std::string watch_motion(const integrate::AcceptedStep& step, dynamics::Workspace& ws,
                           integrate::Sample& sample);
  /// What the start does with the adjoint of its state.
  std::string pull_start(dynamics::Workspace& ws, std::vector<double>& bar);
  /// The gradient by all that the way back has seen, and by the start, whose adjoint is `bar`.
  template <class Adjoint>
  std::string collect(Adjoint& adjoint, std::vector<double>& bar, Eigen::VectorXd& dJ_dp);
  std::string outcome(const integrate::Result& result) const;
  std::string pull_terms(const integrate::ReverseStep& step, dynamics::Workspace& ws);

  Eigen::VectorXd of_group(const Group& group, const Eigen::VectorXd& values) const;
  std::string find_residuals(Eigen::VectorXd& r) const;
  /// slopes_ of the data: r_y^T r_bar
  void pull_residuals(const Eigen::VectorXd& r_bar);
  /// Costs and slopes_ from what the run has seen.
  std::string assess(ObjectiveValue& value);

  const ExperimentDescription& experiment_;
  const dynamics::System& system_;
  integrate::Options options_;
  double memory_;
  double t0_ = 0, t1_ = 0;
  std::vector<double> p_;                     ///< of the model
  std::vector<int> source_;                   ///< of each: an unknown, or -1
  std::vector<std::optional<double>> given_;  ///< initial states with numbers
  std::vector<std::string> quantities_;
  std::unique_ptr<dynamics::System::Observer> observer_;
  std::vector<Term> terms_;  ///< ascending in time
  std::vector<Group> groups_;
  int num_residuals_ = 0;
  // Of the last run.
  Eigen::VectorXd y_, slopes_;  ///< of the terms: values, and what they cost per unit
  Eigen::MatrixXd dy_;
  std::vector<double> values_;  ///< of the quantities
  dynamics::Directions dvalues_;
  std::unique_ptr<dynamics::Workspace> running_;    ///< bound to the parameters
  std::unique_ptr<dynamics::Workspace> observing_;  ///< of quantities, in the reverse
  std::unique_ptr<integrate::Tape> tape_;           ///< of linearize()
  integrate::ContinuousAdjoint::Motion motion_;     ///< t: where it is to be seen; empty: nowhere
};

}  // namespace parfait::estimate
