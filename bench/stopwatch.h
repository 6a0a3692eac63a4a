#pragma once

#include <functional>
#include <vector>

/// Timing of short calls on a machine that does other things too.
namespace parfait::bench {

struct Timing {
  double seconds = 0;  ///< of one call: the smallest of the medians of all rounds
  double spread = 0;   ///< (middle median - smallest median) / smallest: how busy the machine was
};

/// Times `calls` against each other: in every round each of them gets a turn of `turn_seconds`, so
/// that a disturbance meets all alike. A turn is cut into samples of at least 20 microseconds; the
/// median of the samples drops interruptions, the smallest median drops slow phases of the machine.
/// A call gets the number of calls made so far, to choose another input each time.
std::vector<Timing> time_together(const std::vector<std::function<void(long)>>& calls,
                                  int rounds = 40, double turn_seconds = 0.01);

}  // namespace parfait::bench
