#include "parfait/run/simulation/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "parfait/base/error.h"

namespace parfait::run {
namespace {

/// `angle` with the whole turns that bring it closest to `last`.
double continued(double angle, double last) {
  constexpr double kTurn = 2 * std::numbers::pi;
  return angle - kTurn * std::round((angle - last) / kTurn);
}

}  // namespace

std::vector<double> make_grid(double until, double step) {
  if (!(until > 0) || !std::isfinite(until)) {
    throw base::InputError(fmt::format("until = {:g} s: must be > 0.", until));
  }
  if (!(step > 0) || !std::isfinite(step)) {
    throw base::InputError(fmt::format("step = {:g} s: must be > 0.", step));
  }
  constexpr double kMost = 1e7;
  if (until / step > kMost) {
    throw base::InputError(
        fmt::format("step = {:g} s: gives {:.0f} rows until {:g} s; at most {:.0f} are written.",
                    step, until / step, until, kMost));
  }
  std::vector<double> times;
  // A grid point within a millionth of a step of the end is the end.
  for (int i = 0; i * step < until - 1e-6 * step; ++i) times.push_back(i * step);
  times.push_back(until);
  return times;
}

Recorder::Recorder(const dynamics::System& system, dynamics::ConstVec p,
                   Sensitivities sensitivities, std::vector<std::string> quantities,
                   std::vector<double> times, const integrate::Options& options)
    : system_(system),
      sensitivities_(std::move(sensitivities)),
      workspace_(system.make_workspace(sensitivities_.count())),
      quantities_(std::move(quantities)),
      observer_(system.make_observer(quantities_)),
      times_(std::move(times)),
      options_(options),
      values_(quantities_.size()),
      recorded_(quantities_.size() * (1 + sensitivities_.names.size())) {
  const auto& sizes = system.sizes();
  const int k = sensitivities_.count();
  system.bind(*workspace_, p);
  if (k > 0) system.bind_directions(*workspace_, sensitivities_.dp);
  sample_.y.resize(sizes.ny());
  sample_.z.resize(sizes.nz);
  sample_.W.resize(sizes.ny(), k);
  sample_.dz.resize(sizes.nz, k);
  dvalues_.resize(static_cast<int>(quantities_.size()), k);
  std::vector<std::string> angles;
  for (int i = 0; i < observer_->size(); ++i) {
    if (!observer_->is_angle(i)) continue;
    angles.push_back(quantities_[i]);
    angle_columns_.push_back(i);
  }
  angles_.assign(angles.size(), 0.0);
  angle_values_.resize(angles.size());
  if (!angles.empty()) angle_observer_ = system.make_observer(angles);
  for (const auto& info : system.switch_infos()) may_terminate_ |= info.terminal;
}

void Recorder::start(const integrate::State& state) {
  // The algebraic states are only a guess here: the first step knows them.
  if (system_.sizes().nz > 0) return;
  take(state);
  record();
  has_row_ = true;
  if (!every_step()) ++next_;
}

void Recorder::add(const integrate::AcceptedStep& step) {
  if (every_step()) {
    // A changed mode tells of an event at a given time, which no step announces.
    const bool changed = last_mode_ && !std::ranges::equal(*last_mode_, step.mode);
    if (!has_row_ || changed) {
      take(step, step.t0);
      record();
    }
    follow_angles(step, step.t0, step.t1);
    take(step, step.t1);
    record();
    has_row_ = !step.event;
    last_mode_.emplace(step.mode.begin(), step.mode.end());
    return;
  }
  double followed = step.t0;
  for (; is_behind(step.t1); ++next_) {
    if (options_.is_stopped()) return;  // a step may have very many rows
    follow_angles(step, followed, times_[next_]);
    followed = times_[next_];
    take(step, times_[next_]);
    record();
  }
  follow_angles(step, followed, step.t1);
  if (may_terminate_) take(step, step.t1);  // in case it was the last
}

bool Recorder::is_behind(double t) const {
  return next_ < times_.size() && times_[next_] <= t;
}

void Recorder::finish(const integrate::State& state, const integrate::Result& result) {
  const bool ended_by_event = !result.events.empty() && result.events.back().t == state.t;
  if (every_step()) {
    // Algebraic states would be those before the event.
    if (!ended_by_event || system_.sizes().nz > 0) return;
    take(state);
    record();
  } else if (result.outcome == integrate::Outcome::kTerminated && !recorded_t_.empty() &&
             recorded_t_.back() < sample_.t) {
    record();
  }
}

void Recorder::take(const integrate::State& state) {
  sample_.t = state.t;
  sample_.y = state.y;
  sample_.z = state.z;
  if (sensitivities_.count() > 0) sample_.W = state.W;
  sample_.mode = state.mode;
}

void Recorder::take(const integrate::AcceptedStep& step, double t) {
  if (status_ != dynamics::Status::kOk) return;
  auto& curve = step.curve;
  if (t != curve.t1()) {
    status_ = integrate::take_sample(system_, *workspace_, options_, step, t, sample_);
    return;
  }
  // The end of a step is projected already.
  const bool has_directions = sensitivities_.count() > 0;
  sample_.t = t;
  sample_.mode.assign(step.mode.begin(), step.mode.end());
  std::ranges::copy(curve.y1(), sample_.y.begin());
  if (!sample_.z.empty()) std::ranges::copy(curve.z1(), sample_.z.begin());
  if (has_directions) sample_.W = curve.W1();
  if (has_directions && !sample_.z.empty()) {
    status_ = curve.algebraic_directions(t, sample_.dz);
  }
}

void Recorder::follow_angles(const integrate::AcceptedStep& step, double from, double to) {
  // Less than half a turn between two looks: up to two turns in a step are followed.
  constexpr int kLooks = 4;
  if (!angle_observer_ || status_ != dynamics::Status::kOk) return;
  const double h = (step.t1 - step.t0) / kLooks;
  const int looks = std::max(1, static_cast<int>(std::ceil((to - from) / h)));
  for (int i = 1; i <= looks; ++i) {
    const double t = i == looks ? to : from + (to - from) * i / looks;
    if (step.curve.state(t, sample_.y) != dynamics::Status::kOk) return;
    const dynamics::Point point{
        .t = t, .y = sample_.y, .z = sample_.z, .mode = step.mode, .offset = {}};
    if (system_.observe(*workspace_, *angle_observer_, point, angle_values_) !=
        dynamics::Status::kOk) {
      return;
    }
    continue_angles();
  }
}

void Recorder::continue_angles() {
  for (std::size_t i = 0; i < angles_.size(); ++i) {
    angles_[i] = has_angles_ ? continued(angle_values_[i], angles_[i]) : angle_values_[i];
  }
  has_angles_ = true;
}

void Recorder::record() {
  if (status_ != dynamics::Status::kOk) return;
  status_ = integrate::observe_sample(system_, *workspace_, *observer_, sample_, values_, dvalues_);
  if (status_ != dynamics::Status::kOk) return;
  for (std::size_t i = 0; i < angles_.size(); ++i) angle_values_[i] = values_[angle_columns_[i]];
  continue_angles();
  for (std::size_t i = 0; i < angles_.size(); ++i) values_[angle_columns_[i]] = angles_[i];
  recorded_t_.push_back(sample_.t);
  if (on_row_) on_row_(sample_);
  auto column = recorded_.begin();
  for (double value : values_) (column++)->push_back(value);
  if (sensitivities_.count() == 0) return;
  for (int i = 0; i < dvalues_.rows(); ++i) {
    for (int j = 0; j < dvalues_.count(); ++j) (column++)->push_back(dvalues_(i, j));
  }
}

std::string Recorder::message() const {
  std::vector<std::string> undefined;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (!std::isfinite(values_[i])) undefined.push_back(quantities_[i]);
  }
  if (!undefined.empty()) {
    return fmt::format("stopped at t = {:g} s: {} became infinite or undefined.", sample_.t,
                       base::listing(undefined));
  }
  return fmt::format("stopped at t = {:g} s, where the quantities are observed: {}.", sample_.t,
                     dynamics::text(status_));
}

result::Table Recorder::table() const {
  result::Table table;
  table.header.emplace_back("t");
  table.columns.push_back(recorded_t_);
  for (std::size_t i = 0; i < quantities_.size(); ++i) {
    table.header.push_back(quantities_[i]);
    table.columns.push_back(recorded_[i]);
  }
  for (const auto& quantity : quantities_) {
    for (const auto& name : sensitivities_.names) {
      table.header.push_back(fmt::format("d{}/d{}", quantity, name));
      table.columns.push_back(recorded_[table.columns.size() - 1]);
    }
  }
  return table;
}

}  // namespace parfait::run
