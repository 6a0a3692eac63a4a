#include "parfait/integrate/events/switch_watch.h"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

namespace parfait::integrate {

using dynamics::Status;

bool is_off_surface(double s, double rate, double t) {
  return std::abs(s) > 1e-9 * std::max(std::abs(rate), 1e-300) * std::max(1.0, std::abs(t));
}

SwitchWatch::SwitchWatch(const Flow& flow)
    : flow_(flow),
      infos_(flow.system().switch_infos()),
      workspace_(flow.system().make_bound_copy(flow.workspace(), 1)),
      s0_(infos_.size()),
      rate0_(infos_.size()),
      s1_(infos_.size()),
      rate1_(infos_.size()),
      s_(infos_.size()),
      y_(flow.ny()),
      dydt_(flow.ny()),
      z_(flow.system().sizes().nz),
      dzdt_(flow.system().sizes().nz),
      dy_(flow.ny(), 1),
      dz_(flow.system().sizes().nz, 1),
      ds_(static_cast<int>(infos_.size()), 1),
      passed_at_(infos_.size(), std::numeric_limits<double>::quiet_NaN()),
      leaving_(infos_.size()) {}

Status SwitchWatch::find_mode(const State& state, dynamics::ConstVec dzdt,
                              std::vector<std::int8_t>& mode) {
  const auto& system = flow_.system();
  dynamics::Point at{.t = state.t, .y = state.y, .z = state.z, .mode = {}, .offset = {}};
  Status status = system.switches(*workspace_, at, s_);
  if (status != Status::kOk) return status;
  mode.resize(infos_.size());
  bool zero = false;
  for (std::size_t i = 0; i < s_.size(); ++i) {
    mode[i] = s_[i] < 0 ? -1 : 1;
    zero = zero || s_[i] == 0;
  }
  if (!zero) return status;
  at.mode = mode;
  status = system.evaluate(*workspace_, at, dydt_, z_);
  if (status != Status::kOk) return status;
  at.mode = {};
  status = values(at, {.y = dydt_, .z = dzdt}, s_, rate1_);
  for (std::size_t i = 0; i < s_.size(); ++i) {
    if (s_[i] == 0 && rate1_[i] < 0 && !infos_[i].time_only) mode[i] = -1;
  }
  return status;
}

Status SwitchWatch::event_times(const State& state, std::vector<double>& times) {
  times.assign(infos_.size(), std::numeric_limits<double>::infinity());
  // At t = 0 the difference t - T is not rounded.
  const Status status = flow_.system().switches(
      *workspace_, {.t = 0, .y = state.y, .z = state.z, .mode = {}, .offset = {}}, s_);
  for (std::size_t i = 0; i < infos_.size(); ++i) {
    if (infos_[i].time_only) times[i] = -s_[i];
  }
  return status;
}

Status SwitchWatch::values(double t, dynamics::ConstVec y, dynamics::ConstVec z,
                           const Tangent& tangent, std::vector<double>& s,
                           std::vector<double>& rate) {
  return values(flow_.point(t, y, z), tangent, s, rate);
}

Status SwitchWatch::values(const dynamics::Point& at, const Tangent& tangent,
                           std::vector<double>& s, std::vector<double>& rate) {
  const auto& system = flow_.system();
  const Status status = system.switches(*workspace_, at, s);
  if (status != Status::kOk) return status;
  for (int i = 0; i < dy_.rows(); ++i) dy_(i, 0) = tangent.y[i];
  for (int i = 0; i < dz_.rows(); ++i) dz_(i, 0) = tangent.z[i];
  const double one[1] = {1};
  system.switch_directions(*workspace_, {.dt = one, .dy = &dy_, .dz = &dz_}, ds_);
  for (std::size_t i = 0; i < rate.size(); ++i) rate[i] = ds_(static_cast<int>(i), 0);
  return status;
}

Status SwitchWatch::start(const State& state, const Tangent& rate) {
  const double t = state.t;
  const Status status = values(t, state.y, state.z, rate, s0_, rate0_);
  for (std::size_t i = 0; i < infos_.size(); ++i) {
    // A run that goes on from an event of an earlier one finds its function at zero, too.
    const bool inward = flow_.mode()[i] * rate0_[i] > 0 && !is_off_surface(s0_[i], rate0_[i], t);
    leaving_[i] = passed_at_[i] == t || (flow_.mode()[i] * s0_[i] < 0 && inward);
  }
  return status;
}

int SwitchWatch::at_once() const {
  for (std::size_t i = 0; i < infos_.size(); ++i) {
    const bool counts = !leaving_[i] && !infos_[i].time_only;
    if (counts && flow_.mode()[i] * s0_[i] < 0) return static_cast<int>(i);
  }
  return -1;
}

Status SwitchWatch::find(Stepper& step, Passage& first) {
  first = {};
  status_ = step.rate(step.t1(), dydt_);
  if (status_ == Status::kOk) status_ = step.algebraic_rate(step.t1(), dzdt_);
  if (status_ != Status::kOk) return status_;
  status_ = values(step.t1(), step.y1(), step.z1(), {.y = dydt_, .z = dzdt_}, s1_, rate1_);
  if (status_ != Status::kOk) return status_;
  for (int i = 0; i < static_cast<int>(infos_.size()) && status_ == Status::kOk; ++i) {
    if (infos_[i].time_only) continue;
    const double m = flow_.mode()[i];
    const bool leaving = leaving_[i];
    double a = step.t0(), b = step.t1();
    if (m * s1_[i] >= 0) {
      // A dip must fall first; a function that has just fired may also return at once.
      if (!(m * rate0_[i] < 0 && m * rate1_[i] > 0)) continue;
      std::uintmax_t most = 60;
      const auto dip = boost::math::tools::brent_find_minima(
          [&](double t) { return sigma(step, i, t); }, a, b, 30, most);
      if (!(dip.second < 0)) continue;
      b = dip.first;
    }
    bool stuck = false;
    if (leaving) {
      // It started at zero: look for a time when it had the sign of the mode.
      const double resolution = 8 * std::numeric_limits<double>::epsilon() * std::abs(a);
      double part = 0.5 * (b - a);
      while (part > resolution && sigma(step, i, a + part) <= 0) part *= 0.5;
      stuck = part <= resolution;
      a += part;
    }
    const double t = passage(step, i, a, b);
    if (first.which < 0 || t < first.t) first = {.t = t, .which = i, .stuck = stuck};
  }
  if (first.which < 0) {
    std::swap(s0_, s1_);
    std::swap(rate0_, rate1_);
    std::fill(leaving_.begin(), leaving_.end(), false);
  }
  return status_;
}

double SwitchWatch::sigma(Stepper& step, int i, double t) {
  Status status = step.state(t, y_);
  if (status == Status::kOk && !z_.empty()) status = step.algebraic(t, z_);
  if (status == Status::kOk) {
    status = flow_.system().switches(*workspace_, flow_.point(t, y_, z_), s_);
  }
  if (status != Status::kOk) {
    status_ = status;
    return 0;
  }
  return flow_.mode()[i] * s_[i];
}

/// The first time in [a, b] after which sigma_i is negative, to the last bit of t.
double SwitchWatch::passage(Stepper& step, int i, double a, double b) {
  const double at_a = sigma(step, i, a);
  if (at_a <= 0) return a;
  const double at_b = sigma(step, i, b);
  // The end was negative after its projection only.
  if (at_b >= 0) return b;
  std::uintmax_t most = 200;
  const auto bracket = boost::math::tools::toms748_solve(
      [&](double t) { return sigma(step, i, t); }, a, b, at_a, at_b,
      [](double lower, double upper) {
        return upper - lower <= 2 * std::numeric_limits<double>::epsilon() * std::abs(upper);
      },
      most);
  return bracket.second;
}

}  // namespace parfait::integrate
