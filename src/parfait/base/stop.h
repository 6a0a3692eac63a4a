#pragma once

#include <atomic>

/// How work is ended that no options reach: reading long files and large models.
namespace parfait::base {

/// Work was ended from outside before it had anything to give. No std::exception: nobody who
/// catches what went wrong should take it for that.
struct Stopped {};

/// While it lives, `stop` ends what this thread reads.
class StopScope {
 public:
  explicit StopScope(const std::atomic<bool>& stop);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  const std::atomic<bool>* outer_;
};

/// Throws Stopped once the flag of this thread's scope is set; without a scope does nothing. Costs
/// about a nanosecond: readers call it for every row, frame or element.
void leave_if_stopped();

/// Does work that may be left where it is; false: it was.
template <class Work>
bool unless_stopped(const std::atomic<bool>& stop, const Work& work) {
  const StopScope scope(stop);
  try {
    leave_if_stopped();
    work();
    return true;
  } catch (const Stopped&) {
    return false;
  }
}

}  // namespace parfait::base
