#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "parfait/integrate/adams/adams.h"

/// For tests: the Adams stepper at work.
namespace parfait::integrate {

inline Options adams_options(double rtol, double atol) {
  Options options;
  options.method = Method::kAbm;
  options.rtol = rtol;
  options.atol = atol;
  return options;
}

/// The loop that an integrator is, without events. Directions are the first unit vectors of the
/// initial state.
class AdamsRun {
 public:
  AdamsRun(const dynamics::System& system, const Options& options, int num_directions = 0)
      : workspace(system.make_workspace(num_directions)),
        flow(system, *workspace, options),
        stepper(make_adams(flow, num_directions)) {
    std::vector<double> p;
    for (const auto& info : system.parameters()) p.push_back(info.initial);
    system.bind(*workspace, p);
    start.y = system.initial_state();
    start.W.resize(flow.ny(), num_directions);
    if (num_directions > 0) {
      const int np = static_cast<int>(p.size());
      system.bind_directions(*workspace, dynamics::Directions(np, num_directions));
    }
    for (int j = 0; j < num_directions; ++j) start.W(j, j) = 1;
  }

  /// From `start` to t_end; `seen` is called after each step.
  Outcome run(double t_end, const std::function<void()>& seen = {}) {
    EXPECT_EQ(stepper->start(start), dynamics::Status::kOk);
    Outcome outcome = Outcome::kFinished;
    while (stepper->t1() < t_end && outcome == Outcome::kFinished) {
      outcome = stepper->step(t_end);
      if (outcome != Outcome::kFinished) break;
      record.push_back(stepper->recorded());
      if (seen) seen();
    }
    return outcome;
  }

  void repeat(const std::vector<RecordedStep>& steps, const std::function<void()>& seen = {}) {
    ASSERT_EQ(stepper->start(start), dynamics::Status::kOk);
    for (const auto& step : steps) {
      ASSERT_EQ(stepper->repeat(step), Outcome::kFinished);
      if (seen) seen();
    }
  }

  std::vector<double> y1() const { return {stepper->y1().begin(), stepper->y1().end()}; }

  std::unique_ptr<dynamics::Workspace> workspace;
  Flow flow;
  std::unique_ptr<Stepper> stepper;
  State start;
  std::vector<RecordedStep> record;
};

inline double largest_difference(dynamics::ConstVec a, dynamics::ConstVec b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

}  // namespace parfait::integrate
