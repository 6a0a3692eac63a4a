#include "recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "parfait/base/error.h"

namespace parfait::app {
namespace {

bool is_angle(const std::string& quantity) {
  return quantity.ends_with(".angle") || quantity.ends_with(".angle.1") ||
         quantity.ends_with(".angle.2") || quantity.ends_with(".angle.3");
}

/// Adds whole turns so that neighbouring values differ by at most half a turn.
void unwrap(std::vector<double>& angles) {
  constexpr double kTurn = 2 * std::numbers::pi;
  for (std::size_t i = 1; i < angles.size(); ++i) {
    angles[i] -= kTurn * std::round((angles[i] - angles[i - 1]) / kTurn);
  }
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
                   std::vector<std::string> quantities, std::vector<double> times,
                   const integrate::Options& options)
    : system_(system),
      workspace_(system.make_workspace(0)),
      quantities_(std::move(quantities)),
      times_(std::move(times)),
      options_(options),
      recorded_(quantities_.size()) {
  auto observed = quantities_;
  observed.push_back("energy.total");
  observer_ = system.make_observer(observed);
  system.bind(*workspace_, p);
  const auto& sizes = system.sizes();
  y_.resize(sizes.ny());
  values_.resize(observer_->size());
  residuals_.resize(sizes.num_pos + sizes.num_vel);
}

void Recorder::start(double t0, dynamics::ConstVec y) {
  for (; next_ < times_.size() && times_[next_] <= t0; ++next_) {
    std::copy(y.begin(), y.end(), y_.begin());
    record(times_[next_]);
  }
}

void Recorder::add(const integrate::Step& step) {
  for (; next_ < times_.size() && times_[next_] <= step.t1; ++next_) {
    step.state(times_[next_], y_);
    record(times_[next_]);
  }
}

void Recorder::record(double t) {
  if (status_ != dynamics::Status::kOk) return;
  const auto& sizes = system_.sizes();
  if (sizes.num_pos + sizes.num_vel > 0) {
    status_ =
        system_.project(*workspace_, t, y_, options_.projection, options_.projection_tolerance)
            .status;
    if (status_ != dynamics::Status::kOk) return;
    system_.invariants(*workspace_, t, y_, residuals_);
    for (double g : residuals_) largest_residual_ = std::max(largest_residual_, std::abs(g));
  }
  status_ = system_.observe(*workspace_, *observer_,
                            {.t = t, .y = y_, .z = {}, .mode = {}, .offset = {}}, values_);
  if (status_ != dynamics::Status::kOk) return;
  for (std::size_t i = 0; i < quantities_.size(); ++i) recorded_[i].push_back(values_[i]);
  if (recorded_t_.empty()) first_energy_ = values_.back();
  largest_energy_change_ =
      std::max(largest_energy_change_, std::abs(values_.back() - first_energy_));
  recorded_t_.push_back(t);
}

io::CsvTable Recorder::table() const {
  io::CsvTable table;
  table.header.emplace_back("t");
  table.columns.push_back(recorded_t_);
  for (std::size_t i = 0; i < quantities_.size(); ++i) {
    table.header.push_back(quantities_[i]);
    table.columns.push_back(recorded_[i]);
    if (is_angle(quantities_[i])) unwrap(table.columns.back());
  }
  return table;
}

}  // namespace parfait::app
