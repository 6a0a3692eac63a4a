// A loop of small simulations through `run`, the model read once: what bench/python_loop.py
// compares with. usage: bench_loop MODEL TIMES UNTIL STEP
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>

#include "parfait/run/simulation/simulation.h"

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "usage: bench_loop MODEL TIMES UNTIL STEP\n");
    return 2;
  }
  parfait::run::SimulationRequest request;
  request.model = parfait::run::load_model(argv[1]);
  request.file = argv[1];
  request.until = std::atof(argv[3]);
  request.step = std::atof(argv[4]);
  const int times = std::atoi(argv[2]);
  double sum = 0;
  const std::clock_t begun = std::clock();
  for (int i = 0; i < times; ++i) {
    const auto run = parfait::run::simulate(request);
    if (!run.finished()) return 1;
    sum += run.trajectory.columns[1].back();
  }
  fmt::print("{:.9g} {:.17g}\n", static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC, sum);
  return 0;
}
