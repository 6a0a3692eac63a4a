// The tables of Kraus (2006, section 12.1) on this machine, in his layout, with his own figures
// beside them (Athlon 1.2 GHz, average of 1000 samples). He counts milliseconds, these tables count
// microseconds for Parfait; the last column is how many times faster one right-hand side or
// direction has become.

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <vector>

#include "models.h"
#include "parfait_run.h"
#include "stopwatch.h"

namespace parfait::bench {
namespace {

using Builder = mechanism::Description (*)(int n, double phase);

constexpr double kMicro = 1e6;

struct StageTimes {
  double evaluate, factor, solve, total;  // seconds
};

/// A stage overwrites what the one before it left, so none can run alone: the stages are timed with
/// all that come before, and the times are subtracted.
StageTimes time_stages(Run& run) {
  dynamics::Point point;
  point.y = run.y;
  const auto evaluate = [&] { run.model->stage_evaluate(*run.workspace, point); };
  const auto factor = [&] { run.model->stage_factor(*run.workspace); };
  const auto solve = [&] { run.model->stage_solve(*run.workspace, run.dydt); };
  const auto t = time_together({[&](long) { evaluate(); },
                                [&](long) {
                                  evaluate();
                                  factor();
                                },
                                [&](long) {
                                  evaluate();
                                  factor();
                                  solve();
                                }});
  return {t[0].seconds, t[1].seconds - t[0].seconds, t[2].seconds - t[1].seconds, t[2].seconds};
}

struct ChainRow {
  int bodies;
  double evaluate, factor, solve, per_body;  // ms, K table 12.1.1; per body: all three
};
constexpr ChainRow kRevolute[] = {
    {1, 0.077, 0.047, 0.016, 0.140},  {3, 0.124, 0.187, 0.047, 0.119},
    {5, 0.171, 0.328, 0.078, 0.115},  {7, 0.249, 0.468, 0.109, 0.118},
    {10, 0.344, 0.672, 0.172, 0.119}, {12, 0.407, 0.828, 0.203, 0.120},
    {15, 0.484, 1.032, 0.250, 0.118}, {20, 0.656, 1.391, 0.328, 0.119},
    {25, 0.829, 1.750, 0.407, 0.119}, {30, 0.954, 2.109, 0.500, 0.119},
    {40, 1.312, 2.954, 0.703, 0.124}, {50, 1.812, 3.985, 1.015, 0.136},
    {100, 6.125, 8.219, 2.547, 0.169}};

void print_revolute_chain() {
  fmt::print(
      "\n12.1.1 linear chain, revolute joints: Parfait [us], then K [ms]\n\n"
      "| bodies |   eval |  /body | decomp |  /body |  solve |  /body | all/body | K eval | "
      "decomp | "
      " solve | all/body | K : Parfait |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const ChainRow& k : kRevolute) {
    Run run(revolute_chain(k.bodies));
    check_right_hand_side(run);
    const StageTimes t = time_stages(run);
    const double all = t.total / k.bodies;
    fmt::print("| {:6} |", k.bodies);
    for (const double stage : {t.evaluate, t.factor, t.solve}) {
      fmt::print(" {:6.3f} | {:6.4f} |", kMicro * stage, kMicro * stage / k.bodies);
    }
    fmt::print(" {:8.4f} | {:6.3f} | {:6.3f} | {:6.3f} | {:8.3f} | {:11.0f} |\n", kMicro * all,
               k.evaluate, k.factor, k.solve, k.per_body, 1e-3 * k.per_body / all);
    std::fflush(stdout);
  }
}

struct ComparisonRow {
  int bodies;
  double system, chain;  // ms per body
  double relative;       // percent
};
constexpr ComparisonRow kSpherical[] = {{5, 0.091, 0.115, 79},  {10, 0.091, 0.119, 76},
                                        {20, 0.089, 0.119, 75}, {30, 0.090, 0.119, 76},
                                        {50, 0.095, 0.136, 70}, {100, 0.119, 0.169, 70}};
constexpr ComparisonRow kTree[] = {
    {15, 0.119, 0.118, 101}, {30, 0.120, 0.119, 101}, {45, 0.130, 0.130, 100}};
constexpr ComparisonRow kLoop[] = {
    {5, 0.181, 0.115, 157}, {10, 0.172, 0.119, 145}, {15, 0.171, 0.118, 145}};

template <std::size_t N>
void print_comparison(const char* title, const char* name, Builder build, int bodies_per_unit,
                      const ComparisonRow (&rows)[N]) {
  fmt::print(
      "\n{}, per body: Parfait [us], then K [ms]\n\n"
      "| bodies | {:>9} | revolute chain | relative | K {:>9} | chain | relative | K : Parfait |\n"
      "|---|---|---|---|---|---|---|---|\n",
      title, name, name);
  for (const ComparisonRow& k : rows) {
    Run run(build(k.bodies / bodies_per_unit, 0)), chain_run(revolute_chain(k.bodies));
    check_right_hand_side(run);
    check_right_hand_side(chain_run);
    const auto t =
        time_together({[&](long) { run.evaluate(); }, [&](long) { chain_run.evaluate(); }});
    const double system = t[0].seconds / k.bodies;
    const double chain = t[1].seconds / k.bodies;
    fmt::print(
        "| {:6} | {:9.4f} | {:14.4f} | {:7.0f}% | {:11.3f} | {:5.3f} | {:7.0f}% | {:11.0f} |\n",
        k.bodies, kMicro * system, kMicro * chain, 100 * system / chain, k.system, k.chain,
        k.relative, 1e-3 * k.system / system);
    std::fflush(stdout);
  }
}

struct SensitivityRow {
  int bodies, directions;
  double simulation, all, per_direction;  // ms: per body, total, per body and direction
  double relative;                        // percent
};
constexpr SensitivityRow kRevoluteDirections[] = {
    {1, 3, 0.140, 0.125, 0.042, 30},   {3, 7, 0.119, 0.891, 0.042, 36},
    {5, 11, 0.115, 2.33, 0.042, 37},   {7, 15, 0.118, 4.48, 0.043, 36},
    {10, 21, 0.119, 9.02, 0.043, 36},  {12, 25, 0.120, 13.3, 0.044, 37},
    {15, 31, 0.118, 21.0, 0.045, 38},  {20, 41, 0.119, 37.1, 0.045, 38},
    {25, 51, 0.119, 60.9, 0.048, 40},  {30, 61, 0.119, 96.4, 0.053, 44},
    {40, 81, 0.124, 191, 0.059, 48},   {50, 101, 0.136, 308, 0.061, 45},
    {100, 201, 0.169, 1325, 0.066, 39}};
constexpr SensitivityRow kSphericalDirections[] = {{5, 31, 0.091, 4.94, 0.032, 35},
                                                   {10, 61, 0.091, 20.7, 0.034, 37},
                                                   {20, 121, 0.089, 82.1, 0.034, 38},
                                                   {30, 181, 0.090, 193, 0.036, 40},
                                                   {50, 301, 0.095, 676, 0.045, 47}};

struct SensitivityTime {
  double simulation, directions;  // seconds
};

/// Kraus's directions: one per position and per velocity of each joint axis, and one of gravity.
SensitivityTime time_sensitivities(const mechanism::Description& description, int k) {
  Run run(with_gravity_parameter(description), k);
  check_right_hand_side(run);
  const math::Directions dy = joint_directions(run.description, k, 1);
  math::Directions dp(1, k), ddydt(run.model->sizes().ny(), k);
  dp(0, k - 1) = 1;
  run.model->bind_directions(*run.workspace, dp);
  run.directions(dy, ddydt);
  check_directions(run, dy, dp, ddydt);
  run.model->bind_directions(*run.workspace, dp);
  // The difference of the two holds everything that directions need beyond a right-hand side.
  const auto t = time_together({[&](long) { run.evaluate(); },
                                [&](long) {
                                  run.evaluate();
                                  run.directions(dy, ddydt);
                                }});
  return {t[0].seconds, t[1].seconds - t[0].seconds};
}

template <std::size_t N>
void print_sensitivities(const char* title, Builder build, const SensitivityRow (&rows)[N]) {
  fmt::print(
      "\n12.1.3 sensitivities, {}: Parfait [us], then K [ms]\n\n"
      "| bodies | directions | simulation/body | all directions | /body/direction | relative | K "
      "simulation/body | all directions | /body/direction | relative | K : Parfait |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|\n",
      title);
  for (const SensitivityRow& k : rows) {
    const SensitivityTime t = time_sensitivities(build(k.bodies, 0), k.directions);
    const double per_direction = t.directions / (k.bodies * k.directions);
    fmt::print(
        "| {:6} | {:10} | {:15.4f} | {:14.2f} | {:15.5f} | {:7.0f}% | {:17.3f} | {:14} | {:15.3f} "
        "| "
        "{:7.0f}% | {:11.0f} |\n",
        k.bodies, k.directions, kMicro * t.simulation / k.bodies, kMicro * t.directions,
        kMicro * per_direction, 100 * per_direction * k.bodies / t.simulation, k.simulation, k.all,
        k.per_direction, k.relative, 1e-3 * k.per_direction / per_direction);
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace parfait::bench

int main() {
  using namespace parfait::bench;  // NOLINT(google-build-using-namespace): the program itself
  try {
    fmt::print("Parfait {}, {}, {}\n", PARFAIT_VERSION, PARFAIT_COMPILER, PARFAIT_FLAGS);
    print_revolute_chain();
    print_comparison("12.1.1 chain with spherical joints", "spherical", spherical_chain, 1,
                     kSpherical);
    print_comparison("12.1.2 tree", "tree", tree, 3, kTree);
    print_comparison("12.1.2 closed loop", "loop", loop, 5, kLoop);
    print_sensitivities("revolute chain", revolute_chain, kRevoluteDirections);
    print_sensitivities("spherical chain", spherical_chain, kSphericalDirections);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_k12: {}\n", error.what());
    return 1;
  }
}
