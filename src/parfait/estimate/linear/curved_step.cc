#include "parfait/estimate/linear/curved_step.h"

#include <algorithm>
#include <cmath>

#include "parfait/estimate/linear/stacked_problem.h"
#include "parfait/math/active_set.h"
#include "parfait/math/dense_solves.h"

namespace parfait::estimate {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

MatrixXd data_columns(const Block& block) {
  MatrixXd J(block.A.rows(), block.num_local() + block.num_shared());
  J << block.A, block.B;
  return J;
}

VectorXd variables(const LinearSolution& step, std::size_t e) {
  VectorXd s(step.xi[e].size() + step.p.size());
  s << step.xi[e], step.p;
  return s;
}

/// x = (p, xi_1, xi_2, ...), as StackedProblem has it.
VectorXd stacked(const VectorXd& p, const std::vector<VectorXd>& xi) {
  Index size = p.size();
  for (const VectorXd& v : xi) size += v.size();
  VectorXd x(size);
  x.head(p.size()) = p;
  Index at = p.size();
  for (const VectorXd& v : xi) {
    x.segment(at, v.size()) = v;
    at += v.size();
  }
  return x;
}

}  // namespace

Index num_variables(std::span<const Block> blocks) {
  Index n = blocks.empty() ? 0 : blocks[0].num_shared();
  for (const Block& block : blocks) n += block.num_local();
  return n;
}

void SecantCurvature::reset(std::span<const Block> blocks) {
  S_.clear();
  for (const Block& block : blocks) {
    const Index n = block.num_local() + block.num_shared();
    S_.emplace_back(MatrixXd::Zero(n, n));
  }
}

double SecantCurvature::along(const LinearSolution& step) const {
  double sum = 0;
  for (std::size_t e = 0; e < S_.size(); ++e) {
    const VectorXd s = variables(step, e);
    sum += s.dot(S_[e] * s);
  }
  return sum;
}

void SecantCurvature::learn(std::span<const Block> before, std::span<const RightSide> here,
                            std::span<const Block> after, const LinearSolution& step) {
  const bool of_likelihood = here.empty();
  for (std::size_t e = 0; e < S_.size(); ++e) {
    if (after[e].A.rows() == 0) continue;
    const MatrixXd J_old = data_columns(before[e]), J_new = data_columns(after[e]);
    const VectorXd s = variables(step, e);
    const VectorXd gradient = J_new.transpose() * after[e].right.b;
    const VectorXd y = gradient - J_old.transpose() * before[e].right.b;
    const VectorXd wanted = of_likelihood ? VectorXd(y - J_new.transpose() * (J_new * s))
                                          : VectorXd(gradient - J_old.transpose() * here[e].b);
    MatrixXd& S = S_[e];
    const double have = s.dot(S * s), want = s.dot(wanted);
    if (have != 0) S *= std::min(1.0, std::abs(want / have));
    const VectorXd miss = wanted - S * s;
    // Cosines in the metric of the columns, which knows no units.
    const VectorXd D = J_new.colwise().norm().transpose().cwiseMax(1e-300);
    const double length = D.cwiseProduct(s).norm();
    const double metric = y.dot(s), rank_one = miss.dot(s);
    constexpr double kCosine = 1e-6;
    if (metric > kCosine * length * y.cwiseQuotient(D).norm()) {
      S += (miss * y.transpose() + y * miss.transpose()) / metric -
           (rank_one / (metric * metric)) * y * y.transpose();
    } else if (std::abs(rank_one) > kCosine * length * miss.cwiseQuotient(D).norm()) {
      S += miss * miss.transpose() / rank_one;
    }
  }
}

CurvedStep solve_curved(std::span<const Block> blocks, const std::vector<MatrixXd>& S,
                        const ColumnScales& D, double lambda, const LinearFitOptions& options) {
  CurvedStep step;
  std::vector<RightSide> rights;
  for (const Block& block : blocks) rights.push_back(block.right);
  StackedProblem problem = stack(blocks, rights, std::vector<RowsInForce>(blocks.size()));
  const VectorXd scale = stacked(D.p, D.xi).cwiseInverse();
  for (MatrixXd* J : {&problem.J1, &problem.J2, &problem.J3}) {
    J->array().rowwise() *= scale.transpose().array();
  }
  // H = J^T J + S in scaled variables.
  const MatrixXd gauss_newton = math::gram(problem.J1);
  MatrixXd H = gauss_newton;
  const Index np = D.p.size();
  Index at = np;
  for (std::size_t e = 0; e < S.size(); ++e) {
    const Index n = blocks[e].num_local();
    const auto local = scale.segment(at, n).asDiagonal(), shared = scale.head(np).asDiagonal();
    H.block(at, at, n, n) += local * S[e].topLeftCorner(n, n) * local;
    H.block(at, 0, n, np) += local * S[e].topRightCorner(n, np) * shared;
    H.block(0, at, np, n) += shared * S[e].bottomLeftCorner(np, n) * local;
    H.topLeftCorner(np, np) += shared * S[e].bottomRightCorner(np, np) * shared;
    at += n;
  }
  if (!H.allFinite()) return step;
  const VectorXd g = problem.J1.transpose() * problem.r1;
  const auto [values, V] = math::symmetric_eigen_pairs(H);
  const double largest = values.size() > 0 ? values.cwiseAbs().maxCoeff() : 0;
  if (!(largest > 0)) return step;
  // |R x + b|^2 = x^T (|H| + lambda) x + 2 g^T x + constant.
  const VectorXd root =
      (values.cwiseAbs().cwiseMax(1e-14 * largest).array() + lambda).sqrt().matrix();
  const MatrixXd R = root.asDiagonal() * V.transpose();
  const VectorXd b = (V.transpose() * g).cwiseQuotient(root);
  const double unit = b.norm() > 0 ? b.norm() : 1;
  VectorXd x;
  if (problem.J2.rows() + problem.J3.rows() == 0) {
    x = -V * b.cwiseQuotient(root);
  } else {
    const math::ActiveSetResult result = math::solve_active_set(
        R, b / unit, problem.J2, problem.r2 / unit, problem.J3, problem.r3 / unit, {},
        {.constraint_tolerance = options.constraint_tolerance,
         .tolerance = 1e-15,
         .contradiction = options.contradiction_tolerance});
    if (result.status != math::ActiveSetResult::Status::kSolved) return step;
    x = unit * result.x;
  }
  if (!x.allFinite()) return step;
  step.decrease = -(2 * g.dot(x) + x.dot(H * x));
  step.decrease_without = -(2 * g.dot(x) + x.dot(gauss_newton * x));
  x.array() *= scale.array();
  step.solution.p = x.head(np);
  at = np;
  for (const Block& block : blocks) {
    step.solution.xi.emplace_back(x.segment(at, block.num_local()));
    at += block.num_local();
  }
  step.solved = true;
  return step;
}

}  // namespace parfait::estimate
