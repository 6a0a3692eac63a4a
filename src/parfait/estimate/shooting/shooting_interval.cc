#include "parfait/estimate/shooting/shooting_interval.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "parfait/estimate/shooting/stiffness.h"
#include "parfait/math/directions_matrix.h"

namespace parfait::estimate {

ShootingInterval::ShootingInterval(const dynamics::System& system,
                                   const dynamics::System::Observer& observer,
                                   const integrate::Options& options, double t0, double t1,
                                   std::vector<double> times, bool watches_events)
    : system_(system),
      observer_(observer),
      options_(options),
      t0_(t0),
      t1_(t1),
      times_(std::move(times)),
      watches_events_(watches_events) {
  quantity_.resize(static_cast<std::size_t>(observer.size()));
  values_.resize(observer.size(), num_samples());
  derivatives_.assign(times_.size(), Eigen::MatrixXd(observer.size(), 0));
  if (watches_events_) derivatives_.emplace_back(0, 0);
}

bool ShootingInterval::run(const Start& start, bool record) {
  return integrate(start, nullptr, record ? &record_ : nullptr);
}

bool ShootingInterval::replay(const Start& start) {
  return integrate(start, &record_, nullptr);
}

void ShootingInterval::set_record(const integrate::Record& record) {
  record_ = record;
  if (record.t0 == t0_ && record.t_end == t1_) return;
  const double stretch = (t1_ - t0_) / (record.t_end - record.t0);
  const auto moved = [&](double t) {
    return t == record.t_end ? t1_ : t0_ + stretch * (t - record.t0);
  };
  for (auto& step : record_.steps) {
    step.t0 = moved(step.t0);
    step.t1 = moved(step.t1);
  }
  record_.t0 = t0_;
  record_.t_end = t1_;
}

void ShootingInterval::bind(const Start& start) {
  const int k = start.W.count();
  if (k > capacity_) {
    flow_workspace_ = system_.make_workspace(k);
    observer_workspace_ = system_.make_workspace(k);
    capacity_ = k;
  }
  for (auto* ws : {flow_workspace_.get(), observer_workspace_.get()}) {
    system_.bind(*ws, start.p);
    if (k > 0) system_.bind_directions(*ws, start.dp);
  }
}

bool ShootingInterval::integrate(const Start& start, const integrate::Record* repeat,
                                 integrate::Record* record) {
  bind(start);
  why_.clear();
  is_stiff_ = false;
  events_.clear();
  statistics_ = {};
  next_ = 0;
  state_.t = t0_;
  state_.y = start.y;
  state_.z = start.z;
  state_.W = start.W;
  state_.mode.clear();

  if (angle_observer_ != nullptr) {
    angles_.clear();
    if (!look_at_angles(t0_, start.y, start.z, {})) return false;
    first_angles_ = angles_;
  }
  sample_ = {.t = t0_, .y = start.y, .z = start.z, .W = start.W, .dz = start.dz};
  for (; next_ < num_samples() && times_[static_cast<std::size_t>(next_)] <= t0_; ++next_) {
    if (!observe()) return false;
  }
  if (t1_ <= t0_) {
    take_event_times(start.W.count());
    return true;
  }

  integrate::Integrator integrator(system_, *flow_workspace_, options_);
  const auto on_step = [this](const integrate::AcceptedStep& step) { return take(step); };
  const integrate::Result result = repeat != nullptr ? integrator.replay(state_, *repeat, on_step)
                                                     : integrator.run(state_, t1_, on_step, record);
  events_ = result.events;
  statistics_ = result.statistics;
  take_event_times(start.W.count());
  if (!why_.empty()) return false;
  if (result.outcome != integrate::Outcome::kFinished) {
    why_ = result.message();
    if (result.outcome == integrate::Outcome::kTooManySteps &&
        !integrate::info(options_.method).for_stiff && system_.sizes().nz == 0 &&
        statistics_.steps > 0) {
      const std::string advice = stiffness_advice(
          system_, *flow_workspace_,
          {.t = result.t, .y = state_.y, .z = state_.z, .mode = state_.mode, .offset = {}},
          (result.t - t0_) / static_cast<double>(statistics_.steps));
      is_stiff_ = !advice.empty();
      why_ += advice;
    }
    return false;
  }
  return true;
}

void ShootingInterval::take_event_times(int num_directions) {
  if (!watches_events_) return;
  Eigen::MatrixXd& D = derivatives_.back();
  D.resize(static_cast<Eigen::Index>(events_.size()), num_directions);
  for (std::size_t e = 0; e < events_.size(); ++e) {
    for (int j = 0; j < num_directions; ++j) D(e, j) = events_[e].dt[j];
  }
}

namespace {

/// `angle` with the whole turns that bring it closest to `last`.
double continued(double angle, double last) {
  return last + std::remainder(angle - last, 2 * std::numbers::pi);
}

}  // namespace

void ShootingInterval::follow_angles(const dynamics::System::Observer& observer,
                                     std::vector<int> quantities) {
  angle_observer_ = &observer;
  angle_quantities_ = std::move(quantities);
  angle_values_.resize(angle_quantities_.size());
}

bool ShootingInterval::look_at_angles(double t, const std::vector<double>& y,
                                      const std::vector<double>& z, dynamics::Mode mode) {
  const dynamics::Point point{.t = t, .y = y, .z = z, .mode = mode, .offset = {}};
  if (system_.observe(*observer_workspace_, *angle_observer_, point, angle_values_) !=
      dynamics::Status::kOk) {
    why_ = fmt::format("at t = {:g}: an observed angle is not finite", t);
    return false;
  }
  if (angles_.empty()) angles_ = angle_values_;
  for (std::size_t i = 0; i < angles_.size(); ++i) {
    angles_[i] = continued(angle_values_[i], angles_[i]);
  }
  return true;
}

/// Less than half a turn between two looks: up to two turns in a step are followed.
bool ShootingInterval::turn_with(const integrate::AcceptedStep& step, double from, double to) {
  constexpr int kLooks = 4;
  if (angle_observer_ == nullptr || !(to > from)) return true;
  const double h = (step.t1 - step.t0) / kLooks;
  const int looks = std::max(1, static_cast<int>(std::ceil((to - from) / h)));
  look_.resize(state_.y.size());
  for (int i = 1; i <= looks; ++i) {
    const double t = i == looks ? to : from + (to - from) * i / looks;
    if (step.curve.state(t, look_) != dynamics::Status::kOk) return false;
    if (!look_at_angles(t, look_, state_.z, step.mode)) return false;
  }
  return true;
}

bool ShootingInterval::take(const integrate::AcceptedStep& step) {
  double turned = step.t0;
  for (; next_ < num_samples() && times_[static_cast<std::size_t>(next_)] <= step.t1; ++next_) {
    if (options_.is_stopped()) return false;
    const double t = times_[static_cast<std::size_t>(next_)];
    if (!turn_with(step, turned, t)) return false;
    turned = std::max(turned, t);
    const dynamics::Status status =
        integrate::take_sample(system_, *observer_workspace_, options_, step, t, sample_);
    if (status != dynamics::Status::kOk) {
      why_ = fmt::format("at t = {:g}: {}", t, dynamics::text(status));
      return false;
    }
    if (!observe()) return false;
  }
  return turn_with(step, turned, step.t1);
}

bool ShootingInterval::observe() {
  const dynamics::Status status = integrate::observe_sample(
      system_, *observer_workspace_, observer_, sample_, quantity_, dquantity_);
  const bool finite = std::ranges::all_of(quantity_, [](double x) { return std::isfinite(x); });
  if (status != dynamics::Status::kOk || !finite) {
    why_ = fmt::format("at t = {:g}: an observed quantity is not finite", sample_.t);
    return false;
  }
  for (std::size_t i = 0; i < angle_quantities_.size(); ++i) {
    double& angle = quantity_[static_cast<std::size_t>(angle_quantities_[i])];
    angle = angles_[i] = continued(angle, angles_[i]);
  }
  values_.col(next_) = Eigen::Map<const Eigen::VectorXd>(quantity_.data(), observer_.size());
  const int k = sample_.W.count();
  if (k == 0) return true;
  auto& D = derivatives_[static_cast<std::size_t>(next_)];
  D.resize(observer_.size(), k);
  math::copy(dquantity_, D);
  return true;
}

}  // namespace parfait::estimate
