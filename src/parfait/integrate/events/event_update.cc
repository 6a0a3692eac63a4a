#include "parfait/integrate/events/event_update.h"

#include <algorithm>
#include <cmath>

namespace parfait::integrate {

using dynamics::Directions;
using dynamics::Status;
using dynamics::SwitchInfo;

namespace {

/// out(:, j) += scale * x * dt_j.
void add_outer(Directions& out, dynamics::ConstVec x, const std::vector<double>& dt, double scale) {
  for (int j = 0; j < out.count(); ++j) {
    for (int i = 0; i < out.rows(); ++i) out(i, j) += scale * x[i] * dt[j];
  }
}

bool jumps(const SwitchInfo& info, int mode_before) {
  switch (info.jump) {
    case SwitchInfo::Jump::kNever:
      return false;
    case SwitchInfo::Jump::kFalling:
      return mode_before > 0;
    case SwitchInfo::Jump::kRising:
      return mode_before < 0;
    case SwitchInfo::Jump::kBoth:
      return true;
  }
  return false;
}

}  // namespace

EventUpdate::EventUpdate(Flow& flow, SwitchWatch& watch, int num_directions)
    : flow_(flow),
      watch_(watch),
      y_after_(flow.ny()),
      f_after_(flow.ny()),
      z_before_(flow.system().sizes().nz),
      z_rate_(flow.system().sizes().nz),
      s_(watch.infos().size()),
      s_rate_(watch.infos().size()),
      dt_(num_directions),
      dy_(flow.ny(), num_directions),
      dz_(flow.system().sizes().nz, num_directions),
      dafter_(flow.ny(), num_directions),
      ds_(static_cast<int>(watch.infos().size()), num_directions) {
  if (flow.system().sizes().nz > 0) algebraic_.emplace(flow, num_directions);
}

/// dt_s for every direction; false where the event is touched rather than passed (s' = 0).
bool EventUpdate::event_time_directions(int which, const State& state, const Tangent& rate,
                                        const Directions& dz, TapeEvent* tape) {
  status_ = watch_.values(state.t, state.y, state.z, rate, s_, s_rate_);
  if (status_ != Status::kOk) return false;
  const double speed = s_rate_[which];
  if (dt_.empty() && !tape) return true;
  // Set off by the jump of another event: it happens when that one happens.
  const bool follows = state.t == last_ && is_off_surface(s_[which], speed, state.t);
  if (tape) {
    tape->follows = follows;
    tape->speed = speed;
  }
  if (follows) return true;
  if (speed == 0) {
    status_ = Status::kSingular;
    return false;
  }
  if (dt_.empty()) return true;
  const auto& system = flow_.system();
  status_ = system.switches(flow_.workspace(), flow_.point(state.t, state.y, state.z), s_);
  system.switch_directions(flow_.workspace(), {.dt = {}, .dy = &state.W, .dz = &dz}, ds_);
  for (std::size_t j = 0; j < dt_.size(); ++j) {
    dt_[j] = -ds_(which, static_cast<int>(j)) / speed;
  }
  return status_ == Status::kOk;
}

/// y' in the flow's mode, and z with its rate: it depends on the mode, too.
Status EventUpdate::evaluate(State& state) {
  if (algebraic_) {
    std::ranges::copy(z_before_, state.z.begin());
    const Status status = algebraic_->solve(state);
    std::ranges::copy(algebraic_->y_rate(), f_after_.begin());
    std::ranges::copy(algebraic_->z_rate(), z_rate_.begin());
    return status;
  }
  return flow_.evaluate(state.t, state.y, f_after_);
}

EventUpdate::Answer EventUpdate::apply(int which, State& state, const Tangent& rate,
                                       const Directions& dz, bool& jumped, TapeEvent* tape) {
  const auto& system = flow_.system();
  const SwitchInfo& info = watch_.infos()[which];
  const bool has_directions = !dt_.empty();
  if (!event_time_directions(which, state, rate, dz, tape)) return Answer::kFailed;
  if (tape) {
    tape->t = state.t;
    tape->latest = flow_.latest();
    tape->which = which;
    tape->mode = state.mode;
    tape->before = state.y;
    tape->rate.assign(rate.y.begin(), rate.y.end());
  }
  if (has_directions) {
    std::copy(state.W.data(), state.W.data() + state.W.size(), dy_.data());
    add_outer(dy_, rate.y, dt_, 1);
    std::copy(dz.data(), dz.data() + dz.size(), dz_.data());
    add_outer(dz_, rate.z, dt_, 1);
  }
  z_before_ = state.z;
  const double s_before = s_[which];

  const auto before = static_cast<std::int8_t>(state.mode[which]);
  jumped = jumps(info, before);
  if (jumped) {
    status_ =
        system.jump(flow_.workspace(), which, flow_.point(state.t, state.y, state.z), y_after_);
    if (status_ != Status::kOk) return Answer::kFailed;
    if (has_directions) {
      system.jump_directions(flow_.workspace(), {.dt = dt_, .dy = &dy_, .dz = &dz_}, dafter_);
      std::swap(dy_, dafter_);
    }
    std::copy(y_after_.begin(), y_after_.end(), state.y.begin());
  }

  // The new sign. On the surface the flow decides: first the other side, then (a ball that bounces)
  // the side it came from.
  const double latest = flow_.latest();
  const auto after = static_cast<std::int8_t>(-before);
  const auto leads_away = [&](std::int8_t sign) {
    state.mode[which] = sign;
    flow_.set_piece(state.mode, latest);
    status_ = evaluate(state);
    if (status_ == Status::kOk) {
      status_ =
          watch_.values(state.t, state.y, state.z, {.y = f_after_, .z = z_rate_}, s_, s_rate_);
    }
    if (status_ != Status::kOk) return false;
    // Away from the surface (after a jump, here or of another event) the value decides. On the side
    // that is left it is off by what projection has moved, and the rate decides. Where the passage
    // was located the value before is rounding; slow bounces would take it for a distance.
    const double moved = jumped && watch_.is_located(which) ? s_[which] - s_before : s_[which];
    const bool is_off = is_off_surface(moved, s_rate_[which], state.t);
    if (is_off && (jumped || after * s_[which] > 0)) return sign * s_[which] > 0;
    return sign * s_rate_[which] > 0;
  };
  if (info.time_only) {
    state.mode[which] = after;
    flow_.set_piece(state.mode, latest);
    status_ = evaluate(state);
  } else if (!leads_away(after)) {
    if (status_ == Status::kOk && !leads_away(before)) {
      return status_ == Status::kOk ? Answer::kSliding : Answer::kFailed;
    }
  }
  if (status_ != Status::kOk) return Answer::kFailed;
  last_ = state.t;

  if (tape) {
    tape->jumped = jumped;
    tape->after = state.y;
    tape->rate_after = f_after_;
  }
  if (has_directions) {
    add_outer(dy_, f_after_, dt_, -1);
    std::copy(dy_.data(), dy_.data() + dy_.size(), state.W.data());
  }
  return Answer::kSwitched;
}

}  // namespace parfait::integrate
