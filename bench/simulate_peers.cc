// The same chains simulated by Parfait and by Simbody, in one process: wall time at the accuracy
// that was reached, which is measured against a much tighter solution.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

#include "engine.h"
#include "models.h"
#include "parfait/base/error.h"
#include "parfait/integrate/driver/integrator.h"
#include "parfait_run.h"

namespace parfait::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Centers = std::vector<std::array<double, 3>>;

constexpr double kUntil = 10;  // s
constexpr int kRounds = 5;

Motion simulate_parfait(const mechanism::Description& description,
                        const integrate::Options& options) {
  Run run(description);
  integrate::State state;
  state.y = run.y;
  const auto begin = Clock::now();
  const auto result = integrate::Integrator(*run.model, *run.workspace, options).run(state, kUntil);
  Motion motion;
  motion.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  if (!result.finished()) throw base::InputError(result.message());
  motion.steps = result.statistics.steps;
  motion.evaluations = result.statistics.evaluations;
  for (std::size_t b = 0; b < description.bodies.size(); ++b) {
    const double* q = &state.y[12 * b];
    const auto& c = description.bodies[b].center_of_mass;
    auto& center = motion.center.emplace_back();
    for (int i = 0; i < 3; ++i) {
      center[i] = q[i];
      for (int k = 0; k < 3; ++k) center[i] += c[k].number * q[3 + 3 * k + i];
    }
  }
  return motion;
}

double distance(const Centers& a, const Centers& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (int k = 0; k < 3; ++k) largest = std::max(largest, std::abs(a[i][k] - b[i][k]));
  }
  return largest;
}

struct Row {
  std::string name;
  std::function<Motion()> run;
  Motion motion;
};

void compare(int n) {
  const auto description = revolute_chain(n);
  integrate::Options tight;
  tight.rtol = 1e-13;
  tight.atol = 1e-14;
  const Motion reference = simulate_parfait(description, tight);

  std::vector<Row> rows;
  for (double accuracy : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7}) {
    rows.push_back(
        {fmt::format("Simbody RKM {:g}", accuracy),
         [&description, accuracy] { return simulate_simbody(description, kUntil, accuracy); },
         {}});
  }
  for (auto method : {integrate::Method::kDop853, integrate::Method::kAbm}) {
    for (double rtol : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8}) {
      integrate::Options options;
      options.method = method;
      options.rtol = rtol;
      options.atol = 0.01 * rtol;
      rows.push_back({fmt::format("Parfait {} {:g}", text(method), rtol),
                      [&description, options] { return simulate_parfait(description, options); },
                      {}});
    }
  }
  for (int round = 0; round < kRounds; ++round) {
    for (Row& row : rows) {
      Motion motion = row.run();
      if (round > 0) motion.seconds = std::min(motion.seconds, row.motion.seconds);
      row.motion = std::move(motion);
    }
  }

  fmt::print("\nRevolute chain of {} links, {:g} s\n", n, kUntil);
  fmt::print("{:<22} {:>7} {:>9} {:>10} {:>11}\n", "integrator, tolerance", "steps", "evaluat.",
             "time [ms]", "error [m]");
  for (const Row& row : rows) {
    fmt::print("{:<22} {:>7} {:>9} {:>10.2f} {:>11.1e}\n", row.name, row.motion.steps,
               row.motion.evaluations, 1e3 * row.motion.seconds,
               distance(row.motion.center, reference.center));
  }
  // For each of Simbody's runs the fastest of ours that is at least as accurate.
  for (const Row& theirs : rows) {
    if (!theirs.name.starts_with("Simbody")) continue;
    const double error = distance(theirs.motion.center, reference.center);
    const Row* best = nullptr;
    for (const Row& ours : rows) {
      if (!ours.name.starts_with("Parfait") ||
          distance(ours.motion.center, reference.center) > error) {
        continue;
      }
      if (!best || ours.motion.seconds < best->motion.seconds) best = &ours;
    }
    if (best) {
      fmt::print("{:<22} as accurate and {:.1f} times as fast: {}\n", theirs.name,
                 theirs.motion.seconds / best->motion.seconds, best->name);
    }
  }
}

}  // namespace
}  // namespace parfait::bench

int main() {
  try {
    for (int n : {3, 10, 30}) parfait::bench::compare(n);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
