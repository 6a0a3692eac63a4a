// Whole estimations: is the work per experiment flat in their number, what do two threads give, and
// how much of a fit of a mechanism is integration?

#include <fmt/format.h>
#include <sys/resource.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "models.h"
#include "parfait/base/error.h"
#include "parfait/dynamics/formula_system.h"
#include "parfait/estimate/fit/fit.h"
#include "parfait/estimate/fit/synthesize.h"
#include "parfait/estimate/shooting/shooting_interval.h"
#include "parfait/io/problem/problem_file.h"
#include "parfait/mbs/model.h"

namespace parfait::bench {
namespace {

using namespace estimate;  // NOLINT(google-build-using-namespace): the room that is timed
using Clock = std::chrono::steady_clock;

constexpr int kRounds = 5;

template <class Call>
double seconds_of(const Call& call) {
  const auto begin = Clock::now();
  call();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Columns of ones where synthesize() will put its numbers.
void measure_at(ExperimentDescription& e, const std::vector<double>& t) {
  e.data.header = {"t"};
  e.data.columns = {t};
  for (const auto& observation : e.observations) {
    e.data.header.push_back(observation.column);
    e.data.columns.emplace_back(t.size(), 1.0);
  }
}

std::vector<double> equal_steps(double step, int count) {
  std::vector<double> t;
  for (int i = 1; i <= count; ++i) t.push_back(step * i);
  return t;
}

FitResult checked_fit(const Problem& problem) {
  FitResult result = fit(problem);
  if (!result.converged()) throw base::InputError(result.iteration.message);
  for (const auto& e : result.estimates) {
    if (e.truth && std::abs(e.statistics.value - *e.truth) > 5 * e.statistics.sd) {
      throw base::InputError(fmt::format("{} = {} +- {}: the truth is {}", e.id, e.statistics.value,
                                         e.statistics.sd, *e.truth));
    }
  }
  return result;
}

FitResult fit_on(std::size_t threads, const Problem& problem) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  return checked_fit(problem);
}

/// n experiments with a predator and its prey: four shared parameters, in each experiment a drift
/// of its own and free initial values, 22 measurements, 5 intervals.
Problem predators(int n) {
  dynamics::FormulaModel model;
  model.state("x1", 0.4, "-p1 * x1 + p2 * x1 * x2 + drift");
  model.state("x2", 1, "p3 * x2 - p4 * x1 * x2");
  Problem problem;
  for (const char* id : {"p1", "p2", "p3", "p4"}) {
    model.parameter(id, 1);
    problem.estimates.push_back({.parameter = id, .initial = 0.9, .truth = 1});
  }
  model.parameter("drift", 0.01);
  for (int i = 0; i < n; ++i) {
    auto& e = problem.experiments.emplace_back();
    e.id = fmt::format("run{}", i);
    e.system = dynamics::make_formula_system(model);
    e.observations = {{.column = "a", .quantity = "x1", .sigma = {.absolute = 0.05}},
                      {.column = "b", .quantity = "x2", .sigma = {.absolute = 0.05}}};
    measure_at(e, equal_steps(0.5, 11));
    e.begin = 0;
    e.initial = {{.state = "x1", .kind = InitialState::Kind::kFree, .value = 0.4 + 0.6 * i / n},
                 {.state = "x2", .kind = InitialState::Kind::kFree, .value = 1}};
    e.locals.push_back({.parameter = "drift", .initial = 0.02, .truth = 0.01});
    e.grid.intervals = 5;
  }
  return synthesize(problem, 4);
}

/// KiB of memory the process has had at most.
double peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss);
}

