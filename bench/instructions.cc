// What scripts/count-instructions counts: one piece of work, so many times. Timings change from
// machine to machine and from minute to minute; the number of instructions of a fixed piece of work
// does not, so a change that costs one per cent shows.
//
//   bench_instructions CASE TIMES

#include <fmt/format.h>
#include <tbb/global_control.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "models.h"
#include "parfait/base/error.h"
#include "parfait/estimate/fit/fit.h"
#include "parfait/io/model/model_file.h"
#include "parfait/io/problem/problem_file.h"
#include "parfait_run.h"

namespace parfait::bench {
namespace {

const std::string kExamples = std::string(PARFAIT_SOURCE_DIR) + "/examples/";

mechanism::Description described(const std::string& system) {
  if (system == "chain") return revolute_chain(30);
  if (system == "springs") return spring_chain(30);
  if (system == "human") return human();
  if (system == "hexapod") return io::read_model(kExamples + "hexapod/hexapod.xml");
  throw base::InputError("unknown system \"" + system + "\": chain, springs, human or hexapod.");
}

/// Directions that move everything: no entry is zero, and no two columns are alike.
math::Directions all_moving(int rows, int columns) {
  math::Directions d(rows, columns);
  for (int i = 0; i < rows; ++i) {
    for (int k = 0; k < columns; ++k) d(i, k) = 1.0 / (1 + (7 * i + 3 * k) % 11);
  }
  return d;
}

void right_hand_sides(const std::string& system, int times) {
  Run run(described(system));
  for (int i = 0; i < times; ++i) run.evaluate();
}

/// A right-hand side and sixteen directions of it: what is prepared once per point is included.
void directions(const std::string& system, int times) {
  constexpr int kDirections = 16;
  Run run(described(system), kDirections);
  const auto dy = all_moving(static_cast<int>(run.y.size()), kDirections);
  math::Directions ddydt(static_cast<int>(run.y.size()), kDirections);
  for (int i = 0; i < times; ++i) {
    run.evaluate();
    run.directions(dy, ddydt);
  }
}

void fits(const std::string& problem_file, int times) {
  const tbb::global_control alone(tbb::global_control::max_allowed_parallelism, 1);
  const auto problem = io::read_problem(kExamples + problem_file);
  for (int i = 0; i < times; ++i) {
    const auto result = estimate::fit(problem);
    if (!result.converged()) throw base::InputError(result.iteration.message);
  }
}

void work(const std::string& name, int times) {
  const auto slash = name.find('/');
  const std::string what = name.substr(0, slash);
  const std::string which = slash == std::string::npos ? "" : name.substr(slash + 1);
  if (what == "rhs") return right_hand_sides(which, times);
  if (what == "directions16") return directions(which, times);
  if (what == "fit") return fits(which + "/problem.xml", times);
  throw base::InputError("unknown case \"" + name + "\": rhs/..., directions16/... or fit/...");
}

}  // namespace
}  // namespace parfait::bench

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: bench_instructions CASE TIMES\n");
    return 2;
  }
  try {
    parfait::bench::work(argv[1], std::atoi(argv[2]));
  } catch (const parfait::base::InputError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
