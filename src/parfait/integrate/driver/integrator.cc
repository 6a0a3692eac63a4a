#include "parfait/integrate/driver/integrator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "parfait/base/error.h"
#include "parfait/integrate/bdf/algebraic_states.h"
#include "parfait/integrate/events/event_update.h"
#include "parfait/integrate/events/switch_watch.h"
#include "parfait/integrate/stepping/step_control.h"

namespace parfait::integrate {

using dynamics::Status;

namespace {

constexpr int kMaxRounds = 10;
using Ending = RecordedStep::Ending;

void check_start(const dynamics::System& system, const State& state, double t_end) {
  const auto& sizes = system.sizes();
  const auto require = [](std::size_t have, std::size_t want, const char* what) {
    if (have != want) {
      throw base::InputError(
          fmt::format("the initial {} has {} entries: must be {}.", what, have, want));
    }
  };
  if (!(t_end >= state.t) || !std::isfinite(t_end)) {
    throw base::InputError(
        fmt::format("end time = {:g} s: must not lie before the start, {:g} s.", t_end, state.t));
  }
  require(state.y.size(), sizes.ny(), "state");
  require(state.z.size(), sizes.nz, "algebraic state");
  if (state.W.count() > 0) require(state.W.rows(), sizes.ny(), "sensitivity");
  if (!state.mode.empty()) require(state.mode.size(), sizes.num_switches, "mode");
}

}  // namespace

/// Tells events that follow each other without progress from events that are merely many: the last
/// ones lie together as close as time resolves, or closer and closer (a ball that comes to rest).
class Integrator::Progress {
 public:
  explicit Progress(double span) : span_(span) {}

  /// False if the event at t makes no progress.
  bool add(double t) {
    std::shift_left(times_.begin(), times_.end(), 1);
    times_.back() = t;
    if (++count_ < times_.size()) return true;
    const double window = (times_.back() - times_.front()) / std::max(span_, std::abs(t));
    bool closer = true;
    for (std::size_t i = 2; i < times_.size(); ++i) {
      closer = closer && times_[i] - times_[i - 1] < times_[i - 1] - times_[i - 2];
    }
    return window > (closer ? 1e-6 : 1e-10);
  }

 private:
  double span_;
  std::array<double, 16> times_{};
  std::size_t count_ = 0;
};

/// One integration. Pieces run between breaks in time and events; steps never cross one.
class Integrator::Run {
 public:
  Run(const dynamics::System& system, dynamics::Workspace& workspace, const Options& options,
      State& state, double t_end, const OnStep& on_step)
      : flow_(make_flow(system, workspace, options, state, t_end)),
        stepper_(make_stepper(flow_, state.W.count())),
        state_(state),
        t_end_(t_end),
        on_step_(on_step),
        progress_(t_end - state.t),
        rate_(system.sizes().ny()),
        z_rate_(system.sizes().nz),
        dz_(system.sizes().nz, state.W.count()) {
    result_.t = state.t;
    for (double t : system.time_breaks()) {
      if (t > state.t && t < t_end) breaks_.push_back(t);
    }
    if (system.sizes().num_switches > 0) {
      watch_.emplace(flow_);
      update_.emplace(flow_, *watch_, state.W.count());
      if (system.sizes().nz > 0) algebraic_.emplace(flow_, state.W.count());
    }
  }

  Result run(Record* record, const Record* follow, Tape* tape = nullptr) {
    record_ = record;
    follow_ = follow;
    tape_ = tape;
    if (tape_) tape_->begin(state_.t, state_.y.size());
    if (record_) *record_ = {.t0 = state_.t, .t_end = t_end_, .steps = {}};
    if (watch_) begin_mode();
    while (result_.outcome == Outcome::kFinished && state_.t < t_end_) run_piece();
    result_.t = state_.t;
    result_.statistics = flow_.statistics;
    if (watch_) result_.unresolved = watch_->unresolved();
    return result_;
  }

 private:
  void fail(Outcome outcome, Status status) {
    // What failed because it was stopped did not fail.
    const bool failed = outcome == Outcome::kSystemFailed || outcome == Outcome::kNewtonFailed ||
                        outcome == Outcome::kStepTooSmall;
    const bool stopped = failed && flow_.options().is_stopped();
    result_.outcome = stopped ? Outcome::kInterrupted : outcome;
    result_.status = stopped ? Status::kOk : status;
  }

  static Flow make_flow(const dynamics::System& system, dynamics::Workspace& workspace,
                        const Options& options, const State& state, double t_end) {
    Flow flow(system, workspace, options);
    flow.follow_sizes(state.t, state.y, state.z, t_end - state.t);
    return flow;
  }

