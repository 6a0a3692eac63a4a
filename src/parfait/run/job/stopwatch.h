#pragma once

#include <chrono>

namespace parfait::run {

class Stopwatch {
 public:
  /// Seconds since it was made or last asked, without asking anew.
  double passed() const { return std::chrono::duration<double>(Clock::now() - last_).count(); }
  /// Seconds since it was made or last asked.
  double lap() {
    const auto now = Clock::now();
    const std::chrono::duration<double> passed = now - last_;
    last_ = now;
    return passed.count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
};

}  // namespace parfait::run
