#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>

#include "parfait/run/job/callbacks.h"

namespace parfait::run {

/// Work on threads of its own, while the thread that started it tells and asks: it looks at `stop`
/// at least as often as the interval of the callbacks says, whatever the work does. Several jobs
/// may run at once.
class Job {
 public:
  /// `threads`: at most so many; none: one per core. The numbers do not depend on it.
  explicit Job(const Callbacks& callbacks, std::optional<int> threads = {});
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  /// Does the work and waits for it. What it throws, or a callback throws, arrives here.
  void run(const std::function<void()>& work);

  /// From within the work: `message` is called on the thread that called run(), and has been when
  /// this returns.
  void tell(const std::function<void()>& message);

  /// Set once the work is to end.
  const std::atomic<bool>& stop() const { return stop_; }
  bool stopped() const { return stop_.load(std::memory_order_relaxed); }

 private:
  struct Exchange;
  void attend();

  const Callbacks& callbacks_;
  std::optional<int> threads_;
  std::atomic<bool> stop_ = false;
  std::unique_ptr<Exchange> exchange_;
};

}  // namespace parfait::run
