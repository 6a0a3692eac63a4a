#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "parfait/estimate/design/criterion.h"

namespace parfait::estimate {

/// Something that may be measured, or not: rows of the linearized problem, weighted with 1/sigma.
/// With the weight w it adds w sum_i r_i^T r_i to the information.
struct Candidate {
  std::vector<int> rows{};
  double cost = 1;   ///< of the weight 1, in the unit of its group's budget
  double upper = 1;  ///< largest weight
  int group = 0;
  double position = 0;  ///< a time, for `spacing`
};

/// Weights of the candidates of one group: 0 <= w_i <= upper_i, sum cost_i w_i <= budget.
struct CandidateGroup {
  std::string name;
  double budget = 1;
  bool whole = true;   ///< weights are numbers of measurements; otherwise anything in between
  double spacing = 0;  ///< of the positions of what is chosen
};

/// The linearized problem under one assumption about the parameters: what is there already, and the
/// rows of all candidates, in any variables z.
struct Scenario {
  Eigen::MatrixXd known;  ///< information without the candidates
  Eigen::MatrixXd rows;   ///< of candidates, all of them
  Eigen::MatrixXd K;      ///< what the criterion looks at
};

struct SelectionProblem {
  CriterionKind criterion = CriterionKind::kD;
  std::vector<Scenario> scenarios;  ///< at least one; the mean over them is minimized
  std::vector<Candidate> candidates;
  std::vector<CandidateGroup> groups;
  std::vector<std::string> names;  ///< of the rows of K, for messages
};

/// Which candidates, and how sure it is that none are better.
struct Selection {
  Eigen::VectorXd weights;  ///< the convex optimum
  /// max over feasible s of -dphi(w)(s - w), relative to phi (D: (det C)^(1/k)): phi is at most so
  /// much above the minimum over all weights.
  double gap = 0;
  bool certified = false;  ///< the gap is at most 1e-8
  std::string remark{};    ///< why there is no certificate
  int iterations = 0;
  double convex = 0;       ///< psi of the weights, see criterion.h
  Eigen::VectorXd counts;  ///< rounded: how often each is measured; groups that need not be whole
                           ///< keep their weights
  double rounded = 0;      ///< psi of the counts
  double efficiency = 1;   ///< exp(convex - rounded): <= 1
  Eigen::VectorXd gains;   ///< -dphi/dw at the weights, relative to phi
};

/// Minimizes the criterion over weights by simplicial decomposition: the best vertex for the
/// present gains joins those in use, Newton's method distributes the weight among them, vertices
/// without weight leave. (Frank-Wolfe with a fully corrective step.) Then rounds, largest gains
/// first, and exchanges single candidates while that helps.
///
/// InputError if all candidates together leave something undetermined that the criterion needs, or
/// if a group has fewer candidates (at their spacing) than its budget asks for.
/// See  docs/theory/design.md
Selection select(const SelectionProblem& problem);

/// The mean of psi over the scenarios with these weights; infinite: not determined.
double selection_value(const SelectionProblem& problem, const Eigen::VectorXd& weights);

/// As many as the budget allows, evenly spread over each group: where a design starts.
Eigen::VectorXd even_weights(const SelectionProblem& problem);

}  // namespace parfait::estimate
