#include "parfait/base/stop.h"

namespace parfait::base {
namespace {

thread_local const std::atomic<bool>* flag_of_thread = nullptr;

}  // namespace

StopScope::StopScope(const std::atomic<bool>& stop) : outer_(flag_of_thread) {
  flag_of_thread = &stop;
}

StopScope::~StopScope() {
  flag_of_thread = outer_;
}

void leave_if_stopped() {
  if (flag_of_thread != nullptr && flag_of_thread->load(std::memory_order_relaxed)) throw Stopped();
}

}  // namespace parfait::base
