#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "parfait/estimate/objective/objective.h"
#include "parfait/integrate/driver/adjoint.h"
#include "parfait/integrate/driver/integrator.h"
#include "parfait/integrate/driver/sample.h"

namespace parfait::estimate {

/// What one experiment contributes to an Objective.
class Objective::Part {
 public:
  Part(const Problem& problem, const ExperimentDescription& experiment, const Unknowns& unknowns,
       double memory, std::vector<std::string>& cost_names);

  const ExperimentDescription& experiment() const { return experiment_; }

  /// Adds to value.costs, and to dJ_dp if there is one.
  void evaluate(VecIn p, const GradientBy* by, ObjectiveValue& value, Eigen::VectorXd* dJ_dp);

 private:
  /// A number of the trajectory and what it costs: itself, or half of ((y - eta) / sigma)^2.
  struct Term {
    double t = 0;
    int quantity = 0;  ///< of the observer
    int cost = 0;      ///< of the names of the objective
    bool is_datum = false;
    double eta = 0, sigma = 1;
  };

  void refuse_the_rest(const Problem& problem) const;
  void add_terms(std::vector<std::string>& cost_names);
  int quantity(const std::string& formula);
  int cost(const std::string& name, std::vector<std::string>& cost_names) const;
  /// What a quantity's value costs, and its derivative.
  double cost_of(const Term& term, double y, double& slope) const;

  void bind(VecIn p);
  std::string begin(integrate::State& state, dynamics::Workspace& ws) const;
  template <class Visit>
  void for_terms(double t0, double end, const Visit& visit) const;
  std::string run_forward(ObjectiveValue& value, Eigen::VectorXd* dJ_dp);
  std::string run_adjoint(ObjectiveValue& value, Eigen::VectorXd& dJ_dp);
  std::string outcome(const integrate::Result& result) const;
  /// Values and slopes of all terms at a sample.
  std::string look(const integrate::Sample& sample, std::size_t first, std::size_t last,
                   ObjectiveValue& value);
  std::string pull_terms(const integrate::ReverseStep& step, dynamics::Workspace& ws);

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
  std::vector<Term> terms_;     ///< ascending in time
  std::vector<double> slopes_;  ///< of the terms, at the last run
  std::vector<double> values_;  ///< of the quantities
  dynamics::Directions dvalues_;
  std::unique_ptr<dynamics::Workspace> observing_;  ///< of quantities, in the reverse
};

}  // namespace parfait::estimate
