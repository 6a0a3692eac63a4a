// The same well-behaved fit by Parfait and by what one would build from good parts: Ceres around
// CVODES with its forward sensitivities. Wall time at the accuracy reached in the parameters, which
// is measured against a much tighter solution.

#include <fmt/format.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <functional>
#include <stdexcept>

#include "estimate_peer.h"
#include "parfait/dynamics/formula_system.h"
#include "parfait/estimate/fit/fit.h"
#include "parfait/estimate/fit/synthesize.h"

namespace parfait::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRounds = 7;

/// x1' = -p1 x1 + p2 x1 x2,  x2' = p3 x2 - p4 x1 x2, both measured; one shooting interval.
estimate::Problem predators() {
  dynamics::FormulaModel model;
  model.state("x1", kStart[0], "-p1 * x1 + p2 * x1 * x2");
  model.state("x2", kStart[1], "p3 * x2 - p4 * x1 * x2");
  estimate::Problem problem;
  for (std::size_t i = 0; i < kGuess.size(); ++i) {
    const std::string id = fmt::format("p{}", i + 1);
    model.parameter(id, 1);
    problem.estimates.push_back({.parameter = id, .initial = kGuess[i], .truth = 1});
  }
  auto& e = problem.experiments.emplace_back();
  e.id = "run";
  e.system = dynamics::make_formula_system(model);
  e.data.header = {"t", "a", "b"};
  e.data.columns.resize(3);
  for (int i = 1; i <= kTimes; ++i) {
    e.data.columns[0].push_back(kUntil * i / kTimes);
    e.data.columns[1].push_back(1);
    e.data.columns[2].push_back(1);
  }
  e.begin = 0;
  e.observations = {{.column = "a", .quantity = "x1", .sigma = {.absolute = kSigma}},
                    {.column = "b", .quantity = "x2", .sigma = {.absolute = kSigma}}};
  return synthesize(problem, 7);
}

Outcome fit_parfait(const estimate::Problem& data, integrate::Method method, Settings settings) {
  estimate::Problem problem = data;
  problem.options.integrator.method = method;
  problem.options.integrator.rtol = settings.rtol;
  problem.options.integrator.atol = 0.01 * settings.rtol;
  problem.options.iteration.tolerance = settings.tolerance;
  const auto begin = Clock::now();
  const estimate::FitResult result = fit(problem);
  Outcome outcome;
  outcome.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  if (!result.converged()) throw std::runtime_error(result.iteration.message);
  outcome.iterations = result.iteration.iterations;
  for (std::size_t i = 0; i < 4; ++i) outcome.p[i] = result.estimates[i].statistics.value;
  return outcome;
}

double distance(const Parameters& a, const Parameters& b) {
  double largest = 0;
  for (std::size_t i = 0; i < 4; ++i) largest = std::max(largest, std::abs(a[i] / b[i] - 1));
  return largest;
}

struct Row {
  bool ours;
  std::string name;
  std::function<Outcome()> run;
  Outcome outcome;
};

const Row* fastest(const std::vector<Row>& rows, bool ours, double error, const Parameters& p) {
  const Row* best = nullptr;
  for (const Row& row : rows) {
    if (row.ours != ours || distance(row.outcome.p, p) > error) continue;
    if (!best || row.outcome.seconds < best->outcome.seconds) best = &row;
  }
  return best;
}

void compare() {
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  const estimate::Problem problem = predators();
  const Parameters reference = fit_parfait(problem, integrate::Method::kDop853, {1e-13, 1e-10}).p;
  const auto& columns = problem.experiments[0].data.columns;
  const std::vector<Variant> variants = peer_variants();
  const double agreement = distance(fit_peer(columns, variants[0], {1e-12, 1e-16}).p, reference);
  if (!(agreement < 1e-8)) {
    throw std::runtime_error(fmt::format("the two differ by {:g} at tight tolerances", agreement));
  }

  std::vector<Row> rows;
  const auto tolerances = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};
  for (double rtol : tolerances) {
    for (auto method :
         {integrate::Method::kDop853, integrate::Method::kDopri5, integrate::Method::kAbm}) {
      for (double tolerance : {1e-2, 1e-3, 1e-4, 1e-6}) {
        rows.push_back({true,
                        fmt::format("{} {:g}, {:g}", text(method), rtol, tolerance),
                        [&problem, method, rtol, tolerance] {
                          return fit_parfait(problem, method, {rtol, tolerance});
                        },
                        {}});
      }
    }
    for (const Variant& variant : variants) {
      for (double tolerance : {1e-4, 1e-6, 1e-9, 1e-12}) {
        rows.push_back({false,
                        fmt::format("{} {:g}, {:g}", variant.name, rtol, tolerance),
                        [&columns, &variant, rtol, tolerance] {
                          return fit_peer(columns, variant, {rtol, tolerance});
                        },
                        {}});
      }
    }
  }
  for (int round = 0; round < kRounds; ++round) {
    for (Row& row : rows) {
      const Outcome outcome = row.run();
      if (round == 0 || outcome.seconds < row.outcome.seconds) row.outcome = outcome;
    }
  }

  fmt::print(
      "Lotka-Volterra, 4 parameters, {} measurements, single shooting, one thread; at tight "
      "tolerances the two agree to {:.0e}\n",
      2 * kTimes, agreement);
  fmt::print("{:>9} {:<28} {:>5} {:>9} {:<38} {:>5} {:>9} {:>6}\n", "accuracy",
             "Parfait: method rtol, tol.", "iter.", "time [us]",
             "Ceres + CVODES: method rtol, tol.", "iter.", "time [us]", "ratio");
  for (double error : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7}) {
    const Row* ours = fastest(rows, true, error, reference);
    const Row* theirs = fastest(rows, false, error, reference);
    if (!ours || !theirs) continue;
    fmt::print("{:>9.0e} {:<28} {:>5} {:>9.0f} {:<38} {:>5} {:>9.0f} {:>6.2f}\n", error, ours->name,
               ours->outcome.iterations, 1e6 * ours->outcome.seconds, theirs->name,
               theirs->outcome.iterations, 1e6 * theirs->outcome.seconds,
               theirs->outcome.seconds / ours->outcome.seconds);
  }
  double share = 0;
  fit_peer(columns, variants[0], {1e-6, 1e-9}, &share);
  fmt::print("CVODES has {:.0f} % of the time of Ceres + CVODES ({}, 1e-6)\n", 100 * share,
             variants[0].name);
}

}  // namespace
}  // namespace parfait::bench

int main() {
  try {
    parfait::bench::compare();
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
