#include "frozen_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

namespace parfait::reference {

FrozenRun::FrozenRun(std::shared_ptr<const mbs::Model> model, int num_tangents,
                     const integrate::Options& options)
    : model_(std::move(model)),
      options_(options),
      y0_(model_->initial_state()),
      x_(num_tangents),
      d_(model_->sizes().ny(), num_tangents) {
  for (const auto& info : model_->parameters()) p_.push_back(info.initial);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int j = 0; j < num_tangents; ++j) {
    for (int i = 0; i < d_.rows(); ++i) d_(i, j) = uniform(random);
  }
}

double& FrozenRun::unknown(int j) {
  const int n = static_cast<int>(x_.size());
  return j < n ? x_[j] : p_[j - n];
}

double FrozenRun::step(int j) const {
  const int n = static_cast<int>(x_.size());
  // What the Newton iterations of hht leave needs a larger step to disappear.
  const double relative = options_.method == integrate::Method::kHht ? 1e-3 : 5e-4;
  return relative * (j < n ? 1.0 : std::max(1.0, std::abs(p_[j - n])));
}

integrate::State FrozenRun::start(dynamics::Workspace& ws, bool with_directions) const {
  const int n = static_cast<int>(x_.size()), k = with_directions ? num_unknowns() : 0;
  integrate::State state;
  state.y = y0_;
  for (int i = 0; i < d_.rows(); ++i) {
    for (int j = 0; j < n; ++j) state.y[i] += x_[j] * d_(i, j);
  }
  state.W.resize(d_.rows(), k);
  model_->bind(ws, p_);
  if (with_directions) {
    dynamics::Directions dp(model_->sizes().np, k);
    for (int j = n; j < k; ++j) dp(j - n, j) = 1;
    model_->bind_directions(ws, dp);
    for (int i = 0; i < d_.rows(); ++i) {
      for (int j = 0; j < n; ++j) state.W(i, j) = d_(i, j);
    }
  }
  EXPECT_EQ(
      model_->project(ws, 0, state.y, options_.projection, options_.projection_tolerance).status,
      dynamics::Status::kOk);
  if (with_directions) {
    EXPECT_EQ(model_->project_directions(ws, state.W), dynamics::Status::kOk);
  }
  return state;
}

integrate::State FrozenRun::run(double until, integrate::Record& record) const {
  const auto ws = model_->make_workspace(num_unknowns());
  auto state = start(*ws, true);
  integrate::Integrator integrator(*model_, *ws, options_);
  const auto result = integrator.run(state, until, {}, &record);
  EXPECT_TRUE(result.finished()) << result.message();
  return state;
}

std::vector<double> FrozenRun::replay(const integrate::Record& record) const {
  const auto ws = model_->make_workspace(0);
  auto state = start(*ws, false);
  integrate::Integrator integrator(*model_, *ws, options_);
  const auto result = integrator.replay(state, record);
  EXPECT_TRUE(result.finished()) << result.message();
  return state.y;
}

std::vector<double> difference(FrozenRun& run, const integrate::Record& record, int j) {
  const double at = run.unknown(j), h = run.step(j);
  std::vector<double> sum;
  for (const auto& [multiple, weight] :
       {std::pair{1, 8.0}, std::pair{-1, -8.0}, std::pair{2, -1.0}, std::pair{-2, 1.0}}) {
    run.unknown(j) = at + multiple * h;
    const auto y = run.replay(record);
    sum.resize(y.size());
    for (std::size_t i = 0; i < y.size(); ++i) sum[i] += weight * y[i] / (12 * h);
  }
  run.unknown(j) = at;
  return sum;
}

}  // namespace parfait::reference
