// How often intervals of parameters and of estimated noise hold the truth: many data sets are made
// from one model with known noise, each is fitted, and the intervals are counted.
//
//   bench_noise_coverage [REPLICATES [SEED [WORD [LEAST]]]]
//
// WORD: only errors whose name contains it; LEAST: only from so many data on.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "parfait/dynamics/formula_system.h"
#include "parfait/estimate/fit/fit.h"
#include "parfait/estimate/fit/synthesize.h"

namespace {

using namespace parfait;  // NOLINT(google-build-using-namespace): a program, not a library
using estimate::Estimate;
using estimate::Noise;

struct Case {
  std::string name;
  Noise noise;
  std::string sigma;
  std::vector<Estimate> of_noise;
};

/// Decay, measured n times through an unknown gain above a known background.
estimate::Problem decay(const Case& c, int n) {
  dynamics::FormulaModel model;
  model.state("A", 2, "-k*A");
  model.parameter("k", 0.8);
  estimate::Problem problem;
  estimate::ExperimentDescription e{.id = "run"};
  e.system = dynamics::make_formula_system(model);
  e.samples = estimate::Samples{.from = 0, .to = 6, .count = n};
  estimate::Observation& observation = e.observations.emplace_back();
  observation.column = "a";
  observation.quantity = "gain*A + 0.5";
  observation.noise = c.noise;
  observation.sigma.formula = c.sigma;
  e.data = estimate::sample_table(*e.samples, "t", e.observations);
  problem.experiments.push_back(std::move(e));
  problem.estimates = {{.parameter = "k", .initial = 0.8, .truth = 0.8},
                       {.parameter = "gain", .initial = 1.5, .truth = 1.5}};
  for (const Estimate& e2 : c.of_noise) problem.estimates.push_back(e2);
  // Errors with a kink (laplace) converge slowly.
  problem.options.iteration.max_iterations = 400;
  for (Estimate& e2 : problem.estimates) e2.transform = Estimate::Transform::kLog;
  return problem;
}

}  // namespace

int main(int argc, char** argv) {
  const int replicates = argc > 1 ? std::atoi(argv[1]) : 1000;
  const int seed = argc > 2 ? std::atoi(argv[2]) : 1;
  const std::string word = argc > 3 ? argv[3] : "";
  const int least = argc > 4 ? std::atoi(argv[4]) : 0;
  const Estimate s{.parameter = "s", .initial = 0.1, .truth = 0.1};
  const Estimate r{.parameter = "r", .initial = 0.08, .truth = 0.08};
  const std::vector<Case> cases = {
      {"normal, sigma = s", {}, "s", {s}},
      {"normal, sigma = s + r y", {}, "s + r*y", {s, r}},
      {"log-normal, sigma = s", {.scale = estimate::ValueScale::kLog}, "s", {s}},
      {"laplace, scale s", {.distribution = Noise::Distribution::kLaplace}, "s", {s}},
      {"student (df 4), scale s",
       {.distribution = Noise::Distribution::kStudent, .df = 4},
       "s",
       {s}},
  };
  fmt::print(
      "{} replicates; share of 95 % intervals (of the logarithms) that hold the truth, and the\n"
      "mean of the estimated noise over its true value\n\n",
      replicates);
  fmt::print(
      "| errors | n | k | gain | s | r | mean s / true | not converged |\n"
      "|---|---|---|---|---|---|---|---|\n");
  for (const Case& c : cases) {
    if (c.name.find(word) == std::string::npos) continue;
    for (const int n : {12, 50, 200, 400}) {
      if (n < least) continue;
      // Two noise parameters need more to be told apart.
      const int count = c.of_noise.size() > 1 ? 2 * n : n;
      const estimate::Problem problem = decay(c, count);
      std::vector<int> inside(problem.estimates.size(), 0);
      double ratio = 0;
      int converged = 0;
      for (int i = 0; i < replicates; ++i) {
        const auto made =
            estimate::synthesize(problem, static_cast<std::uint64_t>(seed) * 1'000'003 + i);
        const auto fitted = estimate::fit(made);
        if (!fitted.converged()) continue;
        ++converged;
        for (std::size_t j = 0; j < inside.size(); ++j) {
          const auto& e = fitted.estimates[j];
          inside[j] +=
              e.statistics.individual.low <= *e.truth && *e.truth <= e.statistics.individual.high;
        }
        ratio += fitted.estimates[2].statistics.value / *fitted.estimates[2].truth;
      }
      fmt::print("| {} | {} ", c.name, count);
      for (std::size_t j = 0; j < 4; ++j) {
        fmt::print("| {} ",
                   j < inside.size() ? fmt::format("{:.1f} %", 100.0 * inside[j] / converged) : "");
      }
      fmt::print("| {:.3f} | {} |\n", ratio / converged, replicates - converged);
      std::fflush(stdout);
    }
  }
  return 0;
}
