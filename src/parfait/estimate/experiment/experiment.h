#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "parfait/estimate/linear/block.h"
#include "parfait/estimate/problem/variables.h"

namespace parfait::estimate {

/// What a residual stands for.
struct ResidualInfo {
  std::string column;  ///< of the data; of a prior: the parameter or state
  double t = 0;        ///< algebraic experiments: the row
  double measured = 0;
  double sigma = 1;  ///< NaN: it varies, see NoiseValues
  bool prior = false;
  bool has_kink = false;  ///< the density of its errors has one (Laplace)
};

/// What a likelihood says at a point, of each residual.
struct NoiseValues {
  Eigen::VectorXd model;  ///< empty: measured + sigma * residual
  Eigen::VectorXd sigma;
  Eigen::VectorXd unit;  ///< of the model's value, per unit of its row in the block
  double cost = 0;       ///< -2 log L, constants and priors included
  double data = 0;       ///< sum of squares of what is compared, in sigma: measured or modelled
};

/// An initial state that is estimated: entry `index` of x, times `scale`.
struct InitialUnknown {
  std::string state;
  int index = 0;
  double scale = 1;
};

/// States at shooting nodes: of node i the entries of x from first[i] on, times scale.
struct NodeStates {
  std::vector<std::string> names{};
  std::vector<double> times{};
  std::vector<int> first{};  ///< -1: not all of the node is unknown (the first, as a rule)
  Eigen::VectorXd scale{};
  /// Coordinates of one mechanism, tied by constraints: their changes compare with each other.
  bool comparable = false;
};

/// What the numbers of an experiment stand for: constant from the day it is made.
struct ExperimentLayout {
  std::string id;
  std::vector<std::string> variables{};  ///< names of the entries of x
  Unknowns locals{};                     ///< the local parameters, scaled ...
  int first_local = 0;                   ///< ... and where they begin in x
  std::vector<InitialUnknown> initial_unknowns{};
  NodeStates nodes{};                     ///< of a dynamic experiment
  std::vector<ResidualInfo> residuals{};  ///< one per residual
  int num_noise_rows = 0;                 ///< rows of the block after those of the residuals
  bool is_likelihood = false;             ///< its objective is -2 log L, see NoiseValues

  int num_variables() const { return static_cast<int>(variables.size()); }
};

/// What an experiment has cost.
struct Work {
  std::int64_t evaluations = 0;     ///< of all intervals, values only
  std::int64_t linearizations = 0;  ///< with directions
  std::int64_t steps = 0;
  std::int64_t rhs = 0;         ///< right-hand sides
  std::int64_t directions = 0;  ///< integrated directions, summed over intervals
};

/// What one experiment contributes to an estimation: its own unknowns x (nodes of its trajectory,
/// local parameters), and equations in x and the shared parameters p,
///
///   r1(x, p) = (model - measurement) / sigma,   r2(x, p) = 0,   r3(x, p) >= 0.
///
/// Where sigma is constant and errors are normal, the objective is |r1|^2. Otherwise it is -2 log
/// L, which is no sum of squares: the data rows of the block are then those of LikelihoodRows.
///
/// All variables are scaled. An experiment is used by one thread at a time; it may use more itself.
///
/// Laws  The data rows (A, B), b of block() give the gradient of the objective, 2 (A, B)^T b; for
///       least squares they are r1 and its derivative. The other rows are the equations and their
///       derivatives, condensed; for every Delta (xi, p) expand() of it satisfies the linearized
///       equations that were eliminated (matching).
class Experiment {
 public:
  virtual ~Experiment() = default;
  virtual const ExperimentLayout& layout() const = 0;
  const std::string& id() const { return layout().id; }

  /// First guess of x at the shared parameters p; also what must be integrated for it.
  virtual bool initialize(VecIn p, Eigen::VectorXd& x) = 0;

  /// Values at a point. False: they do not exist there; why() says it.
  [[nodiscard]] virtual bool evaluate(VecIn x, VecIn p) = 0;
  /// Values, derivatives and the condensed block.
  [[nodiscard]] virtual bool linearize(VecIn x, VecIn p) = 0;
  virtual std::string why() const = 0;

  /// Of the last point: weighted residuals, and the largest |equation| or violation of an
  /// inequality, eliminated equations included.
  virtual const Eigen::VectorXd& residuals() const = 0;
  virtual double infeasibility() const = 0;
  /// Of the last point; null: sigma is constant, errors are normal and compared as they are.
  virtual const NoiseValues* noise() const { return nullptr; }
  /// From the next linearize() on the rows of a likelihood are those of the Fisher information, for
  /// covariances, or (as at first) those that steps are made with.
  virtual void set_expected_information(bool /*expected*/) {}
  /// The same with matching conditions beside the size of their states, whatever the units.
  virtual double relative_infeasibility() const { return infeasibility(); }

  /// Of the last linearize().
  virtual const Block& block() const = 0;
  /// The values of the last point, condensed with the matrices of the last linearize().
  virtual RightSide right_side() const = 0;
  /// The increment of x that belongs to increments of xi and p. `with_values`: includes the
  /// correction of the eliminated equations by the values of the last point; without, only the
  /// linear map (for directions and covariances).
  virtual Eigen::VectorXd expand(VecIn xi, VecIn p, bool with_values) const = 0;

  /// x with all states moved onto the constraints of the model.
  virtual Eigen::VectorXd onto_manifold(VecIn x, VecIn /*p*/) { return x; }
  /// x moved to where its bounds hold.
  virtual Eigen::VectorXd into_bounds(VecIn x) const { return x; }

  /// All components of the first node's state at the last point, free and fixed; empty: there is
  /// none.
  virtual Eigen::VectorXd first_state() const { return {}; }
  /// The share of each measurement in its own prediction at the last linearize(), given the
  /// covariance of (xi, p) for data of unit variance; between 0 and 1, one per residual.
  virtual Eigen::VectorXd leverages(MatIn covariance) const;
  /// Since the experiment was made.
  virtual Work work() const { return {}; }
  /// What a person should know about the last point (a switching sequence that changed, ...).
  virtual std::vector<std::string> remarks() const { return {}; }
};

}  // namespace parfait::estimate
