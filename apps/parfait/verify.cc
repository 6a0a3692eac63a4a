#include <fmt/format.h>

#include <cstdio>

#include "command.h"
#include "interrupt.h"
#include "parfait/io/results/result_json.h"
#include "parfait/run/verification/verification.h"

// parfait verify: problems with known solutions, solved on this machine.
namespace parfait::app {
namespace {

void print_solved(const result::Verification::Problem& problem) {
  const std::string reason = problem.error.empty() ? "" : ": " + problem.error;
  fmt::print("{:<24}{:<27}{:<19}{:>7.1f}{:>10g}{:>9.3f}{}\n", problem.name, problem.source,
             problem.method, problem.digits, problem.expected, problem.seconds,
             problem.passed ? "" : "   too few" + reason);
  std::fflush(stdout);
}

int verify(const GlobalOptions& global) {
  const bool shows = !global.quiet && !global.json;
  if (shows) {
    fmt::print("{:<24}{:<27}{:<19}{:>7}{:>10}{:>9}\n", "problem", "source", "method", "digits",
               "expected", "time/s");
  }
  run::Callbacks callbacks;
  InterruptWatch::begin();
  callbacks.stop = InterruptWatch::requested;
  const auto found = run::verify(callbacks, [&](const auto& problem) {
    if (shows) print_solved(problem);
  });
  const int failed = found.num_failed();
  const std::string verdict =
      found.status == "interrupted"
          ? fmt::format("interrupted after {} problems", found.problems.size())
      : failed == 0
          ? fmt::format("all {} problems have the digits that are expected", found.problems.size())
          : fmt::format("{} of {} problems have fewer digits than expected", failed,
                        found.problems.size());
  if (global.json) {
    fmt::print("{}", io::result_text(found));
  } else if (shows) {
    fmt::print("{}\n", verdict);
  }
  const bool passed = found.status == "passed";
  if (!passed && !shows) fmt::print(stderr, "{}\n", verdict);
  return passed ? kDone : kNotFinished;
}

}  // namespace

Command add_verify(CLI::App& app, const GlobalOptions& global) {
  auto* parser =
      app.add_subcommand("verify", "solve problems with known solutions on this machine");
  return {parser, [&global] { return verify(global); }};
}

}  // namespace parfait::app
