#include "parfait/run/verification/verification.h"

#include <exception>

#include "parfait/run/job/job.h"
#include "parfait/run/job/stopwatch.h"
#include "parfait/run/job/version.h"
#include "parfait/run/verification/published.h"

namespace parfait::run {
namespace {

result::Verification::Problem solve(const PublishedProblem& problem, Stop stop) {
  Stopwatch watch;
  result::Verification::Problem solved;
  solved.name = problem.name;
  solved.source = problem.source;
  solved.method = problem.method;
  solved.expected = problem.expected_digits;
  try {
    solved.digits = problem.digits(stop);
  } catch (const std::exception& error) {
    solved.error = error.what();
  }
  solved.seconds = watch.lap();
  solved.passed = solved.error.empty() && solved.digits >= solved.expected;
  return solved;
}

}  // namespace

result::Verification verify(
    const Callbacks& callbacks,
    const std::function<void(const result::Verification::Problem&)>& on_solved) {
  auto problems = published_motions();
  for (auto& fit : published_fits()) problems.push_back(std::move(fit));
  result::Verification out;
  out.version = version();
  Job job(callbacks);
  job.run([&] {
    job.everything_is_read();
    for (const auto& problem : problems) {
      const auto solved = solve(problem, &job.stop());
      if (job.stopped()) return;
      out.problems.push_back(solved);
      const double fraction =
          static_cast<double>(out.problems.size()) / static_cast<double>(problems.size());
      job.tell([&] {
        if (on_solved) on_solved(solved);
        if (callbacks.on_progress) callbacks.on_progress(fraction, solved.name);
      });
    }
  });
  if (out.problems.size() < problems.size()) {
    out.status = "interrupted";
    return out;
  }
  out.status = out.num_failed() == 0 ? "passed" : "failed";
  return out;
}

}  // namespace parfait::run
