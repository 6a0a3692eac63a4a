#include "parfait/math/finite.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace parfait::math {
namespace {

TEST(AllFinite, FindsOneThatIsNotAnywhere) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(all_finite(std::span<const double>()));
  for (const double bad : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}) {
    for (int i = 0; i < 5; ++i) {
      std::vector<double> x(5, std::numeric_limits<double>::max());
      EXPECT_TRUE(all_finite(x));
      x[i] = bad;
      EXPECT_FALSE(all_finite(x));
    }
  }
  Eigen::MatrixXd A = Eigen::MatrixXd::Ones(2, 3);
  EXPECT_TRUE(all_finite(A));
  A(1, 2) = infinity;
  EXPECT_FALSE(all_finite(A));
}

}  // namespace
}  // namespace parfait::math
