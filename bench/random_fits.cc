#include <fmt/core.h>

#include <cstdlib>
#include <map>
#include <string>

#include "parfait/estimate/fit/fit.h"
#include "random_fits.h"

// Fits of random small problems with default options, judged by another method: a "converged" that
// is no minimum, an end above the start or a crash is a mistake, and the exit code says so.
//
//   bench_random_fits [COUNT [FIRST]]      10 000 problems from number 0 on
//   SHOW_ALL=1 bench_random_fits ...       those that did not converge, too
//   bench_random_fits 1 NUMBER             one problem, with its iterations
namespace {

void show(const parfait::estimation::RandomFit& random) {
  using namespace parfait::estimate;  // NOLINT(google-build-using-namespace): a program
  const auto result = fit(
      random.problem,
      {.on_iteration = [](const Iteration& line, const std::vector<double>& p, VecIn) {
        fmt::print("{:3} {:.10e} |dx| {:.2e} t {:.2e} omega {:.1e} kappa {:.1e} rank {}/{}{}  p",
                   line.number, line.objective, line.increment, line.step, line.omega, line.kappa,
                   line.rank, line.num_free, line.descent ? " descent" : "");
        for (const double v : p) fmt::print(" {:.6g}", v);
        fmt::print("\n");
        return true;
      }});
  for (std::size_t i = 0; i < random.problem.estimates.size(); ++i) {
    const Estimate& e = random.problem.estimates[i];
    fmt::print("{}{}: {} from {} in [{}, {}]\n", e.parameter,
               e.transform == Estimate::Transform::kLog ? " (log)" : "",
               result.estimates[i].statistics.value, e.initial, e.lower, e.upper);
  }
  if (result.iteration.descent_from) {
    fmt::print("descent from iteration {} on: {}\n", *result.iteration.descent_from,
               result.iteration.descent_reason);
  }
  fmt::print("{} measurements, sigma {}: {}, {}\n",
             random.problem.experiments[0].data.columns[0].size(),
             random.problem.options.sigma_known ? "known" : "estimated",
             text(result.iteration.status), result.iteration.message);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace parfait::estimation;  // NOLINT(google-build-using-namespace): a program of one
                                        // room
  const long count = argc > 1 ? std::atol(argv[1]) : 10'000;
  const long first = argc > 2 ? std::atol(argv[2]) : 0;
  struct Row {
    std::map<Verdict, int> verdicts;
    int problems = 0, descended = 0;
    long iterations = 0;
  };
  std::map<std::string, Row> rows;
  int wrong = 0;
  for (long number = first; number < first + count; ++number) {
    const RandomFit random = random_fit(static_cast<std::uint64_t>(number));
    const RandomOutcome outcome = try_random_fit(random);
    for (const std::string& kind : {random.kind, std::string("~ all")}) {
      Row& row = rows[kind];
      ++row.problems;
      ++row.verdicts[outcome.verdict];
      row.iterations += outcome.iterations;
      row.descended += outcome.descended ? 1 : 0;
    }
    if (count == 1) show(random);
    if (outcome.verdict == Verdict::kRight) continue;
    const bool is_wrong = outcome.verdict != Verdict::kNotConverged;
    wrong += is_wrong ? 1 : 0;
    if (is_wrong || std::getenv("SHOW_ALL") != nullptr) {
      fmt::print("{} ({}): {}, {}\n", number, random.kind, text(outcome.verdict), outcome.what);
    }
  }
  fmt::print("\n| model | problems | right | not converged | wrong | by descent | iterations |\n");
  fmt::print("|---|---|---|---|---|---|---|\n");
  for (const auto& [kind, row] : rows) {
    const auto of = [&](Verdict v) { return row.verdicts.contains(v) ? row.verdicts.at(v) : 0; };
    const int right = of(Verdict::kRight), unfinished = of(Verdict::kNotConverged);
    fmt::print("| {} | {} | {} | {} | {} | {} | {:.1f} |\n", kind == "~ all" ? "all" : kind,
               row.problems, right, unfinished, row.problems - right - unfinished, row.descended,
               static_cast<double>(row.iterations) / row.problems);
  }
  return wrong == 0 ? 0 : 1;
}
