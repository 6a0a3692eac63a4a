#include "random_fits.h"

#include <gtest/gtest.h>

// A slice of bench_random_fits.
namespace parfait::estimation::random_fits_test {
namespace {

TEST(RandomFits, AreNeverWronglyConverged) {
  constexpr int kProblems = 1000;
  int converged = 0;
  for (int number = 0; number < kProblems; ++number) {
    const RandomFit random = random_fit(static_cast<std::uint64_t>(number));
    const RandomOutcome outcome = try_random_fit(random);
    converged += outcome.verdict == Verdict::kRight ? 1 : 0;
    if (outcome.verdict == Verdict::kRight || outcome.verdict == Verdict::kNotConverged) continue;
    ADD_FAILURE() << number << " (" << random.kind << "): " << text(outcome.verdict) << ", "
                  << outcome.what;
  }
  EXPECT_GT(converged, kProblems * 95 / 100);
}

// Found further on: ends that the same way led to twice, parameters thrown away by many powers of
// ten, a bound missed by its last bit, data far better than sigma. (Still open are 11203 and 25873,
// exponentials that become one: a linear step along a direction of singular value below 1e-6
// promises a thousandth of the objective, and no descent finds it.)
TEST(RandomFits, ThatOnceWereWronglyConverged) {
  for (const int number : {10358, 15822, 17163, 26517}) {
    const RandomOutcome outcome = try_random_fit(random_fit(static_cast<std::uint64_t>(number)));
    EXPECT_TRUE(outcome.verdict == Verdict::kRight || outcome.verdict == Verdict::kNotConverged)
        << number << ": " << text(outcome.verdict) << ", " << outcome.what;
  }
}

}  // namespace
}  // namespace parfait::estimation::random_fits_test
