#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "parfait/estimate/problem/problem.h"

/// The parts of check(Problem), one per file. Internal to estimate.
namespace parfait::estimate {

/// What a message is about: where it stands and what it is, `experiment "run1", observe "x"`.
struct Subject {
  Place place;
  std::string label;

  [[noreturn]] void fail(const std::string& message) const;
  [[noreturn]] void fail_at(const Place& where, const std::string& message) const;
  /// A part of this: `experiment "run1"` and `observe "x"`.
  Subject part(const Place& where, const std::string& what) const;
};
Subject subject_of(const ExperimentDescription& experiment);

/// Names that may be given once.
class NameCheck {
 public:
  /// InputError if the name was added before: `"k" is <what> twice, first in line 3.`
  void add(const std::string& name, const Subject& subject, const char* what);

 private:
  std::map<std::string, int> lines_;
};

/// `"kk" is not a state. Did you mean "k"? States: a, b.`, if it is not one of them.
void check_known(const std::string& name, const std::vector<std::string>& known, const char* one,
                 const char* many, const Subject& subject);

void check_estimate(const Estimate& estimate, const Subject& subject,
                    std::vector<std::string>& warnings);

/// Time, data, sigma and the horizon of an experiment. Returns the number of measurements.
int check_data(const ExperimentDescription& experiment, std::vector<std::string>& warnings);

/// Sets, locals, initial states, grid, bounds and formulas of an experiment.
void check_experiment(const Problem& problem, const ExperimentDescription& experiment,
                      std::vector<std::string>& warnings);

void check_initial_states(const ExperimentDescription& experiment);
void check_grid(const ExperimentDescription& experiment, std::vector<std::string>& warnings);
void check_state_bounds(const ExperimentDescription& experiment);

/// Terms are there and their times lie in the horizon; formulas make sense. `estimated`: the
/// parameters that vary.
void check_requirements(const ExperimentDescription& experiment,
                        const std::vector<std::string>& estimated);
/// Those of the problem: formulas of shared parameters.
void check_requirements(const Problem& problem);
void check_observations(const ExperimentDescription& experiment,
                        const std::vector<std::string>& estimated);

/// Parameters a formula of the experiment may vary: shared ones it has, and its own.
std::vector<std::string> estimated_in(const Problem& problem,
                                      const ExperimentDescription& experiment);
/// Parameters the experiment knows: those of its system, or the names of an algebraic one.
std::vector<std::string> parameters_of(const Problem& problem,
                                       const ExperimentDescription& experiment);

void check_fit_options(const Problem& problem, std::vector<std::string>& warnings);

}  // namespace parfait::estimate
