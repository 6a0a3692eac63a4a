#include "parfait/run/job/job.h"

#include <tbb/info.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace parfait::run {

/// What the thread of the work and the thread that attends say to each other.
struct Job::Exchange {
  std::mutex mutex;
  std::condition_variable changed;
  const std::function<void()>* message = nullptr;  ///< to be called by the one that attends
  bool done = false;
  std::exception_ptr of_work, of_callback;
};

Job::Job(const Callbacks& callbacks, std::optional<int> threads)
    : callbacks_(callbacks), threads_(threads), exchange_(std::make_unique<Exchange>()) {}

Job::~Job() = default;

void Job::run(const std::function<void()>& work) {
  auto& x = *exchange_;
  if (callbacks_.stop && callbacks_.stop()) stop_ = true;  // before anything is done
  std::thread worker([&] {
    try {
      // More threads than cores would only wait for each other, and TBB warns about them.
      const int cores = tbb::info::default_concurrency();
      tbb::task_arena arena(std::min(threads_.value_or(cores), cores));
      reading_.emplace(stop_);
      arena.execute(work);
    } catch (...) {
      x.of_work = std::current_exception();
    }
    reading_.reset();
    const std::lock_guard lock(x.mutex);
    x.done = true;
    x.changed.notify_all();
  });
  attend();
  worker.join();
  if (x.of_callback) std::rethrow_exception(x.of_callback);
  if (x.of_work) std::rethrow_exception(x.of_work);
}

/// Tells and asks until the work is done. After a callback has thrown, none is called any more.
void Job::attend() {
  auto& x = *exchange_;
  const auto call = [&](const std::function<void()>& callback) {
    if (x.of_callback) return;
    try {
      callback();
    } catch (...) {
      x.of_callback = std::current_exception();
      stop_ = true;
    }
  };
  const std::function<void()> ask = [&] {
    if (callbacks_.stop && callbacks_.stop()) stop_ = true;
  };
  std::unique_lock lock(x.mutex);
  while (!x.done) {
    x.changed.wait_for(lock, callbacks_.interval, [&] { return x.done || x.message != nullptr; });
    if (x.done) return;
    const auto* message = x.message;
    lock.unlock();
    if (message != nullptr) call(*message);
    call(ask);  // before the work goes on: who has heard enough stops it here
    lock.lock();
    if (message == nullptr) continue;
    x.message = nullptr;
    x.changed.notify_all();
  }
}

void Job::tell(const std::function<void()>& message) {
  auto& x = *exchange_;
  std::unique_lock lock(x.mutex);
  x.message = &message;
  x.changed.notify_all();
  x.changed.wait(lock, [&] { return x.message == nullptr; });
}

}  // namespace parfait::run
