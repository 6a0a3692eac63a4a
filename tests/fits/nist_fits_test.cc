#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "nist_problems.h"
#include "parfait/estimate/fit/fit.h"

namespace parfait::estimate {
namespace {

using testing_support::matching_digits;
using testing_support::NistProblem;

struct Outcome {
  int iterations = 0;
  double parameters = 0, sum = 0, sd = 0;  ///< digits; the least of the parameters

  /// NIST's own yardstick, and that of the solvers that report results: four digits.
  bool solved() const { return parameters >= 4; }
};

struct Method {
  const char* name;
  Globalization globalization;
  bool back_projection;
};
constexpr Method kMethods[] = {
    {"full", Globalization::kFull, false},         {"natural", Globalization::kNatural, false},
    {"natural+bp", Globalization::kNatural, true}, {"rmt", Globalization::kRmt, false},
    {"rmt+bp", Globalization::kRmt, true},         {"lm", Globalization::kLm, false},
    {"auto", Globalization::kAuto, true},
};
constexpr std::size_t kNatural = 1, kNaturalBack = 2, kRmt = 3, kRmtBack = 4, kAuto = 6;

Outcome solve(const NistProblem& nist, int start, const Method& method) {
  Problem problem = testing_support::estimation_problem(nist, start);
  auto& iteration = problem.options.iteration;
  iteration.globalization = method.globalization;
  iteration.back_projection = method.back_projection;
  iteration.tolerance = 1e-11;
  if (method.globalization != Globalization::kAuto) {  // which has to do with the other defaults
    iteration.max_iterations = 1000;
    problem.options.linear.rank_tolerance = 1e-13;  // far starts are nearly singular, no more
  }
  FitResult result = fit(problem);
  Outcome out{.iterations = result.iteration.iterations};
  if (result.estimates.empty()) return out;
  // b1 + b2 exp(-b4 x) + b3 exp(-b5 x): which exponential is called the first is no matter of the
  // data. NIST has the slower one there.
  if (nist.name == "MGH17" &&
      result.estimates[3].statistics.value > result.estimates[4].statistics.value) {
    std::swap(result.estimates[1], result.estimates[2]);
    std::swap(result.estimates[3], result.estimates[4]);
  }
  out.parameters = out.sd = 11;
  for (std::size_t i = 0; i < nist.parameters.size(); ++i) {
    const auto& s = result.estimates[i].statistics;
    const auto& parameter = nist.parameters[i];
    out.parameters = std::min(out.parameters, matching_digits(s.value, parameter.certified));
    out.sd = std::min(out.sd, matching_digits(s.sd, parameter.certified_sd));
  }
  out.sum = matching_digits(result.objective, nist.residual_sum);
  return out;
}

/// Solved runs and their digits; runs that are not solved count as 0 digits.
struct Score {
  int runs = 0, solved = 0;
  double digits = 0;

  void add(const Outcome& outcome) {
    ++runs;
    if (!outcome.solved()) return;
    ++solved;
    digits += outcome.parameters;
  }
  double mean_digits() const { return digits / runs; }
};

/// 54 runs with each method. The table says, for each, the iterations and the least number of
/// digits of a parameter ("-" if fewer than four); then, for the best, those of the residual sum
/// and the standard deviations.
TEST(NistFits, AllProblemsAreSolvedToTheDigitsThatAreCertified) {
  std::string table = fmt::format("{:10} {:8} {:5}", "problem", "level", "start");
  for (const Method& method : kMethods) table += fmt::format(" {:>12}", method.name);
  table += fmt::format(" {:>6} {:>6}\n", "sum", "sd");
  Score scores[std::size(kMethods)], best_score;
  double sum_digits = 0, sd_digits = 0;
  int with_deviations = 0;
  for (const NistProblem& nist : testing_support::nist_problems()) {
    for (const int start : {0, 1}) {
      table += fmt::format("{:10} {:8} {:5}", nist.name, nist.level, start + 1);
      Outcome best;
      for (std::size_t m = 0; m < std::size(kMethods); ++m) {
        const Outcome outcome = solve(nist, start, kMethods[m]);
        table += fmt::format(" {:>5} {:>6}", outcome.iterations,
                             outcome.solved() ? fmt::format("{:.1f}", outcome.parameters) : "-");
        scores[m].add(outcome);
        if (outcome.parameters > best.parameters) best = outcome;
      }
      table += fmt::format(" {:6.1f} {:6.1f}\n", best.sum, best.sd);
      best_score.add(best);
      EXPECT_TRUE(best.solved()) << nist.name << " from start " << start + 1;
      if (nist.has_exact_data()) continue;
      ++with_deviations;
      sum_digits += best.sum;
      sd_digits += best.sd;
    }
  }
  table += fmt::format("{:25}", "solved");
  for (const Score& score : scores) table += fmt::format(" {:>12}", score.solved);
  table += fmt::format("\n{:25}", "mean digits");
  for (const Score& score : scores) table += fmt::format(" {:>12.2f}", score.mean_digits());
  fmt::print(
      "{}\nbest: {} of {} solved, mean digits: {:.2f} parameters, {:.2f} residual sums, "
      "{:.2f} standard deviations\n",
      table, best_score.solved, best_score.runs, best_score.mean_digits(),
      sum_digits / with_deviations, sd_digits / with_deviations);
  EXPECT_EQ(best_score.runs, 54);
  EXPECT_EQ(scores[kAuto].solved, 54);
  EXPECT_GE(scores[kAuto].mean_digits(), 10.4);  // measured 10.74
  EXPECT_GE(scores[kNatural].solved, 48);
  // Back projection that is not tested loses six and four of them.
  EXPECT_GE(scores[kNaturalBack].solved, scores[kNatural].solved);
  EXPECT_GE(scores[kRmtBack].solved, scores[kRmt].solved);
  EXPECT_GE(best_score.mean_digits(), 10);
  EXPECT_GE(sum_digits / with_deviations, 10);  // measured 10.7
  EXPECT_GE(sd_digits / with_deviations, 9.5);  // measured 10.4
}

}  // namespace
}  // namespace parfait::estimate