  void begin_mode() {
    flow_.set_piece({}, kInfinity);
    Status status = Status::kOk;
    if (state_.mode.empty()) status = find_mode();
    if (status == Status::kOk) status = watch_->event_times(state_, event_times_);
    if (status != Status::kOk) fail(Outcome::kSystemFailed, status);
  }

  /// The mode that the values give. Algebraic states depend on it as it does on them: both are
  /// found together, beginning with what the guess of z gives.
  Status find_mode() {
    Status status = watch_->find_mode(state_, z_rate_, state_.mode);
    for (int round = 0; algebraic_ && status == Status::kOk && round < kMaxRounds; ++round) {
      const auto last = state_.mode;
      flow_.set_piece(last, kInfinity);
      status = rates_here();
      if (status == Status::kOk) status = watch_->find_mode(state_, z_rate_, state_.mode);
      if (state_.mode == last) break;
    }
    return status;
  }

  /// The next break in time or time event after t, and the switching function if it is one.
  double next_stop(int& which) const {
    which = -1;
    double stop = t_end_;
    const auto next = std::upper_bound(breaks_.begin(), breaks_.end(), state_.t);
    if (next != breaks_.end()) stop = std::min(stop, *next);
    for (std::size_t i = 0; i < event_times_.size(); ++i) {
      const bool ahead = state_.mode[i] < 0 && event_times_[i] >= state_.t;
      if (ahead && event_times_[i] <= stop) {
        // Several at one time: one after the other, in their order.
        if (which < 0 || event_times_[i] < stop) which = static_cast<int>(i);
        stop = event_times_[i];
      }
    }
    return stop;
  }

  /// From a start or restart to the next stop or event.
  void run_piece() {
    int time_event = -1;
    const double stop = next_stop(time_event);
    // Up to a break the right-hand side is the one before it: at the break itself an input may
    // already have jumped.
    const bool is_break = std::binary_search(breaks_.begin(), breaks_.end(), stop);
    flow_.set_piece(state_.mode, is_break ? std::nextafter(stop, -kInfinity) : kInfinity);
    bool go_on = true;
    if (tape_) tape_->set_piece(flow_.mode(), flow_.latest(), state_.z);
    if (stop > state_.t) {
      const Status status = stepper_->start(state_);
      if (status != Status::kOk) return fail(Outcome::kSystemFailed, status);
      // A method with algebraic states solves for them first.
      std::ranges::copy(stepper_->z1(), state_.z.begin());
      go_on = start_watch();
    }
    while (go_on && state_.t < stop) go_on = advance(stop);
    if (go_on && time_event >= 0) {
      flow_.set_piece(state_.mode, kInfinity);
      const Status status = rates_here();
      if (status != Status::kOk) return fail(Outcome::kSystemFailed, status);
      pass(time_event);
    }
  }

  /// The tangent at the state itself, in the flow's mode; algebraic states are solved for.
  Status rates_here() {
    if (!algebraic_) return flow_.evaluate(state_.t, state_.y, rate_);
    const Status status = algebraic_->solve(state_);
    if (status != Status::kOk) return status;
    std::ranges::copy(algebraic_->y_rate(), rate_.begin());
    std::ranges::copy(algebraic_->z_rate(), z_rate_.begin());
    dz_ = algebraic_->directions();
    return status;
  }

  /// False if a switching function has the wrong sign from the start: then it passed here.
  bool start_watch() {
    if (!watch_) return true;
    Status status = tangent_of_step(state_.t);
    if (status == Status::kOk) status = watch_->start(state_, {.y = rate_, .z = z_rate_});
    if (status != Status::kOk) {
      fail(Outcome::kSystemFailed, status);
      return false;
    }
    const int which = watch_->at_once();
    if (which >= 0) pass(which);
    return which < 0;
  }

  /// The tangent of the continuous extension, and the directions of its algebraic states.
  Status tangent_of_step(double t) {
    Status status = stepper_->rate(t, rate_);
    if (status == Status::kOk) status = stepper_->algebraic_rate(t, z_rate_);
    if (status == Status::kOk && dz_.count() > 0) status = stepper_->algebraic_directions(t, dz_);
    return status;
  }

