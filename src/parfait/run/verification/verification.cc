#include "parfait/run/verification/verification.h"

#include <exception>

#include "parfait/run/job/stopwatch.h"
#include "parfait/run/job/version.h"
#include "parfait/run/verification/published.h"

namespace parfait::run {

result::Verification verify(
    const Callbacks& callbacks,
    const std::function<void(const result::Verification::Problem&)>& on_solved) {
  auto problems = published_motions();
  for (auto& fit : published_fits()) problems.push_back(std::move(fit));
  result::Verification out;
  out.version = version();
  for (const auto& problem : problems) {
    if (callbacks.stop && callbacks.stop()) {
      out.status = "interrupted";
      return out;
    }
    Stopwatch watch;
    auto& solved = out.problems.emplace_back();
    solved.name = problem.name;
    solved.source = problem.source;
    solved.method = problem.method;
    solved.expected = problem.expected_digits;
    try {
      solved.digits = problem.digits();
    } catch (const std::exception& error) {
      solved.error = error.what();
    }
    solved.seconds = watch.lap();
    solved.passed = solved.error.empty() && solved.digits >= solved.expected;
    if (on_solved) on_solved(solved);
    if (callbacks.on_progress) {
      callbacks.on_progress(
          static_cast<double>(out.problems.size()) / static_cast<double>(problems.size()),
          solved.name);
    }
  }
  out.status = out.num_failed() == 0 ? "passed" : "failed";
  return out;
}

}  // namespace parfait::run
