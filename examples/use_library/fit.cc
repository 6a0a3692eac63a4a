#include <cmath>
#include <cstdio>

#include "parfait/fit.h"

// How fast does x' = -k x decay, and how well is that known? Measured at k = 0.8, with errors of
// +-0.01 in turn: k must come out again, within its interval.
int main() {
  parfait::dynamics::FormulaModel decay;
  decay.state("x", 1, "-k * x");
  decay.parameter("k", 1);

  parfait::Problem problem;  // or: request.file = "problem.xml"
  problem.estimates = {{.parameter = "k", .initial = 2, .lower = 0}};
  auto& experiment = problem.experiments.emplace_back();
  experiment.id = "run1";
  experiment.system = parfait::make_model(decay).system;
  experiment.observations = {{.column = "x", .quantity = {"x"}, .sigma = {.absolute = 0.01}}};
  auto& data = experiment.data;
  data.header = {"t", "x"};
  data.columns.resize(2);
  for (int i = 0; i <= 20; ++i) {
    const double t = 0.2 * i;
    data.columns[0].push_back(t);
    data.columns[1].push_back(std::exp(-0.8 * t) + (i % 2 == 0 ? 0.01 : -0.01));
  }

  parfait::FitRequest request;
  request.problem = problem;
  parfait::Callbacks callbacks;
  callbacks.on_iteration = [](const parfait::IterationRecord& point) {
    std::printf("%d: objective %.6g, k = %.6f\n", point.iteration.number, point.iteration.objective,
                point.values[0]);
  };
  const auto run = parfait::fit(request, callbacks);
  std::printf("%s\n", run.result.verdict.message.c_str());

  const auto* k = run.result.find("k");
  std::printf("k = %.4f +- %.4f, 95 %% interval [%.4f, %.4f]\n", k->value, k->sd, k->individual.low,
              k->individual.high);
  const bool found = k->individual.low < 0.8 && 0.8 < k->individual.high && k->sd < 0.05;
  return run.complete() && found ? 0 : 1;
}
