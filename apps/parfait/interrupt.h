#pragma once

namespace parfait::app {

/// While it lives, Ctrl-C asks instead of kills: work in steps and stop when requested().
/// A second Ctrl-C kills.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  bool requested() const;
};

}  // namespace parfait::app
