#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "parfait/estimate/problem/problem.h"
#include "parfait/estimate/problem/variables.h"

namespace parfait::estimate {

/// How a gradient is computed.
enum class GradientBy : std::uint8_t {
  kAdjoint,  ///< the discrete adjoint: a few runs whatever the number of parameters
  kForward,  ///< one direction for each parameter
  /// The adjoint equations of index 3, discretized by themselves: mechanisms in natural
  /// coordinates, costs <integral> and <final>, no events. Converges with the number of steps.
  kContinuous,
};
const char* text(GradientBy by);

/// The adjoint variables of an experiment: dJ/dy(t), the sensitivity of J to its state.
struct AdjointPath {
  std::string experiment;
  std::vector<std::string> states;
  std::vector<double> t;  ///< ascending
  std::vector<std::vector<double>> ybar;
};

/// What an evaluation took.
struct ObjectiveWork {
  std::int64_t steps = 0;
  std::int64_t events = 0;
  double seconds_forward = 0;   ///< of the runs that give the value
  double seconds_gradient = 0;  ///< of all, the gradient included
  double tape_bytes = 0;        ///< largest, of an experiment: states
  int tape_stride = 1;          ///< largest
};

struct ObjectiveValue {
  double total = 0;
  std::vector<double> costs;  ///< of Objective::cost_names()
  std::string why{};          ///< not empty: it could not be computed
  ObjectiveWork work{};

  bool exists() const { return why.empty(); }
};

/// The number that a problem asks to make small, as a function of the estimated parameters p:
///
///   J(p) = sum over <cost> of  integral L dt + sum_i S(t_i) + F(t_end)
///        + 1/2 sum over measurements of ((y - eta) / sigma)^2  +  1/2 sum over priors
///
/// each experiment integrated once from its start to its end, with its gradient exact for what was
/// computed. (docs/theory/adjoint.md, A4)
///
/// What only Gauss-Newton can do (requirements, several intervals, free initial states, local
/// parameters, other distributions, experiments without a model) is an InputError that names it.
class Objective {
 public:
  /// `problem` must outlive it. `memory` bounds the states that an adjoint keeps, in bytes.
  Objective(const Problem& problem, double memory);
  ~Objective();

  int size() const { return unknowns_.size(); }
  const Unknowns& unknowns() const { return unknowns_; }
  /// Ids of the costs, equal ones once; then "data" and "priors" where there are any.
  const std::vector<std::string>& cost_names() const { return names_; }
  /// Systems without pull-backs of their own, by experiment: an adjoint takes directions there.
  std::vector<std::string> without_pull_backs() const;

  ObjectiveValue value(VecIn p);
  /// And dJ/dp.
  ObjectiveValue gradient(VecIn p, GradientBy by, Eigen::VectorXd& dJ_dp);
  /// Equal steps of GradientBy::kContinuous.
  void set_continuous_steps(int steps) { continuous_steps_ = steps; }
  /// Keeps the adjoint variables of the next gradients (kAdjoint: where steps end).
  void keep_adjoints() { keeps_adjoints_ = true; }
  const std::vector<AdjointPath>& adjoints() const { return adjoints_; }

  /// The residuals r = (y - eta) / sigma of all measurements, then those of priors; J(p) is then
  /// 1/2 |r|^2 and has no costs (InputError).
  int num_residuals() const;
  ObjectiveValue linearize(VecIn p, Eigen::VectorXd& r);
  /// Products with dr/dp where it was linearized last: by a run with one direction ...
  ObjectiveValue times(VecIn v, Eigen::VectorXd& Jv);
  /// ... and by a way back.
  ObjectiveValue transposed_times(VecIn u, Eigen::VectorXd& Jt_u);

  class Part;  ///< of one experiment

 private:
  ObjectiveValue evaluate(VecIn p, const GradientBy* by, Eigen::VectorXd* dJ_dp);
  template <class Visit>
  ObjectiveValue for_rows(const Visit& visit);

  const Problem& problem_;
  Unknowns unknowns_;
  std::vector<std::string> names_;
  std::vector<std::unique_ptr<Part>> parts_;
  Eigen::VectorXd p_;  ///< where it was linearized
  int continuous_steps_ = 1000;
  bool keeps_adjoints_ = false;
  std::vector<AdjointPath> adjoints_;
};

}  // namespace parfait::estimate
