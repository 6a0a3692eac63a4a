#include "parfait/math/lanes.h"

#include <gtest/gtest.h>

#include <cstring>
#include <new>

namespace parfait::math {
namespace {

Lane counted(double first) {
  double numbers[kLanes];
  for (int i = 0; i < kLanes; ++i) numbers[i] = first + i;
  return load(numbers);
}

// A bare vector of the compiler would keep what was in memory before: sums that begin with a new
// lane would then be wrong, and only on machines whose lanes are one register.
TEST(Lane, DefaultIsZero) {
  alignas(Lane) unsigned char memory[3 * sizeof(Lane)];
  std::memset(memory, 0x3f, sizeof memory);
  const auto* lanes = new (memory) Lane[3];
  for (int n = 0; n < 3; ++n) {
    for (int i = 0; i < kLanes; ++i) EXPECT_EQ(lanes[n][i], 0.0) << "lane " << n << ", " << i;
  }
}

TEST(Lane, ArithmeticIsThatOfEachNumber) {
  const Lane a = counted(1), b = counted(-20);
  Lane more = a, less = a;
  more += b;
  less -= b;
  for (int i = 0; i < kLanes; ++i) {
    const double x = 1 + i, y = -20 + i;
    EXPECT_EQ(a[i], x);
    EXPECT_EQ((-a)[i], -x);
    EXPECT_EQ((a + b)[i], x + y);
    EXPECT_EQ(more[i], x + y);
    EXPECT_EQ((a - b)[i], x - y);
    EXPECT_EQ(less[i], x - y);
    EXPECT_EQ((3.0 * a)[i], 3 * x);
    EXPECT_EQ((a * 3.0)[i], 3 * x);
    EXPECT_EQ((a / 8.0)[i], x / 8);
  }
}

TEST(Lane, StoreGivesBackWhatWasLoaded) {
  double numbers[kLanes + 1] = {};
  store(numbers + 1, counted(5));  // at any address, aligned or not
  EXPECT_EQ(numbers[0], 0.0);
  for (int i = 0; i < kLanes; ++i) EXPECT_EQ(numbers[1 + i], 5.0 + i);
}

}  // namespace
}  // namespace parfait::math
