// Whole simulations: is the work per body and step flat in the number of bodies, and what does the
// integrator itself take?

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "models.h"
#include "parfait/base/error.h"
#include "parfait/integrate/driver/integrator.h"
#include "parfait_run.h"
#include "timed_system.h"

namespace parfait::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kUntil = 10;  // s
constexpr int kRounds = 5;

/// What two clock calls take: it is counted to the integrator, who does not take it.
double clock_seconds() {
  const auto begin = Clock::now();
  constexpr int kCalls = 100'000;
  for (int i = 0; i < kCalls; ++i) static_cast<void>(Clock::now());
  return std::chrono::duration<double>(Clock::now() - begin).count() / kCalls;
}

struct Figures {
  integrate::Statistics statistics;
  double seconds = 1e300;  ///< the whole simulation, smallest of all rounds
  double own = 1;          ///< share of the integrator itself
};

Figures simulate(const mechanism::Description& description, int num_directions,
                 const integrate::Options& options) {
  Run run(description, num_directions);
  TimedSystem system(*run.model);
  Figures figures;
  if (num_directions > 0) {
    run.model->bind_directions(*run.workspace,
                               math::Directions(run.model->sizes().np, num_directions));
  }
  const double clock = clock_seconds();
  for (int round = 0; round < 2 * kRounds; ++round) {
    const bool timed = round % 2 == 1;  // with and without the clock inside
    integrate::State state;
    state.y = run.y;
    if (num_directions > 0) state.W = joint_directions(description, num_directions);
    const auto& used = timed ? static_cast<const dynamics::System&>(system) : *run.model;
    system.reset();
    const auto begin = Clock::now();
    const auto result = integrate::Integrator(used, *run.workspace, options).run(state, kUntil);
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    if (!result.finished()) throw base::InputError(result.message());
    figures.statistics = result.statistics;
    if (timed) {
      const double calls = static_cast<double>(system.calls());
      const double inside = system.seconds() - calls * clock;
      figures.own = std::min(figures.own, 1 - inside / (seconds - 2 * calls * clock));
    } else {
      figures.seconds = std::min(figures.seconds, seconds);
    }
  }
  return figures;
}

void print_header() {
  fmt::print("{:>7} {:>7} {:>6} {:>8} {:>9} {:>10} {:>14} {:>14}\n", "bodies", "method", "steps",
             "rejected", "evaluat.", "time [ms]", "ns/(body step)", "own share [%]");
}

void print_row(int bodies, integrate::Method method, const Figures& f) {
  const auto steps = static_cast<double>(f.statistics.steps + f.statistics.rejected);
  fmt::print("{:>7} {:>7} {:>6} {:>8} {:>9} {:>10.2f} {:>14.0f} {:>14.1f}\n", bodies, text(method),
             f.statistics.steps, f.statistics.rejected, f.statistics.evaluations, 1e3 * f.seconds,
             1e9 * f.seconds / (bodies * steps), 100 * f.own);
}

void chains() {
  integrate::Options options;
  options.rtol = 1e-6;
  options.atol = 1e-8;
  for (int directions : {0, 16}) {
    fmt::print(
        "\nRevolute chains of Kraus (2006, section 12.1) for {:g} s, rtol {:g}, atol {:g}, {} "
        "directions\n",
        kUntil, options.rtol, options.atol, directions);
    print_header();
    for (auto method : {integrate::Method::kDop853, integrate::Method::kAbm}) {
      options.method = method;
      for (int n : {3, 10, 30, 100}) {
        print_row(n, method, simulate(revolute_chain(n), directions, options));
      }
    }
  }
}

}  // namespace
}  // namespace parfait::bench

int main() {
  try {
    parfait::bench::chains();
    return 0;
  } catch (const parfait::base::InputError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
