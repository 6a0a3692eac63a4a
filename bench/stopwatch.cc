#include "stopwatch.h"

#include <algorithm>
#include <chrono>

namespace parfait::bench {
namespace {

double now() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

double median(std::vector<double> x) {
  const auto middle = x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2);
  std::nth_element(x.begin(), middle, x.end());
  return *middle;
}

constexpr double kSampleSeconds = 20e-6;

/// One call, and how often it runs in a sample. The loop is inside, so that the indirect call of
/// the std::function is paid per timed call by every competitor alike (about 2 ns).
class Runner {
 public:
  explicit Runner(const std::function<void(long)>& call) : call_(call) {
    while (sample() * static_cast<double>(repeats_) < kSampleSeconds) repeats_ *= 2;
  }

  double median_of_turn(double turn_seconds) {
    std::vector<double> samples;
    const double end = now() + turn_seconds;
    do {
      samples.push_back(sample());
    } while (now() < end);
    return median(samples);
  }

 private:
  /// Seconds per call.
  double sample() {
    const double start = now();
    for (long i = 0; i < repeats_; ++i) call_(count_++);
    return (now() - start) / static_cast<double>(repeats_);
  }

  const std::function<void(long)>& call_;
  long repeats_ = 1;
  long count_ = 0;
};

}  // namespace

std::vector<Timing> time_together(const std::vector<std::function<void(long)>>& calls, int rounds,
                                  double turn_seconds) {
  std::vector<Runner> runners(calls.begin(), calls.end());
  std::vector<std::vector<double>> medians(calls.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < runners.size(); ++i) {
      medians[i].push_back(runners[i].median_of_turn(turn_seconds));
    }
  }
  std::vector<Timing> timings;
  for (const auto& m : medians) {
    const double low = *std::min_element(m.begin(), m.end());
    timings.push_back({low, (median(m) - low) / low});
  }
  return timings;
}

}  // namespace parfait::bench