template <class Numbers>
bool same_bits(const Numbers& a, const Numbers& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

void many_experiments() {
  // The peak never falls: all sizes in ascending order, before anything else is run.
  const std::vector<int> sizes = {25, 50, 100, 200};
  std::vector<double> memory;
  const double before = peak_memory();
  for (int n : sizes) {
    fit_on(1, predators(n));
    memory.push_back((peak_memory() - before) / n);
  }
  fmt::print("\nExperiments with 4 shared and 1 local parameter, 2 free initial values each\n");
  fmt::print("{:>5} {:>6} {:>10} {:>10} {:>10} {:>10} {:>11} {:>11} {:>9} {:>12}\n", "exp.",
             "iter.", "start [ms]", "iter. [ms]", "stat. [ms]", "total [ms]", "us/(exp. it.)",
             "2 thr. [ms]", "speed-up", "KiB per exp.");
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const Problem problem = predators(sizes[i]);
    Timing one, two;
    one.total = two.total = 1e300;
    int iterations = 0;
    for (int round = 0; round < kRounds; ++round) {
      const FitResult a = fit_on(1, problem), b = fit_on(2, problem);
      if (!same_bits(a.x, b.x) || !same_bits(a.covariance, b.covariance) ||
          a.objective != b.objective) {
        throw base::InputError("one and two threads give different numbers");
      }
      if (a.timing.total < one.total) one = a.timing;
      if (b.timing.total < two.total) two = b.timing;
      iterations = a.iteration.iterations;
    }
    fmt::print(
        "{:>5} {:>6} {:>10.2f} {:>10.2f} {:>10.2f} {:>10.2f} {:>13.1f} {:>11.2f} {:>9.2f} "
        "{:>12.0f}\n",
        sizes[i], iterations, 1e3 * one.start, 1e3 * one.iteration, 1e3 * one.statistics,
        1e3 * one.total, 1e6 * one.iteration / (sizes[i] * iterations), 1e3 * two.total,
        one.total / two.total, memory[i]);
  }
}

struct Row {
  std::string name;
  FitResult best;            ///< the fastest
  double linearize = 1e300;  ///< of the first point
  double integrate = 1e300;  ///< the same intervals with the same directions, nothing else
};

/// The first linearization of fixfit without the estimation around it: parameters and one more
/// direction, interval after interval.
double integrate_alone(const Problem& problem) {
  const ExperimentDescription& e = problem.experiments.front();
  const dynamics::System& system = *e.system;
  const auto& sizes = system.sizes();
  std::vector<std::string> quantities;
  for (const auto& o : e.observations) quantities.push_back(o.quantity.text);
  const auto observer = system.make_observer(quantities);
  const int np = static_cast<int>(problem.estimates.size());
  ShootingInterval::Start start;
  start.dp.resize(sizes.np, np + 1);
  start.W.resize(sizes.ny(), np + 1);
  for (int i = 0; i < sizes.np; ++i) {
    const auto& info = system.parameters()[static_cast<std::size_t>(i)];
    start.p.push_back(info.initial);
    for (int k = 0; k < np; ++k) {
      const Estimate& estimate = problem.estimates[static_cast<std::size_t>(k)];
      if (estimate.parameter != info.id) continue;
      start.p.back() = estimate.initial;
      start.dp(i, k) = 1;
    }
  }
  start.y = system.initial_state();
  const double end = e.data.columns[0].back();
  std::vector<ShootingInterval> intervals;
  for (int i = 0; i < e.grid.intervals; ++i) {
    const double t0 = end * i / e.grid.intervals, t1 = end * (i + 1) / e.grid.intervals;
    std::vector<double> times;
    for (double t : e.data.columns[0]) {
      if (t > t0 && t <= t1) times.push_back(t);
    }
    intervals.emplace_back(system, *observer, problem.options.integrator, t0, t1, times);
  }
  double best = 1e300;
  for (int again = 0; again < 2; ++again) {  // the first allocates
    auto node = start;
    best = std::min(best, seconds_of([&] {
                      for (auto& interval : intervals) {
                        if (!interval.run(node)) throw base::InputError(interval.why());
                        node.y = interval.y1();
                        node.W = interval.W1();
                      }
                    }));
  }
  return best;
}

Row time_fit(const std::string& name, const Problem& problem) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
  Row row;
  row.name = name;
  row.best.timing.total = 1e300;
  for (int round = 0; round < kRounds; ++round) {
    FitResult result = checked_fit(problem);
    if (result.timing.total < row.best.timing.total) row.best = std::move(result);
    Team alone;
    const auto ensemble = make_ensemble(problem, alone);
    Eigen::VectorXd x;
    if (!ensemble->initialize(x)) throw base::InputError(ensemble->why());
    for (int again = 0; again < 2; ++again) {  // the first allocates
      row.linearize = std::min(row.linearize, seconds_of([&] {
                                 if (!ensemble->linearize(x).exists) {
                                   throw base::InputError(ensemble->why());
                                 }
                               }));
    }
    row.integrate = std::min(row.integrate, integrate_alone(problem));
  }
  return row;
}

