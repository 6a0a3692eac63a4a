#include "parfait/integrate/driver/adjoint.h"

#include <fmt/format.h>

#include <algorithm>

#include "parfait/base/error.h"
#include "parfait/integrate/adams/adams_reverse.h"
#include "parfait/integrate/bdf/bdf_reverse.h"
#include "parfait/integrate/hht/hht_reverse.h"
#include "parfait/integrate/runge_kutta/runge_kutta_reverse.h"
#include "parfait/integrate/stepping/stepper.h"

namespace parfait::integrate {

using dynamics::ConstVec;
using dynamics::Status;
using dynamics::Vec;

bool has_exact_adjoint(Method method) {
  return method != Method::kBdf;
}

namespace {

std::unique_ptr<ReverseStepper> make_reverse(const dynamics::System& system,
                                             const dynamics::Workspace& workspace,
                                             const Options& options, const Tape& tape) {
  switch (options.method) {
    case Method::kDop853:
      return make_dop853_reverse(system, workspace, options);
    case Method::kDopri5:
      return make_dopri5_reverse(system, workspace, options);
    case Method::kAbm:
      return make_adams_reverse(system, workspace, options, tape);
    case Method::kHht:
      return make_hht_reverse(system, workspace, options, tape);
    case Method::kBdf:
      return make_bdf_reverse(system, workspace, options, tape);
  }
  return nullptr;
}

double dot(ConstVec a, ConstVec b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

Adjoint::Adjoint(const dynamics::System& system, const dynamics::Workspace& workspace,
                 const Options& options, const Tape& tape)
    : system_(system),
      options_(options),
      tape_(tape),
      own_(system.make_bound_copy(workspace, math::kLanes)),
      replayed_(system.make_bound_copy(workspace, 0)),
      stepper_(make_reverse(system, workspace, options, tape)),
      y_(static_cast<std::size_t>(system.sizes().ny())),
      y_bar_(y_.size()),
      s_(static_cast<std::size_t>(system.sizes().num_switches)) {
  system.clear_parameter_adjoint(*own_);
  if (system.sizes().nz > 0 && !tape.events().empty()) {
    throw base::InputError(fmt::format(
        "a model with algebraic states and an event (at t = {:g} s) has no adjoint. Use "
        "forward directions.",
        tape.events().front().t));
  }
  if (tape.bytes() > tape.memory()) {
    throw base::InputError(
        fmt::format("memory = {:.3g} MB: the states of {} steps need at least {:.3g} MB.",
                    tape.memory() / 1e6, tape.steps().size(), tape.least_memory() / 1e6));
  }
}

Adjoint::~Adjoint() = default;

Status Adjoint::run(Vec ybar, const OnReverseStep& on_step) {
  const auto& events = tape_.events();
  const int num_steps = static_cast<int>(tape_.steps().size());
  const int stride = tape_.stride();
  int num_events = static_cast<int>(events.size());
  carried_ = 0;
  for (int index = num_steps - 1; index >= -1; --index) {
    // What happened after this step (or before the first), the latest first.
    const int first = index >= 0 ? tape_.steps()[index].num_events : 0;
    for (; num_events > first; --num_events) {
      const Status status = pull_event(events[num_events - 1], ybar);
      if (status != Status::kOk) return status;
    }
    if (index < 0) break;
    ConstVec y0;
    if (stride == 1) {
      y0 = tape_.checkpoint(index);
    } else {
      const int segment = index / stride;
      if (index == num_steps - 1 || (index + 1) % stride == 0) {
        const Status status = replay(segment * stride, index);
        if (status != Status::kOk) return status;
      }
      y0 = between_[static_cast<std::size_t>(index % stride)];
    }
    const Status status = pull_step(index, y0, ybar, on_step);
    if (status != Status::kOk) return status;
  }
  stepper_->collect(*own_);
  return Status::kOk;
}

/// States where the steps first ... last begin.
Status Adjoint::replay(int first, int last) {
  between_.resize(static_cast<std::size_t>(tape_.stride()));
  State state;
  const ConstVec start = tape_.checkpoint(first / tape_.stride());
  state.y.assign(start.begin(), start.end());
  Flow flow(system_, *replayed_, options_);
  const auto stepper = make_stepper(flow, 0);
  bool running = false;
  for (int index = first; index <= last; ++index) {
    const TapeStep& step = tape_.steps()[index];
    const TapePiece& piece = tape_.pieces()[step.piece];
    if (index > first && step.num_events > tape_.steps()[index - 1].num_events) {
      const auto& event = tape_.events()[step.num_events - 1];
      state.y = event.after;
      running = false;
    }
    if (index > first && step.piece != tape_.steps()[index - 1].piece) running = false;
    between_[static_cast<std::size_t>(index - first)] = state.y;
    if (index == last) break;
    if (!running) {
      state.t = step.t0;
      flow.set_piece(piece.mode, piece.latest);
      const Status status = stepper->start(state);
      if (status != Status::kOk) return status;
      running = true;
    }
    if (step.cut) continue;  // the event that follows knows the state
    if (stepper->repeat({.t1 = step.t1, .order = step.order, .t0 = step.t0}) !=
        Outcome::kFinished) {
      return stepper->status() == Status::kOk ? Status::kNotFinite : stepper->status();
    }
    std::ranges::copy(stepper->y1(), state.y.begin());
  }
  return Status::kOk;
}

Status Adjoint::pull_step(int index, ConstVec y0, Vec ybar, const OnReverseStep& on_step) {
  const TapeStep& step = tape_.steps()[index];
  const TapePiece& piece = tape_.pieces()[step.piece];
  Status status = stepper_->load(step, piece, y0);
  if (status != Status::kOk) return status;
  if (on_step) {
    on_step({.curve = *stepper_, .t0 = step.t0, .end = step.end, .piece = piece, .end_bar = ybar});
  }
  if (step.cut) {
    // The state at the event: the continuous extension, projected. (A2)
    status = stepper_->state(step.end, y_);
    if (status != Status::kOk) return status;
    const auto& sizes = system_.sizes();
    if (sizes.num_pos + sizes.num_vel > 0) {
      status = system_
                   .project(*own_, std::min(step.end, piece.latest), y_, options_.projection,
                            options_.projection_tolerance)
                   .status;
      if (status == Status::kOk) status = system_.pull_back_projection(*own_, ybar);
      if (status != Status::kOk) return status;
    }
    stepper_->add(step.end, ybar);
    std::ranges::fill(ybar, 0.0);
  }
  return stepper_->pull(ybar);
}

/// (A3), with the values before the jump where (E1) has them.
Status Adjoint::pull_event(const TapeEvent& event, Vec ybar) {
  const dynamics::Point at{.t = std::min(event.t, event.latest),
                           .y = event.before,
                           .z = {},
                           .mode = event.mode,
                           .offset = {}};
  double time = carried_ - dot(event.rate_after, ybar);
  carried_ = 0;
  if (event.jumped) {
    Status status = system_.jump(*own_, event.which, at, y_);
    if (status != Status::kOk) return status;
    std::ranges::fill(y_bar_, 0.0);
    dynamics::Pulled to{.t = 0, .y = y_bar_, .z = {}};
    system_.pull_back_jump(*own_, ybar, to);
    std::ranges::copy(y_bar_, ybar.begin());
    time += to.t;
  }
  time += dot(event.rate, ybar);
  if (event.follows) {
    carried_ = time;
    return Status::kOk;
  }
  const Status status = system_.switches(*own_, at, s_);
  if (status != Status::kOk) return status;
  std::ranges::fill(s_, 0.0);
  s_[static_cast<std::size_t>(event.which)] = -time / event.speed;
  dynamics::Pulled to{.t = 0, .y = ybar, .z = {}};
  system_.pull_back_switches(*own_, s_, to);
  return Status::kOk;
}

void Adjoint::add_parameter_gradient(Vec gradient) {
  stepper_->collect(*own_);
  system_.add_parameter_gradient(*own_, gradient);
}

}  // namespace parfait::integrate
