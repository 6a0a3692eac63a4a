#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "parfait/estimate/experiment/team.h"
#include "parfait/estimate/fit/fit.h"
#include "parfait/estimate/starts/start_space.h"

namespace parfait::estimate {

/// How one of many starts ended.
struct StartResult {
  int number = 0;  ///< 0: the initial values of the problem
  /// As of a fit, or "hopeless" (stopped early), "not_begun", "refused" (a start outside what the
  /// problem allows).
  std::string status = "not_begun";
  std::string message{};
  double objective = 0;        ///< where it ended; NaN: it got nowhere
  double first_objective = 0;  ///< at the start itself; NaN: it cannot be evaluated
  double infeasibility = 0;
  int iterations = 0;
  std::int64_t linearizations = 0;          ///< of single experiments
  std::vector<double> initial{}, values{};  ///< of all estimates, as in FitResult::estimates
  int minimum = 0;                          ///< which of MultiStart::minima, from 1; 0: none

  bool converged() const { return status == "converged"; }
  /// There is nothing left to do: it need not be done again when the work goes on later.
  bool finished() const { return status != "not_begun" && status != "interrupted"; }
};

/// Starts that ended with the same objective.
struct Minimum {
  double objective = 0;
  int count = 0;  ///< of starts
  int best = 0;   ///< number of the best of them
  /// Of each estimate over these starts: where they differ, the objective is the same along a curve
  /// (something is not determined), or at several points (a symmetry).
  std::vector<double> low{}, high{};
};

struct MultiStart {
  std::vector<StartResult> starts;  ///< best first; those without an objective last
  std::vector<Minimum> minima;      ///< best first
  bool interrupted = false;

  /// The start with the lowest objective whose equations hold; null: there is none.
  const StartResult* best() const;
};

struct MultiStartSettings {
  std::vector<StartResult> earlier{};  ///< what is finished of them is taken over
  /// After each start, from any thread, one at a time.
  std::function<void(int done, int all, const StartResult&)> on_start{};
};

/// Fits a problem from many starts: every start is a piece of work of its own, on the threads of
/// this process and on the processes of the team, and ends in a status, whatever happens. What
/// comes out does not depend on the number of workers.
///
/// A start is hopeless if over kPatience iterations neither its objective nor its increment has
/// become noticeably smaller (see HopelessWatch): its own history alone decides.
MultiStart fit_from_many_starts(const Problem& problem, const StartPoints& points, Team& team,
                                const MultiStartSettings& settings);

/// Sorts starts and finds which ended in the same minimum: those whose objectives agree to
/// `tolerance`. Only what converged counts.
void sort_starts(MultiStart& result, double tolerance);

/// Watches the history of one fit.
class HopelessWatch {
 public:
  static constexpr int kPatience = 20;
  /// `measurements`: the objective divided by their number is the unit in which it is noticed; 0:
  /// the unit is 1, because sigma is known or part of a likelihood.
  explicit HopelessWatch(int measurements) : measurements_(measurements) {}
  /// True: it leads nowhere. During the last kPatience iterations the objective fell by less than a
  /// tenth of the unit or by less than 1e-4 of itself, the increments did not become half as long,
  /// and the equations hold about as well as before.
  bool is_hopeless(const Iteration& line);

 private:
  int measurements_;
  std::vector<Iteration> lines_;
};

}  // namespace parfait::estimate