  /// One step; false where the piece ends before its stop.
  bool advance(double stop) {
    auto& statistics = flow_.statistics;
    if (flow_.options().is_stopped()) {
      fail(Outcome::kInterrupted, Status::kOk);
      return false;
    }
    if (statistics.steps + statistics.rejected >= flow_.options().max_steps) {
      fail(Outcome::kTooManySteps, Status::kOk);
      return false;
    }
    const Outcome outcome = follow_ ? follow_step(stop) : stepper_->step(stop);
    if (outcome != Outcome::kFinished) {
      fail(outcome, stepper_->status());
      return false;
    }
    count_step(stop);

    SwitchWatch::Passage passage;
    if (watch_) {
      const Status status = watch_->find(*stepper_, passage);
      if (status != Status::kOk) {
        fail(Outcome::kSystemFailed, status);
        return false;
      }
    }
    const bool event = passage.which >= 0;
    const auto ending = event                    ? Ending::kEvent
                        : stepper_->t1() >= stop ? Ending::kStop
                                                 : Ending::kPlain;
    if (record_) {
      record_->steps.push_back(stepper_->recorded());
      record_->steps.back().ending = ending;
    }
    if (tape_) {
      tape_->add_step(stepper_->t0(), stepper_->t1(), event ? passage.t : stepper_->t1(), event,
                      state_.y, stepper_->order());
    }
    if (follow_) follow_on(ending);
    flow_.look_at_step(true);
    const bool go_on = !on_step_ || on_step_({.curve = *stepper_,
                                              .t0 = stepper_->t0(),
                                              .t1 = event ? passage.t : stepper_->t1(),
                                              .mode = flow_.mode(),
                                              .event = event});
    flow_.look_at_step(false);
    if (event) {
      if (!move_to(passage.t)) return false;
    } else {
      take_end();
    }
    if (!go_on) {
      fail(Outcome::kInterrupted, Status::kOk);
      return false;
    }
    if (event && passage.stuck) {
      fail(Outcome::kChattering, Status::kOk);
      result_.culprit = watch_->infos()[passage.which].name;
    } else if (event) {
      pass(passage.which);
    }
    return !event;
  }

  /// The step of the record, or one of its length where an event has moved the start.
  Outcome follow_step(double stop) {
    const auto& steps = follow_->steps;
    if (followed_ >= steps.size())
      return stepper_->repeat({.t1 = stop, .order = 1, .t0 = state_.t});
    RecordedStep step = steps[followed_];
    if (step.ending == Ending::kStop) {
      step.t1 = stop;
    } else if (step.t0 != state_.t) {
      step.t1 = state_.t + (step.t1 - step.t0);
    }
    step.t1 = std::min(step.t1, stop);
    return stepper_->repeat(step);
  }

  /// Which step of the record comes next: an event may have moved from one step to another.
  void follow_on(Ending ending) {
    const auto& steps = follow_->steps;
    if (followed_ >= steps.size()) return;
    if (ending == Ending::kPlain) {
      // Where the record had its event, this run has it later: another step of this length.
      if (steps[followed_].ending == Ending::kPlain) ++followed_;
      return;
    }
    while (followed_ < steps.size() && steps[followed_].ending != ending) ++followed_;
    ++followed_;
  }

  void count_step(double stop) {
    auto& statistics = flow_.statistics;
    const double h = stepper_->t1() - stepper_->t0();
    ++statistics.steps;
    if (stepper_->t1() < stop) {
      statistics.smallest_step =
          statistics.smallest_step == 0 ? h : std::min(statistics.smallest_step, h);
    }
    statistics.largest_step = std::max(statistics.largest_step, h);
  }

  void take_end() {
    state_.t = stepper_->t1();
    std::ranges::copy(stepper_->y1(), state_.y.begin());
    std::ranges::copy(stepper_->z1(), state_.z.begin());
    if (state_.W.count() > 0) {
      const auto& W = stepper_->W1();
      std::copy(W.data(), W.data() + W.size(), state_.W.data());
    }
  }

  /// The state at t inside the step, on the manifold, and its tangent.
  bool move_to(double t) {
    Status status = stepper_->state(t, state_.y);
    if (status == Status::kOk) status = stepper_->algebraic(t, state_.z);
    if (status == Status::kOk) status = tangent_of_step(t);
    const bool has_directions = state_.W.count() > 0;
    if (status == Status::kOk && has_directions) status = stepper_->directions(t, state_.W);
    state_.t = t;
    if (status == Status::kOk && flow_.has_invariants()) {
      status = flow_.project(t, state_.y);
      if (status == Status::kOk && has_directions) status = flow_.project_directions(state_.W);
      // On the manifold the tangent is the right-hand side itself.
      if (status == Status::kOk) status = flow_.evaluate(t, state_.y, rate_);
    }
    if (status != Status::kOk) fail(Outcome::kSystemFailed, status);
    return status == Status::kOk;
  }

