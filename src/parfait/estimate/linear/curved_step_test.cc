#include "parfait/estimate/linear/curved_step.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

namespace parfait::estimate {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

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
    curvature.learn(before, after, step, of_likelihood);
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
}  // namespace parfait::estimate
