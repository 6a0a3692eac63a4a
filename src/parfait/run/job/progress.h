#pragma once

#include <chrono>
#include <string>

#include "parfait/run/job/callbacks.h"
#include "parfait/run/job/job.h"

namespace parfait::run {

/// Tells how far a job is, not more often than the interval of its callbacks says.
class Progress {
 public:
  Progress(const Callbacks& callbacks, Job& job) : callbacks_(callbacks), job_(job) {}

  bool is_due() {
    if (!callbacks_.on_progress) return false;
    const auto now = Clock::now();
    if (now < next_) return false;
    next_ = now + callbacks_.interval;
    return true;
  }
  void tell(double fraction, const std::string& note) {
    job_.tell([&] { callbacks_.on_progress(fraction, note); });
  }

 private:
  using Clock = std::chrono::steady_clock;
  const Callbacks& callbacks_;
  Job& job_;
  Clock::time_point next_{};
};

}  // namespace parfait::run
