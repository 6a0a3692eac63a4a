#pragma once

#include <Eigen/Core>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "parfait/estimate/experiment/experiment.h"
#include "parfait/estimate/experiment/likelihood.h"
#include "parfait/estimate/problem/variables.h"
#include "parfait/estimate/shooting/rows.h"

namespace parfait::estimate {

/// An unknown parameter of the model, an entry of theta.
struct ThetaEntry {
  bool local = false;
  int unknown = 0;      ///< its place among the local or the shared unknowns
  int parameter = 0;    ///< its place among the parameters of the system
  bool before = false;  ///< only in the equilibrium before the experiment
};

/// The equilibrium that an experiment begins from.
struct EquilibriumLayout {
  double t = 0;                                ///< before the begin: where inputs are still off
  std::vector<std::pair<int, double>> values;  ///< parameters that had other values
  std::vector<int> others;                     ///< all that had, those of theta included
};

/// What a shooting experiment consists of; constant once it is made.
///
///   x = (s_0 | s_1 ... s_N | z_0 ... z_N | local parameters)
///
///   s_0    what is free in the first node; the rest follows from the model and the parameters
///   s_i    differential states at tau_i, divided by `scale`; a measurement there belongs to
///          interval i, which begins there
///   z_i    algebraic states at tau_i
///   theta  unknown parameters of the model: local ones, then shared ones
struct ShootingLayout {
  std::string id;
  std::shared_ptr<const dynamics::System> system;
  std::vector<std::string> state_names;

  // Unknowns.
  Unknowns shared, locals;
  std::vector<double> parameters;  ///< of the system; entries of theta are overwritten
  std::vector<ThetaEntry> theta;
  std::map<std::string, double> constants;     ///< conditions that are no parameters of the system
  std::map<std::string, std::string> aliases;  ///< likewise: names that stand for shared unknowns
  std::vector<int> free;                       ///< components of the first state that are unknown
  std::vector<std::optional<double>> given;    ///< first states that are not the model's
  std::optional<EquilibriumLayout> equilibrium;
  Eigen::VectorXd scale;  ///< of the states

  // Grid.
  double begin = 0, end = 0;
  std::vector<double> times;                      ///< tau_i
  std::vector<std::vector<double>> sample_times;  ///< in each interval, ascending
  bool watches_events = false;                    ///< rows ask for times of events

  // Rows.
  std::vector<std::string> quantities;                   ///< observed at all samples ...
  std::unique_ptr<dynamics::System::Observer> observer;  ///< ... by this
  struct Angle {
    int quantity = 0;                         ///< of `quantities`
    std::optional<Observation::Turn> turn{};  ///< near which it begins
  };
  std::vector<Angle> angles;
  std::unique_ptr<dynamics::System::Observer> angle_observer;  ///< of them alone; null: none
  std::vector<ShootingRow> data, equations, inequalities;
  LikelihoodRows likelihood;  ///< of the first rows of `data`, which are then y itself; or empty
  std::vector<ShootingRow> sigmas;  ///< of those of them that vary, in their order
  ExperimentLayout experiment;  ///< what others see of all this; its residuals are those of `data`

  int ny() const { return system->sizes().ny(); }
  int nz() const { return system->sizes().nz; }
  int num_theta() const { return static_cast<int>(theta.size()); }
  int num_nodes() const { return static_cast<int>(times.size()); }
  /// Where interval i ends. An end node has an interval of length 0.
  double end_of(int i) const { return i + 1 < num_nodes() ? times[i + 1] : end; }
  /// The interval that a time belongs to: the node itself counts, the end of an interval does not.
  int interval_of(double t) const;

  // Places in x.
  int size_of_state(int node) const { return node == 0 ? static_cast<int>(free.size()) : ny(); }
  int first_of_state(int node) const;
  int first_of_algebraic(int node) const { return first_of_state(num_nodes()) + node * nz(); }
  int first_local() const { return first_of_algebraic(num_nodes()); }
  int num_variables() const { return first_local() + locals.size(); }

  bool has_invariants() const;
  /// The first state is free on the manifold of the constraints: its variables w are coordinates
  /// along possible directions.
  bool moves_on_manifold() const {
    return has_invariants() && static_cast<int>(free.size()) == ny();
  }
};

/// InputError with a place for what cannot be observed.
ShootingLayout make_shooting_layout(const ExperimentDescription& description,
                                    const Unknowns& shared);

}  // namespace parfait::estimate
