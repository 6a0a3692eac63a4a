#include "server/event_log.h"

#include <algorithm>

namespace parfait::serve {

void EventLog::add(const std::string& kind, std::string data, const std::string& replaces) {
  {
    const std::lock_guard lock(mutex_);
    if (!replaces.empty()) {
      std::erase_if(events_, [&](const Kept& old) { return old.replaces == replaces; });
    }
    events_.push_back({{++last_, kind, std::move(data)}, replaces});
    if (events_.size() > kMostEvents) events_.pop_front();
  }
  changed_.notify_all();
}

std::vector<EventLog::Event> EventLog::after(std::int64_t number,
                                             std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, patience, [&] { return closed_ || last_ > number; });
  std::vector<Event> out;
  for (const auto& [event, replaces] : events_) {
    if (event.number > number) out.push_back(event);
  }
  return out;
}

void EventLog::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
}

std::int64_t EventLog::last() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

bool EventLog::closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

}  // namespace parfait::serve
