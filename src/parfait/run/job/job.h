#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>

#include "parfait/base/stop.h"
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

  /// Does the work and waits for it. What it throws, or a callback throws, arrives here; so does
  /// base::Stopped, if it was stopped while it read.
  void run(const std::function<void()>& work);

  /// From within the work: `message` is called on the thread that called run(), and has been when
  /// this returns.
  void tell(const std::function<void()>& message);

  /// From within the work: from here on there is something to keep. Before, readers are left where
  /// they are when the work is stopped; afterwards the work looks at stop() and returns what it
  /// has.
  void everything_is_read() { reading_.reset(); }

  /// Set once the work is to end.
  const std::atomic<bool>& stop() const { return stop_; }
  bool stopped() const { return stop_.load(std::memory_order_relaxed); }

 private:
  struct Exchange;
  void attend();

  const Callbacks& callbacks_;
  std::optional<int> threads_;
  std::atomic<bool> stop_ = false;
  std::optional<base::StopScope> reading_;  ///< of the thread of the work
  std::unique_ptr<Exchange> exchange_;
};

}  // namespace parfait::run
