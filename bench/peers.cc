// Forward dynamics of the same systems by Parfait, Simbody and MuJoCo, in one run on one machine.
// Nothing is timed before the engines agree on the accelerations of every state.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "engine.h"
#include "models.h"
#include "parfait/base/error.h"
#include "stopwatch.h"

namespace parfait::bench {
namespace {

constexpr int kStates = 16;  // visited in turn, so that no engine can reuse the last positions

using Builder = std::function<mechanism::Description(double phase)>;

struct Entry {
  std::string name;
  Builder build;
};

std::vector<Entry> entries() {
  std::vector<Entry> out;
  for (const int n : {3, 10, 30, 60, 90}) {  // MuJoCo's reader refuses a nesting of more than 100
    out.push_back(
        {fmt::format("revolute chain {}", n), [n](double s) { return revolute_chain(n, s); }});
  }
  for (const int n : {3, 10, 30, 60, 90}) {
    out.push_back(
        {fmt::format("ball chain {}", n), [n](double s) { return spherical_chain(n, s); }});
  }
  out.push_back({"human, 34 dof", [](double s) { return human(s); }});
  return out;
}

std::vector<mechanism::Description> states_of(const Builder& build) {
  std::vector<mechanism::Description> states;
  states.reserve(kStates);
  for (int i = 0; i < kStates; ++i) states.push_back(build(0.05 * i));
  return states;
}

std::vector<std::unique_ptr<Engine>> make_engines(
    const std::vector<mechanism::Description>& states) {
  std::vector<std::unique_ptr<Engine>> engines;
  engines.push_back(make_parfait(states[0]));
  engines.push_back(make_parfait_joints(states[0]));
  engines.push_back(make_simbody(states[0]));
  engines.push_back(make_mujoco(states[0], MujocoPath::kStages));
  engines.push_back(make_mujoco(states[0], MujocoPath::kForward));
  for (const auto& engine : engines) {
    for (const auto& state : states) engine->add_state(state);
  }
  return engines;
}

struct Agreement {
  double difference = 0;  ///< largest relative difference from the first engine
  double residual = 0;    ///< largest residual of any engine against the laws of mechanics
};

Agreement compare(const std::vector<std::unique_ptr<Engine>>& engines,
                  const std::vector<mechanism::Description>& states) {
  Agreement worst;
  for (int i = 0; i < kStates; ++i) {
    Accelerations first;
    for (const auto& engine : engines) {
      engine->compute_accelerations(i);
      const Accelerations a = engine->accelerations();
      const Residuals r = residuals(states[i], a);
      if (engine == engines.front()) first = a;
      worst.difference = std::max(worst.difference, difference(first, a));
      worst.residual = std::max({worst.residual, r.constraints, r.forces});
    }
  }
  // Measured 1e-11 (difference) and 3e-12 (residual) for 90 bodies; another mass matrix or a lost
  // velocity term shows at 1e-3 and above.
  if (!(worst.difference < 1e-8 && worst.residual < 1e-8)) {
    throw base::InputError(
        fmt::format("{}: the engines disagree, difference {:.1e}, residual {:.1e}.", states[0].id,
                    worst.difference, worst.residual));
  }
  return worst;
}

void print_row(const Entry& entry) {
  const std::vector<mechanism::Description> states = states_of(entry.build);
  const auto engines = make_engines(states);
  const Agreement agreement = compare(engines, states);
  std::vector<std::function<void(long)>> calls;
  calls.reserve(engines.size());
  for (const auto& engine : engines) {
    calls.emplace_back([&engine](long count) {
      engine->compute_accelerations(static_cast<int>(count % kStates));
    });
  }
  const std::vector<Timing> t = time_together(calls);
  // In the order of make_engines().
  const double joint = t[1].seconds, simbody = t[2].seconds;
  const double mujoco = std::min(t[3].seconds, t[4].seconds);
  fmt::print("| {:<17} |", entry.name);
  for (const Timing& timing : t) {
    fmt::print(" {:8.2f} ±{:3.0f}% |", 1e6 * timing.seconds, 100 * timing.spread);
  }
  fmt::print(" {:6.2f} | {:6.2f} | {:.0e} | {:.0e} |\n", simbody / joint, mujoco / joint,
             agreement.difference, agreement.residual);
  std::fflush(stdout);
}

void print_heading() {
  const std::vector<mechanism::Description> states = states_of([](double s) { return human(s); });
  for (const auto& engine : make_engines(states)) {
    fmt::print("{:<18} {:<8} {}\n", engine->name(), engine->version(), engine->method());
  }
  fmt::print("Parfait compiled by {} with {}; Simbody and MuJoCo are the binaries installed.\n",
             PARFAIT_COMPILER, PARFAIT_FLAGS);
  fmt::print(
      "Microseconds per call, ± spread of the rounds; ratios to joint coordinates (MuJoCo: the "
      "faster way);\n"
      "largest difference of accelerations between engines, largest residual of any of them.\n\n");
  fmt::print(
      "| {:<17} | {:^14} | {:^14} | {:^14} | {:^14} | {:^14} | {:^6} | {:^6} | diff  | resid |\n",
      "system", "natural", "joint", "Simbody", "MuJoCo stages", "MuJoCo forward", "S / J", "M / J");
  fmt::print("|---|---|---|---|---|---|---|---|---|---|\n");
}

}  // namespace
}  // namespace parfait::bench

int main() {
  try {
    parfait::bench::print_heading();
    for (const auto& entry : parfait::bench::entries()) parfait::bench::print_row(entry);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_peers: {}\n", error.what());
    return 1;
  }
}
