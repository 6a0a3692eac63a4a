#include "parfait/run/simulation/step_log.h"

#include <gtest/gtest.h>

namespace parfait::run {
namespace {

TEST(StepLog, KeepsShortRunsWhole) {
  StepLog log;
  for (int i = 1; i <= 3; ++i) log.add(0.1 * i, 0.1);
  EXPECT_EQ(log.table().num_rows(), 3);
  EXPECT_EQ(log.table().columns[0], (std::vector<double>{0.1, 0.2, 0.1 * 3}));
}

TEST(StepLog, ThinsLongRunsEvenly) {
  StepLog log;
  constexpr int kSteps = 5 * StepLog::kMost;
  for (int i = 1; i <= kSteps; ++i) log.add(i, 1);
  const auto& t = log.table().columns[0];
  EXPECT_LE(log.table().num_rows(), StepLog::kMost);
  EXPECT_GE(log.table().num_rows(), StepLog::kMost / 2);
  for (std::size_t i = 0; i < t.size(); ++i) ASSERT_EQ(t[i], 8.0 * (i + 1.0)) << i;
}

}  // namespace
}  // namespace parfait::run
