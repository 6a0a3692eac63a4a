#pragma once

#include <chrono>
#include <string>

#include "parfait/run/job/callbacks.h"

namespace parfait::run {

/// Asks the callbacks of a piece of work that runs on the thread that started it, not more often
/// than their interval says.
class Poll {
 public:
  explicit Poll(const Callbacks& callbacks) : callbacks_(callbacks) {}

  /// It is time to tell and ask again.
  bool is_due() {
    if (!callbacks_.stop && !callbacks_.on_progress) return false;
    const auto now = Clock::now();
    if (now < next_) return false;
    next_ = now + callbacks_.interval;
    return true;
  }
  /// True: the work is to end.
  bool ask(double fraction, const std::string& note) {
    if (callbacks_.on_progress) callbacks_.on_progress(fraction, note);
    return callbacks_.stop && callbacks_.stop();
  }

 private:
  using Clock = std::chrono::steady_clock;
  const Callbacks& callbacks_;
  Clock::time_point next_{};
};

}  // namespace parfait::run