void print_header() {
  fmt::print("{:<22} {:>7} {:>6} {:>6} {:>10} {:>10} {:>10} {:>10} {:>14} {:>15}\n", "mechanism",
             "param.", "states", "iter.", "start [ms]", "iter. [ms]", "stat. [ms]", "total [ms]",
             "linearize [ms]", "integration [%]");
}

void print_row(const Row& row, const Problem& problem) {
  const Timing& t = row.best.timing;
  fmt::print(
      "{:<22} {:>7} {:>6} {:>6} {:>10.2f} {:>10.2f} {:>10.2f} {:>10.2f} {:>14.2f} {:>15.0f}\n",
      row.name, problem.estimates.size(), problem.experiments[0].system->sizes().ny(),
      row.best.iteration.iterations, 1e3 * t.start, 1e3 * t.iteration, 1e3 * t.statistics,
      1e3 * t.total, 1e3 * row.linearize, 100 * row.integrate / row.linearize);
}

/// Kraus 2006, section 13.3, from a guess beside the truth and from the same guess for all.
void hexapod() {
  Problem problem =
      io::read_problem(std::string(PARFAIT_SOURCE_DIR) + "/examples/hexapod/problem.xml");
  problem.options.reduction = ReductionMethod::kFixedFit;
  print_row(time_fit("hexapod, all 600", problem), problem);
  for (std::size_t i = 0; i < problem.estimates.size(); ++i) {
    Estimate& c = problem.estimates[i];
    c.initial = *c.truth + (i % 2 == 0 ? -5 : 5);
    c.scale = 500;
  }
  problem.options.iteration.tolerance = 1e-3;
  problem.options.integrator.rtol = 1e-6;
  problem.options.integrator.atol = 1e-8;
  print_row(time_fit("hexapod, near", problem), problem);
}

/// Every third joint has a spring of unknown stiffness; the body behind it is seen ten times in
/// half a second.
Problem sprung_chain(int n) {
  mechanism::Description description = revolute_chain(n);
  Problem problem;
  ExperimentDescription& e = problem.experiments.emplace_back();
  e.id = "run";
  for (int i = 2; i < n; i += 3) {
    const mechanism::Joint& joint = description.joints[static_cast<std::size_t>(i)];
    const double stiffness = 200 + 10 * i;
    mechanism::Force spring;
    spring.key = "Rotational_Spring";
    spring.id = fmt::format("Spring_{}", i + 1);
    spring.begin = joint.begin;
    spring.end = joint.end;
    spring.constants = {{"rest_angle", 0.0}, {"stiffness", stiffness}};
    description.forces.push_back(spring);
    mechanism::Parameter parameter;
    parameter.id = fmt::format("c{}", i + 1);
    parameter.targets = {spring.id + ".stiffness"};
    description.parameters.push_back(parameter);
    problem.estimates.push_back(
        {.parameter = parameter.id, .initial = 1.1 * stiffness, .scale = 200, .truth = stiffness});
    for (const char* axis : {"x", "z"}) {
      e.observations.push_back({.column = fmt::format("{}{}", axis, i + 1),
                                .quantity = fmt::format("Body_{}.com.{}", i + 1, axis),
                                .sigma = {.absolute = 1e-3}});
    }
  }
  e.system = mbs::build(description);
  measure_at(e, equal_steps(0.05, 10));
  e.begin = 0;
  e.grid.intervals = 5;
  problem.options.reduction = ReductionMethod::kFixedFit;
  problem.options.integrator.rtol = 1e-6;
  problem.options.integrator.atol = 1e-8;
  problem.options.iteration.tolerance = 1e-3;
  return synthesize(problem, 1);
}

void mechanisms() {
  fmt::print("\nMechanisms with fixfit, one thread\n");
  print_header();
  hexapod();
  for (int n : {3, 6, 12, 24, 36, 48, 60}) {
    const Problem problem = sprung_chain(n);
    print_row(time_fit(fmt::format("chain of {}", n), problem), problem);
  }
}

}  // namespace
}  // namespace parfait::bench

int main() {
  try {
    parfait::bench::many_experiments();
    parfait::bench::mechanisms();
    return 0;
  } catch (const parfait::base::InputError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
