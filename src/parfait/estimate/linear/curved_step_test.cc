#include "parfait/estimate/linear/curved_step.h"

#include <gtest/gtest.h>

#include <cmath>

namespace parfait::estimate::curved_step_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// r = (p1, p2, 2 (1 + p1^2 + p1 p2 / 2)) at p, in rows turned by `turn`: what an elimination of
/// other unknowns does to them is another rotation at every point.
struct Curved {
  VectorXd r;
  MatrixXd J;
  MatrixXd turned;  ///< Q

  Curved(const VectorXd& p, double turn) : r(3), J(3, 2), turned(MatrixXd::Identity(3, 3)) {
    r << p[0], p[1], 2 * (1 + p[0] * p[0] + 0.5 * p[0] * p[1]);
    J << 1, 0, 0, 1, 4 * p[0] + p[1], p[0];
    turned.bottomRightCorner(2, 2) << std::cos(turn), -std::sin(turn), std::sin(turn),
        std::cos(turn);
  }
  Block block() const {
    Block out = Block::zero(0, 2, 3, 0, 0);
    out.B = turned * J;
    out.right.b = turned * r;
    return out;
  }
};

MatrixXd learned(double turn_before, double turn_after) {
  const VectorXd from = (VectorXd(2) << 0.2, -0.1).finished();
  const VectorXd to = (VectorXd(2) << 0.1, 0.05).finished();
  const Curved old_point(from, turn_before), new_point(to, turn_after);
  const std::vector<Block> before{old_point.block()}, after{new_point.block()};
  RightSide here = before[0].right;
  here.b = old_point.turned * new_point.r;
  LinearSolution step;
  step.p = to - from;
  step.xi.emplace_back(VectorXd(0));
  SecantCurvature secant;
  secant.reset(before);
  secant.learn(before, std::vector<RightSide>{here}, after, step);
  return secant.matrices()[0];
}

TEST(SecantCurvature, DoesNotDependOnHowRowsAreTurned) {
  const MatrixXd S = learned(0, 0);
  ASSERT_GT(S.norm(), 1);
  EXPECT_LT((learned(0.3, 1.7) - S).norm(), 1e-13 * S.norm());
  EXPECT_LT((learned(-2.0, 0.9) - S).norm(), 1e-13 * S.norm());
}

TEST(SecantCurvature, MapsTheStepAsTheSecondDerivativesDo) {
  // sum r_i d2r_i = r_3 (4 1; 1 0): exact along the step, because r is quadratic.
  const VectorXd to = (VectorXd(2) << 0.1, 0.05).finished();
  const VectorXd s = to - (VectorXd(2) << 0.2, -0.1).finished();
  const double r3 = Curved(to, 0).r[2];
  const MatrixXd exact = (MatrixXd(2, 2) << 4 * r3, r3, r3, 0).finished();
  EXPECT_LT((learned(0.3, 1.7) * s - exact * s).norm(), 1e-13 * (exact * s).norm());
}

}  // namespace
}  // namespace parfait::estimate::curved_step_test
