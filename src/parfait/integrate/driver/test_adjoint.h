#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "parfait/dynamics/system.h"
#include "parfait/integrate/driver/adjoint.h"
#include "parfait/integrate/driver/integrator.h"
#include "parfait/integrate/driver/sample.h"

// A number of a run and its gradient by both ways: forward directions and the adjoint.
namespace parfait::integrate::test_adjoint {

using dynamics::Directions;
using dynamics::System;

struct Gradients {
  std::vector<double> forward, adjoint, magnitude;  ///< by initial states, then parameters
  std::size_t num_states = 0, num_events = 0, num_steps = 0;
  int stride = 1;
  double bytes = 0;
};

/// J = sum over samples and the end of seed . y, seeds that have nothing to do with each other.
class Comparison {
 public:
  Comparison(const System& system, const Options& options, double t_end, int num_samples)
      : system_(system), options_(options), t_end_(t_end), ny_(system.sizes().ny()) {
    for (const auto& info : system.parameters()) p_.push_back(info.initial);
    // Not multiples of anything, and the last in the last step.
    for (int i = 1; i <= num_samples; ++i) {
      times_.push_back(t_end * (i - 0.37 + 0.3 * std::sin(i)) / num_samples);
    }
  }

  Gradients run(double memory = std::numeric_limits<double>::infinity()) {
    Gradients out;
    forward(out);
    adjoint(memory, out);
    return out;
  }
  Gradients run_forward() {
    Gradients out;
    forward(out);
    return out;
  }
  Gradients run_adjoint() {
    Gradients out;
    adjoint(std::numeric_limits<double>::infinity(), out);
    return out;
  }

 private:
  std::vector<double> seed(std::size_t sample) const {
    std::vector<double> out(static_cast<std::size_t>(ny_));
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = std::sin(1.3 * static_cast<double>(i) + 0.7 * static_cast<double>(sample) + 0.2);
    }
    return out;
  }

  State start(dynamics::Workspace& ws) const {
    State state;
    state.y.resize(static_cast<std::size_t>(ny_));
    state.z.resize(static_cast<std::size_t>(system_.sizes().nz));
    system_.start(ws, state.y, state.z);
    return state;
  }

  void project(dynamics::Workspace& ws, State& state) const {
    const auto& sizes = system_.sizes();
    if (sizes.num_pos + sizes.num_vel == 0) return;
    EXPECT_EQ(system_.project(ws, 0, state.y, options_.projection, 1e-12).status,
              dynamics::Status::kOk);
  }

  /// The first sample after t0, up to `end`.
  template <class Visit>
  void for_samples(double t0, double end, const Visit& visit) const {
    for (std::size_t i = 0; i < times_.size(); ++i) {
      if (times_[i] > t0 && times_[i] <= end) visit(i, times_[i]);
    }
  }

  void forward(Gradients& out) {
    const int np = static_cast<int>(p_.size()), k = ny_ + np;
    out.forward.assign(static_cast<std::size_t>(k), 0.0);
    out.magnitude = out.forward;
    out.num_states = static_cast<std::size_t>(ny_);
    const auto add = [&](const std::vector<double>& bar, const Directions& W) {
      for (int j = 0; j < k; ++j) {
        for (int i = 0; i < ny_; ++i) {
          const double term = bar[static_cast<std::size_t>(i)] * W(i, j);
          out.forward[static_cast<std::size_t>(j)] += term;
          out.magnitude[static_cast<std::size_t>(j)] += std::abs(term);
        }
      }
    };
    auto ws = system_.make_workspace(k), sample_ws = system_.make_workspace(k);
    Directions dp(np, k);
    for (int j = 0; j < np; ++j) dp(j, ny_ + j) = 1;
    for (auto* w : {ws.get(), sample_ws.get()}) {
      system_.bind(*w, p_);
      system_.bind_directions(*w, dp);
    }
    State state = start(*ws);
    state.W.resize(ny_, k);
    system_.start_directions(*ws, state.W);
    for (int i = 0; i < ny_; ++i) state.W(i, i) += 1;
    project(*ws, state);
    EXPECT_EQ(system_.project_directions(*ws, state.W), dynamics::Status::kOk);
    Sample sample;
    sample.y.resize(static_cast<std::size_t>(ny_));
    sample.W.resize(ny_, k);
    sample.z.resize(state.z.size());
    sample.dz.resize(system_.sizes().nz, k);
    const auto result =
        Integrator(system_, *ws, options_).run(state, t_end_, [&](const AcceptedStep& step) {
          for_samples(step.t0, step.t1, [&](std::size_t i, double t) {
            EXPECT_EQ(take_sample(system_, *sample_ws, options_, step, t, sample),
                      dynamics::Status::kOk);
            add(seed(i), sample.W);
          });
          return true;
        });
    EXPECT_TRUE(result.finished()) << result.message();
    add(seed(times_.size()), state.W);
    out.num_events = result.events.size();
  }

