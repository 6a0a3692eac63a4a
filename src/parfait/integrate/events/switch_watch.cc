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
      rate_(infos_.size()),
      s_(infos_.size()),
      y_(flow.ny()),
      dydt_(flow.ny()),
      z_(flow.system().sizes().nz),
      dzdt_(flow.system().sizes().nz),
      dy_(flow.ny(), 1),
      dz_(flow.system().sizes().nz, 1),
      ds_(static_cast<int>(infos_.size()), 1),
      passed_at_(infos_.size(), std::numeric_limits<double>::quiet_NaN()),
      leaving_(infos_.size()) {
  const std::vector<double> none(infos_.size());
  begin_.s = begin_.rate = end_.s = end_.rate = scale_ = largest_ = none;
  passage_ = begin_;
  for (Look& middle : middles_) middle.s = middle.rate = none;
  steps_unresolved_.resize(infos_.size());
  is_unresolved_.resize(infos_.size());
}

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
    // What is to happen at the time of the start happens.
    if (s_[i] == 0 && infos_[i].time_only && flow_.options().events_at_start) mode[i] = -1;
  }
  if (!zero) return status;
  at.mode = mode;
  status = system.evaluate(*workspace_, at, dydt_, z_);
  if (status != Status::kOk) return status;
  at.mode = {};
  status = values(at, {.y = dydt_, .z = dzdt}, s_, rate_);
  for (std::size_t i = 0; i < s_.size(); ++i) {
    if (s_[i] == 0 && rate_[i] < 0 && !infos_[i].time_only) mode[i] = -1;
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
  const double t = begin_.t = state.t;
  located_ = -1;
  const Status status = values(t, state.y, state.z, rate, begin_.s, begin_.rate);
  for (std::size_t i = 0; i < infos_.size(); ++i) {
    // A run that goes on from an event of an earlier one finds its function at zero, too.
    const double s = begin_.s[i], ds = begin_.rate[i];
    const bool inward = flow_.mode()[i] * ds > 0 && !is_off_surface(s, ds, t);
    leaving_[i] = passed_at_[i] == t || (flow_.mode()[i] * s < 0 && inward);
  }
  return status;
}

int SwitchWatch::at_once() const {
  for (std::size_t i = 0; i < infos_.size(); ++i) {
    const bool counts = !leaving_[i] && !infos_[i].time_only;
    if (counts && flow_.mode()[i] * begin_.s[i] < 0) return static_cast<int>(i);
  }
  return -1;
}

Status SwitchWatch::find(Stepper& step, Passage& first) {
  first = {};
  begin_.t = step.t0();
  end_.t = step.t1();
  status_ = step.rate(step.t1(), dydt_);
  if (status_ == Status::kOk) status_ = step.algebraic_rate(step.t1(), dzdt_);
  if (status_ != Status::kOk) return status_;
  status_ = values(step.t1(), step.y1(), step.z1(), {.y = dydt_, .z = dzdt_}, end_.s, end_.rate);
  if (status_ != Status::kOk) return status_;
  for (std::size_t i = 0; i < infos_.size(); ++i) {
    scale_[i] = std::max(std::abs(begin_.s[i]), std::abs(end_.s[i]));
    is_unresolved_[i] = false;
  }
  search(step, begin_, end_, 0, first);
  for (std::size_t i = 0; i < infos_.size(); ++i) {
    largest_[i] = std::max(largest_[i], scale_[i]);
    steps_unresolved_[i] += is_unresolved_[i] ? 1 : 0;
  }
  located_ = first.which;
  if (first.which < 0) {
    std::swap(begin_, end_);
    std::fill(leaving_.begin(), leaving_.end(), false);
  }
  return status_;
}

void SwitchWatch::look(Stepper& step, double t, Look& out) {
  out.t = t;
  status_ = step.state(t, y_);
  if (status_ == Status::kOk && !z_.empty()) status_ = step.algebraic(t, z_);
  if (status_ == Status::kOk) status_ = step.rate(t, dydt_);
  if (status_ == Status::kOk) status_ = step.algebraic_rate(t, dzdt_);
  if (status_ == Status::kOk) {
    status_ = values(t, y_, z_, {.y = dydt_, .z = dzdt_}, out.s, out.rate);
  }
}

bool SwitchWatch::is_resolved(const Look& a, const Look& middle, const Look& b, int depth) {
  constexpr double kPart = 0.05;    // of the largest value in the step
  constexpr double kNoise = 1e-12;  // of the largest value so far
  constexpr int kPatience = 3, kShallow = 3;
  const double h = b.t - a.t;
  bool resolved = true;
  for (std::size_t i = 0; i < infos_.size(); ++i) {
    if (infos_[i].time_only) continue;
    scale_[i] = std::max(scale_[i], std::abs(middle.s[i]));
    if (scale_[i] <= kNoise * largest_[i]) continue;
    // One that cannot be resolved is told; it is not looked for at the finest again and again.
    if (steps_unresolved_[i] >= kPatience && depth >= kShallow) continue;
    const double s = (a.s[i] + b.s[i]) / 2 + h / 8 * (a.rate[i] - b.rate[i]);
    const double rate = 1.5 * (b.s[i] - a.s[i]) / h - (a.rate[i] + b.rate[i]) / 4;
    const double off = std::max(std::abs(middle.s[i] - s), h / 4 * std::abs(middle.rate[i] - rate));
    if (off <= kPart * scale_[i]) continue;
    resolved = false;
    if (depth == kDeepest) is_unresolved_[i] = true;
  }
  return resolved;
}

/// The first passage in [a, b], piece by piece from the left.
void SwitchWatch::search(Stepper& step, const Look& a, const Look& b, int depth, Passage& first) {
  Look& middle = middles_[static_cast<std::size_t>(depth)];
  look(step, (a.t + b.t) / 2, middle);
  if (status_ != Status::kOk) return;
  if (is_resolved(a, middle, b, depth) || depth == kDeepest) {
    search_piece(step, a, b, first);
    return;
  }
  search(step, a, middle, depth + 1, first);
  if (status_ == Status::kOk && first.which < 0) search(step, middle, b, depth + 1, first);
}

void SwitchWatch::search_piece(Stepper& step, const Look& from, const Look& to, Passage& first) {
  for (int i = 0; i < static_cast<int>(infos_.size()) && status_ == Status::kOk; ++i) {
    if (infos_[i].time_only) continue;
    const double m = flow_.mode()[i];
    const bool leaving = leaving_[i] && from.t == step.t0();
    double a = from.t, b = to.t;
    if (m * to.s[i] >= 0) {
      // A dip must fall first; a function that has just fired may also return at once.
      if (!(m * from.rate[i] < 0 && m * to.rate[i] > 0)) continue;
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
    if (leaving && !stuck) {
      // Found on its way from zero: it never rose above rounding.
      look(step, t, passage_);
      stuck = m * passage_.rate[i] > 0;
    }
    if (first.which < 0 || t < first.t) first = {.t = t, .which = i, .stuck = stuck};
  }
}

std::vector<std::string> SwitchWatch::unresolved() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < infos_.size(); ++i) {
    if (steps_unresolved_[i] > 0) names.push_back(infos_[i].name);
  }
  return names;
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
