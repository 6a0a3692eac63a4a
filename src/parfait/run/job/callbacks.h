#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "parfait/result/facts.h"
#include "parfait/result/fit.h"
#include "parfait/result/scene.h"

namespace parfait::run {

/// One point of an iteration, while it runs.
struct IterationRecord {
  result::Iteration iteration;
  /// Of the parameters and estimated initial states, in the order of `names`.
  const std::vector<std::string>& names;
  std::vector<double> values;
};

/// How a piece of work speaks with whoever started it. Everything is called on the thread that
/// started the work, and may throw: the exception ends the work and arrives there unchanged.
struct Callbacks {
  /// A fraction of the work is done, from 0 to 1 (NaN: not known), and a note says where it stands.
  std::function<void(double fraction, const std::string& note)> on_progress{};
  /// Everything is read and checked; the work begins, and with it what can be kept if it is
  /// stopped.
  std::function<void()> on_ready{};
  /// Fits: the problem is read and checked, the work begins.
  std::function<void(const result::ProblemFacts&)> on_problem{};
  /// Fits: each point of the iteration.
  std::function<void(const IterationRecord&)> on_iteration{};
  /// Fits: the observed quantities at the present point, now and then.
  std::function<void(const std::vector<result::Prediction>&)> on_curves{};
  /// Fits: how the bodies of mechanisms move at the present point, now and then.
  std::function<void(const result::Scenes&)> on_motion{};
  /// Asked again and again: true ends the work, with everything found so far and the status
  /// "interrupted". While files are still read there is nothing to keep: base::Stopped is thrown.
  std::function<bool()> stop{};
  /// Between two calls of `stop` or `on_progress`.
  std::chrono::milliseconds interval{20};
};

}  // namespace parfait::run
