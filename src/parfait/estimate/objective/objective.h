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
};
const char* text(GradientBy by);

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

  class Part;  ///< of one experiment

 private:
  ObjectiveValue evaluate(VecIn p, const GradientBy* by, Eigen::VectorXd* dJ_dp);

  const Problem& problem_;
  Unknowns unknowns_;
  std::vector<std::string> names_;
  std::vector<std::unique_ptr<Part>> parts_;
};

}  // namespace parfait::estimate
