#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "command.h"
#include "json_text.h"
#include "parfait/run/published.h"
#include "parfait/run/run_folder.h"
#include "parfait/run/stopwatch.h"

// parfait verify: problems with known solutions, solved on this machine.
#include "parfait/run/version.h"

namespace parfait::app {
namespace {

int verify(const Common& common) {
  const bool shows = !common.quiet && !common.json;
  if (shows) {
    fmt::print("{:<24}{:<27}{:<19}{:>7}{:>10}{:>9}\n", "problem", "source", "method", "digits",
               "expected", "time/s");
  }
  Json list = Json::array();
  int failed = 0;
  const auto run = [&](const std::vector<run::PublishedProblem>& problems) {
    for (const auto& problem : problems) {
      run::Stopwatch watch;
      double digits = 0;
      std::string error;
      try {
        digits = problem.digits();
      } catch (const std::exception& e) {
        error = e.what();
      }
      const double seconds = watch.lap();
      const bool passed = error.empty() && digits >= problem.expected_digits;
      if (!passed) ++failed;
      list.push_back({{"problem", problem.name},
                      {"source", problem.source},
                      {"method", problem.method},
                      {"digits", digits},
                      {"expected", problem.expected_digits},
                      {"passed", passed},
                      {"seconds", seconds}});
      if (!shows) continue;
      fmt::print("{:<24}{:<27}{:<19}{:>7.1f}{:>10g}{:>9.3f}{}\n", problem.name, problem.source,
                 problem.method, digits, problem.expected_digits, seconds,
                 passed ? "" : "   too few" + (error.empty() ? "" : ": " + error));
      std::fflush(stdout);
    }
  };
  run(run::published_motions());
  run(run::published_fits());
  const std::string verdict =
      failed == 0
          ? fmt::format("all {} problems have the digits that are expected", list.size())
          : fmt::format("{} of {} problems have fewer digits than expected", failed, list.size());
  if (common.json) {
    const Json summary = {{"program", "parfait"},
                          {"version", run::version()},
                          {"command", "verify"},
                          {"status", failed == 0 ? "passed" : "failed"},
                          {"problems", list}};
    fmt::print("{}\n", summary.dump(2));
  } else if (shows) {
    fmt::print("{}\n", verdict);
  }
  if (failed > 0 && !shows) fmt::print(stderr, "{}\n", verdict);
  return failed == 0 ? kDone : kNotFinished;
}

}  // namespace

Command add_verify(CLI::App& app, const Common& common) {
  auto* parser =
      app.add_subcommand("verify", "solve problems with known solutions on this machine");
  return {parser, [&common] { return verify(common); }};
}

}  // namespace parfait::app
