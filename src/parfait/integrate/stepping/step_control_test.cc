#include "parfait/integrate/stepping/step_control.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace parfait::integrate {
namespace {

TEST(ErrorNorm, IsTheRootMeanSquareOfErrorsInUnitsOfTheTolerance) {
  const std::vector<double> rtol{0.1, 0.1}, atol{1, 1};
  const std::vector<double> y0{10, -40}, y1{-20, 30};
  // Scales 1 + 0.1 * 20 = 3 and 1 + 0.1 * 40 = 5.
  const std::vector<double> error{3, -35};
  EXPECT_DOUBLE_EQ(error_norm(error, y0, y1, rtol, atol), std::sqrt((1.0 + 49.0) / 2));
}

TEST(ErrorNorm, OfDirectionsIsTheWorstOneAndKnowsBothEndsOfTheStep) {
  const std::vector<double> rtol{0.1, 0.1}, atol{1, 1};
  math::Directions error(2, 3), W0(2, 3), W1(2, 3);
  for (int i = 0; i < 2; ++i) {
    W0(i, 0) = 10;
    W1(i, 0) = -20;  // scale 3
    W0(i, 1) = 40;   // scale 5
    error(i, 0) = 6;
    error(i, 1) = 5;
  }
  EXPECT_DOUBLE_EQ(error_norm(error, W0, W1, rtol, atol), 2);
  // The other way round in time it is the same.
  EXPECT_DOUBLE_EQ(error_norm(error, W1, W0, rtol, atol), 2);
}

TEST(StepController, AtTheToleranceTheStepSettlesBelowOne) {
  StepController controller(5, 0.04);
  double factor = 0;
  for (int i = 0; i < 3; ++i) factor = controller.after_accepted(1.0);
  EXPECT_DOUBLE_EQ(factor, 0.9);
}

TEST(StepController, ErrorOfTheNextStepMeetsTheTarget) {
  // error = c h^5: the plain part of the controller should bring it near 0.9^5 in a few steps.
  StepController controller(5, 0.04);
  double h = 1e-3;
  const double c = 1e4;
  double error = c * std::pow(h, 5);
  for (int i = 0; i < 40; ++i) {
    h *= controller.accepts(error) ? controller.after_accepted(error)
                                   : controller.after_rejected(error);
    error = c * std::pow(h, 5);
  }
  EXPECT_GT(error, 0.3);
  EXPECT_LT(error, 1.0);
}

TEST(StepController, DoesNotGrowRightAfterARejection) {
  StepController controller(5, 0.04);
  EXPECT_LT(controller.after_rejected(3.0), 1);
  EXPECT_LE(controller.after_accepted(1e-6), 1);
  EXPECT_GT(controller.after_accepted(1e-6), 1);
}

TEST(StepController, ShrinksFirmlyWhenTheTrialWasNotFinite) {
  StepController controller(5, 0.04);
  EXPECT_EQ(controller.after_rejected(std::numeric_limits<double>::infinity()), 0.2);
  EXPECT_EQ(controller.after_rejected(std::numeric_limits<double>::quiet_NaN()), 0.2);
}

}  // namespace
}  // namespace parfait::integrate