  /// Switching function `which` passes zero at the present state, whose tangent is rate_.
  void pass(int which) {
    bool jumped = false;
    const auto& info = watch_->infos()[which];
    TapeEvent taped;
    const auto answer = update_->apply(which, state_, {.y = rate_, .z = z_rate_}, dz_, jumped,
                                       tape_ ? &taped : nullptr);
    if (tape_) tape_->add_event(std::move(taped));
    if (answer == EventUpdate::Answer::kFailed) {
      return fail(Outcome::kSystemFailed, update_->status());
    }
    result_.events.push_back({.t = state_.t,
                              .which = which,
                              .mode = state_.mode[which],
                              .jumped = jumped,
                              .dt = update_->time_directions()});
    watch_->note_passage(which, state_.t);
    const bool many = static_cast<int>(result_.events.size()) >= flow_.options().max_events;
    if (answer == EventUpdate::Answer::kSliding || !progress_.add(state_.t) || many) {
      fail(Outcome::kChattering, Status::kOk);
      result_.culprit = info.name;
    } else if (jumped && info.terminal) {
      result_.outcome = Outcome::kTerminated;
      result_.culprit = info.name;
    }
  }

  Flow flow_;
  std::unique_ptr<Stepper> stepper_;
  State& state_;
  double t_end_;
  const OnStep& on_step_;
  std::optional<SwitchWatch> watch_;
  std::optional<EventUpdate> update_;
  Progress progress_;
  std::vector<double> breaks_, event_times_, rate_, z_rate_;
  dynamics::Directions dz_;
  std::optional<AlgebraicStates> algebraic_;
  Record* record_ = nullptr;
  const Record* follow_ = nullptr;
  Tape* tape_ = nullptr;
  std::size_t followed_ = 0;
  Result result_;
};

std::string Result::message() const {
  const auto counted = [](std::int64_t n, const char* one) {
    return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s");
  };
  const std::string steps = counted(statistics.steps, "step");
  switch (outcome) {
    case Outcome::kFinished:
      return fmt::format("finished at t = {:g} s after {}", t, steps);
    case Outcome::kTerminated:
      return fmt::format("ended by event \"{}\" at t = {:g} s after {}", culprit, t, steps);
    case Outcome::kInterrupted:
      return fmt::format("interrupted at t = {:g} s after {}", t, steps);
    case Outcome::kStepTooSmall: {
      const bool for_stiff = std::ranges::any_of(
          methods(), [&](const MethodInfo& m) { return m.for_stiff && culprit == m.name; });
      return fmt::format(
          "stopped at t = {:g} s: no step is small enough for the tolerance. The solution has a "
          "singularity here, or {}.",
          t,
          for_stiff
              ? "jumps without an event, or atol is too small for states of this size"
              : fmt::format("the problem is too stiff for this method: try {}",
                            method_names([](const MethodInfo& m) { return m.for_stiff; }, "or")));
    }
    case Outcome::kTooManySteps:
      return fmt::format("stopped at t = {:g} s: the limit of {} is reached (max_steps).", t,
                         counted(statistics.steps + statistics.rejected, "step"));
    case Outcome::kSystemFailed:
      return fmt::format(
          "stopped at t = {:g} s: {}.{}", t, dynamics::text(status),
          status == Status::kProjectionFailed ? " A larger projection_tolerance may help." : "");
    case Outcome::kNewtonFailed:
      return fmt::format(
          "stopped at t = {:g} s: the equations of the implicit step could not be solved, however "
          "small the step.",
          t);
    case Outcome::kChattering:
      return fmt::format(
          "stopped at t = {:g} s after {}: \"{}\" switches again and again without "
          "progress (chattering, or bounces that come to rest).",
          t, counted(static_cast<std::int64_t>(events.size()), "event"), culprit);
  }
  return "";
}

Integrator::Integrator(const dynamics::System& system, dynamics::Workspace& workspace,
                       const Options& options)
    : system_(system), workspace_(workspace), options_(options) {
  check_options(options);
}

Result Integrator::run(State& state, double t_end, const OnStep& on_step, Record* record,
                       Tape* tape) {
  check_start(system_, state, t_end);
  Result result =
      Run(system_, workspace_, options_, state, t_end, on_step).run(record, nullptr, tape);
  if (result.outcome == Outcome::kStepTooSmall) result.culprit = text(options_.method);
  return result;
}

Result Integrator::replay(State& state, const Record& record, const OnStep& on_step) {
  check_start(system_, state, record.t_end);
  return Run(system_, workspace_, options_, state, record.t_end, on_step).run(nullptr, &record);
}

}  // namespace parfait::integrate
