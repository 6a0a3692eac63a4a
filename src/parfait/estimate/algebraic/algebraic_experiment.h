#pragma once

#include <memory>
#include <string>
#include <vector>

#include "parfait/estimate/experiment/experiment.h"
#include "parfait/estimate/problem/variables.h"

namespace parfait::estimate {

struct AlgebraicOptions {
  /// Unknowns of single rows leave the block, row by row. Only for sums of squares: other norms see
  /// the single residuals, so there the row's unknowns belong to xi.
  bool eliminate_rows = true;
  double rank_tolerance = 1e-9;
};

/// An experiment without dynamics: a table of points, and formulas of its columns, the parameters
/// and, for errors in variables, unknowns of each row (Kraus 2006, section 3.1.1, parameterized
/// surfaces):
///
///   r1 = (quantity(columns, p, local p, row's own) - measurement) / sigma, a row per
///        measured cell; then priors of local parameters
///   r2 = requirements;   r3 = requirements with >=, then bounds of local parameters.
///
/// Names   A name in a formula is the row's unknown, the local, the shared or the set parameter of
///         that name; if there is none, the column. So a measured column x may be told by x.
/// x       Local parameters, then the unknowns of each row that has a measurement, row by row; all
///         scaled. Increments xi of the block: the local parameters (and all of x without
///         elimination).
/// Throws  InputError with the place for what cannot be evaluated at all: unknown names,
///         sigma <= 0, an empty cell of a column that a formula needs.
class AlgebraicExperiment final : public Experiment {
 public:
  /// `shared`: the parameters p of all experiments.
  AlgebraicExperiment(const ExperimentDescription& description, const Unknowns& shared,
                      const AlgebraicOptions& options = {});
  ~AlgebraicExperiment() override;

  /// The local parameters are the first variables of x, and of xi. `t` of a residual is the number
  /// of the row, from 1.
  const ExperimentLayout& layout() const override;
  bool initialize(VecIn p, Eigen::VectorXd& x) override;
  [[nodiscard]] bool evaluate(VecIn x, VecIn p) override;
  [[nodiscard]] bool linearize(VecIn x, VecIn p) override;
  std::string why() const override;
  const Eigen::VectorXd& residuals() const override;
  double infeasibility() const override;
  const NoiseValues* noise() const override;
  void set_expected_information(bool expected) override;
  const Block& block() const override;
  RightSide right_side() const override;
  Eigen::VectorXd expand(VecIn xi, VecIn p, bool with_values) const override;

  Eigen::VectorXd into_bounds(VecIn x) const override;
  Work work() const override;
  Eigen::VectorXd leverages(MatIn covariance) const override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace parfait::estimate
