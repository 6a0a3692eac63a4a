#include "parfait/estimate/linear/curved_step.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <vector>

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

/// Two blocks without inequalities: one of shared parameters alone, one with variables of its own.
std::array<Block, 2> blocks_at_random() {
  std::array<Block, 2> blocks = {Block::zero(0, 3, 4, 0, 0), Block::zero(2, 3, 9, 0, 0)};
  for (Block& block : blocks) {
    block.A.setRandom();
    block.B.setRandom();
    block.right.b.setRandom();
  }
  return blocks;
}

MatrixXd data_jacobian(const Block& block) {
  MatrixXd J(block.A.rows(), block.A.cols() + block.B.cols());
  J << block.A, block.B;
  return J;
}

class LearnedCurvature : public testing::TestWithParam<bool> {};

TEST_P(LearnedCurvature, ExplainsTheLastStep) {
  const bool of_likelihood = GetParam();
  std::srand(7);  // Eigen's random numbers
  const auto first = blocks_at_random();
  SecantCurvature curvature;
  curvature.reset(first);
  auto before = first;
  for (int k = 0; k < 20; ++k) {
    const auto after = blocks_at_random();
    const LinearSolution step{.xi = {VectorXd(0), VectorXd::Random(2)}, .p = VectorXd::Random(3)};
    // Values of the new point in the rows of the old one, which are the same rows here.
    std::vector<RightSide> here;
    if (!of_likelihood) here = {after[0].right, after[1].right};
    curvature.learn(before, here, after, step);
    for (std::size_t e = 0; e < after.size(); ++e) {
      VectorXd s(step.xi[e].size() + 3);
      s << step.xi[e], step.p;
      const MatrixXd J_old = data_jacobian(before[e]), J_new = data_jacobian(after[e]);
      const VectorXd& r_new = after[e].right.b;
      const VectorXd change = J_new.transpose() * r_new - J_old.transpose() * before[e].right.b;
      // What the linear model of the new point leaves of the change of the gradient.
      const VectorXd wanted = of_likelihood ? VectorXd(change - J_new.transpose() * J_new * s)
                                            : VectorXd((J_new - J_old).transpose() * r_new);
      const MatrixXd& S = curvature.matrices()[e];
      const double unit = (1 + S.norm()) * (1 + wanted.norm());
      EXPECT_NEAR(s.dot(S * s), s.dot(wanted), 1e-10 * unit);
      // Where y is no metric, along the step alone.
      if (change.dot(s) > 0.01) {
        EXPECT_LE((S * s - wanted).norm(), 1e-10 * unit);
      }
      EXPECT_LE((S - S.transpose()).norm(), 1e-12 * (1 + S.norm()));
    }
    before = after;
  }
}

INSTANTIATE_TEST_SUITE_P(Of, LearnedCurvature, testing::Bool(), [](const auto& of) {
  return of.param ? "Likelihood" : "SquaredResiduals";
});

}  // namespace
}  // namespace parfait::estimate::curved_step_test