  void adjoint(double memory, Gradients& out) {
    auto ws = system_.make_workspace(math::kLanes);
    system_.bind(*ws, p_);
    State state = start(*ws);
    project(*ws, state);
    Tape tape(memory);
    const auto result = Integrator(system_, *ws, options_).run(state, t_end_, {}, nullptr, &tape);
    EXPECT_TRUE(result.finished()) << result.message();
    Adjoint adjoint(system_, *ws, options_, tape);
    std::vector<double> y(static_cast<std::size_t>(ny_));
    std::vector<double> bar = seed(times_.size());
    const auto status = adjoint.run(bar, [&](const ReverseStep& step) {
      for_samples(step.t0, step.end, [&](std::size_t i, double t) {
        EXPECT_EQ(step.curve.state(t, y), dynamics::Status::kOk);
        std::vector<double> own = seed(i);
        const auto& sizes = system_.sizes();
        if (sizes.num_pos + sizes.num_vel > 0) {
          auto& w = adjoint.workspace();
          EXPECT_EQ(
              system_.project(w, t, y, options_.projection, options_.projection_tolerance).status,
              dynamics::Status::kOk);
          EXPECT_EQ(system_.pull_back_projection(w, own), dynamics::Status::kOk);
        }
        step.curve.add(t, own);
      });
    });
    EXPECT_EQ(status, dynamics::Status::kOk);
    // The start: projected, from the initial values and the parameters.
    State first = start(*ws);
    project(adjoint.workspace(), first);
    const auto& sizes = system_.sizes();
    if (sizes.num_pos + sizes.num_vel > 0) {
      EXPECT_EQ(system_.pull_back_projection(adjoint.workspace(), bar), dynamics::Status::kOk);
    }
    system_.pull_back_start(adjoint.workspace(), bar);
    out.adjoint = bar;
    std::vector<double> gradient(p_.size(), 0.0);
    adjoint.add_parameter_gradient(gradient);
    out.adjoint.insert(out.adjoint.end(), gradient.begin(), gradient.end());
    out.num_steps = tape.steps().size();
    out.stride = tape.stride();
    out.bytes = tape.bytes();
  }

  const System& system_;
  Options options_;
  double t_end_;
  int ny_;
  std::vector<double> p_, times_;
};

/// The largest difference, relative to the sum of magnitudes of all terms.
inline double difference(const Gradients& g) {
  double largest = 0, scale = 0;
  for (const double x : g.magnitude) scale = std::max(scale, x);
  for (std::size_t i = 0; i < g.forward.size(); ++i) {
    // What the projection takes away of an initial coordinate is a sum of terms, too, that leaves
    // rounding: these are compared with the others. Parameters have no such excuse.
    double size = i < g.num_states ? g.magnitude[i] + 1e-3 * scale : g.magnitude[i];
    if (size == 0) size = scale;
    largest = std::max(largest, std::abs(g.forward[i] - g.adjoint[i]) / size);
  }
  return largest;
}

inline Options tolerance(Method method, double rtol) {
  Options options;
  options.method = method;
  options.rtol = rtol;
  options.atol = 0.01 * rtol;
  return options;
}

}  // namespace parfait::integrate::test_adjoint
