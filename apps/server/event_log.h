#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

namespace parfait::serve {

/// What happened, for pages that listen: numbered, so that one that was away can go on where it
/// stopped. Keeps the last ones; of those of a replaceable kind only the newest.
class EventLog {
 public:
  struct Event {
    std::int64_t number = 0;
    std::string kind;
    std::string data;  ///< JSON, in one line
  };
  static constexpr std::size_t kMostEvents = 2000;

  /// `replaces`: events of the same kind and key that nobody needs to see any more, such as the
  /// curves of an earlier iteration, are dropped. Empty: all stay.
  void add(const std::string& kind, std::string data, const std::string& replaces = "");

  /// Events after `number`; waits for one if there is none, at most so long.
  std::vector<Event> after(std::int64_t number, std::chrono::milliseconds patience);
  std::int64_t last() const;  ///< number of the newest; 0: none
  /// Wakes all who wait; nobody waits from now on.
  void close();
  bool closed() const;

 private:
  struct Kept {
    Event event;
    std::string replaces;
  };
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Kept> events_;
  std::int64_t last_ = 0;
  bool closed_ = false;
};

}  // namespace parfait::serve
