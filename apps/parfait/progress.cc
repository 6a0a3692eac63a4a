#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace parfait::app {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): for 500ms

Progress::Progress(bool wanted)
    : enabled_(wanted && isatty(STDERR_FILENO) == 1), next_(Clock::now() + 500ms) {}

Progress::~Progress() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
}

void Progress::show(double fraction, const std::string& note) {
  if (!is_due()) return;
  constexpr int kWidth = 40;
  const int filled = std::clamp(static_cast<int>(fraction * kWidth), 0, kWidth);
  fmt::print(stderr, "\r\033[K[{:=<{}}{: <{}}] {:3.0f} %  {}", "", filled, "", kWidth - filled,
             100 * fraction, note);
  std::fflush(stderr);
  drawn_ = true;
  next_ = Clock::now() + 100ms;
}

}  // namespace parfait::app
