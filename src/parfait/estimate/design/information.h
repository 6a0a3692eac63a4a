#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "parfait/estimate/design/planned_experiment.h"
#include "parfait/estimate/design/selection.h"
#include "parfait/estimate/experiment/ensemble.h"
#include "parfait/estimate/linear/block.h"
#include "parfait/integrate/stepping/state.h"

namespace parfait::estimate {

/// What is known about the shared parameters before the planned experiments: information in their
/// scaled unknowns, and equations between them.
struct KnownInformation {
  Eigen::MatrixXd M;
  Eigen::MatrixXd equations;  ///< rows e with e . dp = 0
};

/// Adds what a block says about the shared parameters when its own variables are eliminated (Schur
/// complement under its equations). Inequalities count as equations where they are active.
void add_information(const Block& block, KnownInformation& known);

/// The information of all experiments of an ensemble, at the point of its last linearize().
KnownInformation information_of(const Ensemble& ensemble);

/// A planned measurement, as a row of the linearized experiment.
struct PlannedRow {
  double t = 0;
  int column = 0;     ///< observation of the experiment
  double weight = 1;  ///< of a measurement that is made all the time: the length of its cell
};

/// A planned experiment, linearized at the present parameters.
struct PlannedBlock {
  Eigen::MatrixXd A, B;                     ///< rows of measurements by its own variables, by p
  std::vector<PlannedRow> rows;             ///< what they are
  Eigen::MatrixXd prior_A, prior_B;         ///< of what is known about its own variables
  Eigen::MatrixXd predict_A, predict_B;     ///< of predicted quantities
  Eigen::VectorXd equations, inequalities;  ///< values of the conditions that the design keeps
  std::string why{};                        ///< not empty: it cannot be integrated
  std::vector<integrate::Record> steps{};   ///< that the integrator took
};

/// Linearizes one planned experiment: `description` as DesignSpace makes it. With `repeat` along
/// the steps that were taken for other numbers of the same experiment, so that differences of the
/// two have no noise of step control.
PlannedBlock linearize_planned(const PlannedExperiment& planned, ExperimentDescription description,
                               const Unknowns& shared, VecIn p, const FitOptions& options,
                               const std::vector<integrate::Record>* repeat = nullptr);

/// The candidates of all planned experiments and their groups: constant while numbers are designed.
struct Candidates {
  std::vector<Candidate> list;
  std::vector<CandidateGroup> groups;
  std::vector<int> experiment;       ///< of each candidate
  std::vector<std::string> label{};  ///< of each candidate, for tables
};
Candidates candidates_of(const std::vector<PlannedExperiment>& planned,
                         const std::vector<std::vector<PlannedRow>>& rows, int choose_copies);

/// What the criterion looks at.
struct Interest {
  Eigen::MatrixXd by_p;  ///< rows; empty: predictions
  std::vector<std::string> names;
};

/// Known information and planned experiments as one problem in z = (p, variables of each planned
/// experiment), equations eliminated. `copies`: of each.
Scenario make_scenario(const KnownInformation& known, const std::vector<PlannedBlock>& blocks,
                       const std::vector<int>& copies, const Interest& interest);

}  // namespace parfait::estimate
