#include "parfait/integrate/stepper.h"

#include <fmt/format.h>

#include "parfait/base/error.h"
#include "parfait/integrate/adams.h"
#include "parfait/integrate/bdf.h"
#include "parfait/integrate/hht.h"
#include "parfait/integrate/runge_kutta.h"

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
  const int nz = flow.system().sizes().nz;
  if (nz > 0 && method != Method::kBdf) {
    throw base::InputError(
        fmt::format("integrator {}: the system has {} algebraic states, which only bdf can solve.",
                    text(method), nz));
  }
  switch (method) {
    case Method::kDop853:
      return std::make_unique<RungeKutta>(flow, dormand_prince_8(), num_directions);
    case Method::kDopri5:
      return std::make_unique<RungeKutta>(flow, dormand_prince_5(), num_directions);
    case Method::kAbm:
      return make_adams(flow, num_directions);
    case Method::kBdf:
      return make_bdf(flow, num_directions);
    case Method::kHht:
      return make_hht(flow, num_directions);
  }
  return nullptr;
}

}  // namespace parfait::integrate
