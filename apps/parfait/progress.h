#pragma once

#include <chrono>
#include <string>

namespace parfait::app {

/// A bar on standard error for work that takes longer than half a second, wiped when done.
/// Draws nothing if standard error is not a terminal.
class Progress {
 public:
  explicit Progress(bool wanted);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Whether it is time to show() again.
  bool is_due() const { return enabled_ && Clock::now() >= next_; }
  /// `fraction` of the work is done, `note` says where it stands.
  void show(double fraction, const std::string& note);

 private:
  using Clock = std::chrono::steady_clock;
  bool enabled_;
  bool drawn_ = false;
  Clock::time_point next_;
};

}  // namespace parfait::app
