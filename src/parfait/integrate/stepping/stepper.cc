#include "parfait/integrate/stepping/stepper.h"

#include <fmt/format.h>

#include "parfait/base/error.h"
#include "parfait/integrate/stepping/method.h"

namespace parfait::integrate {

const char* text(Outcome outcome) {
  switch (outcome) {
    case Outcome::kFinished:
      return "finished";
    case Outcome::kInterrupted:
      return "interrupted";
    case Outcome::kStepTooSmall:
      return "step_too_small";
    case Outcome::kTooManySteps:
      return "too_many_steps";
    case Outcome::kSystemFailed:
      return "system_failed";
    case Outcome::kNewtonFailed:
      return "newton_failed";
    case Outcome::kChattering:
      return "chattering";
    case Outcome::kTerminated:
      return "terminated";
  }
  return "unknown";
}

std::unique_ptr<Stepper> make_stepper(Flow& flow, int num_directions) {
  const Method method = flow.options().method;
  if (const std::string why = obstacle(method, flow.system()); !why.empty()) {
    throw base::InputError(fmt::format("integrator {}: the model {}.", text(method), why));
  }
  return info(method).make(flow, num_directions);
}

}  // namespace parfait::integrate
