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

namespace {

/// |R x + b|^2 = the quadratic model and its damping, but for a constant.
struct Model {
  MatrixXd R;
  VectorXd b;
};

/// |J x + r|^2 + lambda |x|^2, of J itself: J^T J would lose directions that J sees 1e-8 times less
/// than others, which are the floor of a narrow valley. Those that it sees 1e-9 times less are not
/// seen (as LinearFit has it).
Model model_without_curvature(const MatrixXd& J, const VectorXd& r, double lambda) {
  const Index m = J.rows(), n = J.cols();
  const double unseen = 1e-18 * J.colwise().squaredNorm().maxCoeff();
  MatrixXd A = MatrixXd::Zero(m + n, n);
  A.topRows(m) = J;
  A.bottomRows(n).diagonal().setConstant(std::sqrt(std::max(lambda, unseen)));
  VectorXd b = VectorXd::Zero(m + n);
  b.head(m) = r;
  const math::Reflections qr(A);
  qr.apply_transpose(b);
  return {.R = qr.R(), .b = b.head(n)};
}

/// x^T (|H| + lambda) x + 2 g^T x.
Model model_with_curvature(const MatrixXd& H, const VectorXd& g, double lambda) {
  const auto [values, V] = math::symmetric_eigen_pairs(H);
  const double largest = values.cwiseAbs().maxCoeff();
  const VectorXd root =
      (values.cwiseAbs().cwiseMax(1e-14 * largest).array() + lambda).sqrt().matrix();
  return {.R = root.asDiagonal() * V.transpose(), .b = (V.transpose() * g).cwiseQuotient(root)};
}

}  // namespace

CurvedStep solve_curved(std::span<const Block> blocks, const std::vector<MatrixXd>& S,
                        const ColumnScales& D, double lambda, const LinearFitOptions& options) {
  std::vector<RightSide> rights;
  for (const Block& block : blocks) rights.push_back(block.right);
  return solve_curved(blocks, rights, S, D, lambda, options);
}

CurvedStep solve_curved(std::span<const Block> blocks, std::span<const RightSide> rights,
                        const std::vector<MatrixXd>& S, const ColumnScales& D, double lambda,
                        const LinearFitOptions& options) {
  CurvedStep step;
  StackedProblem problem = stack(blocks, rights, std::vector<RowsInForce>(blocks.size()));
  const VectorXd scale = stacked(D.p, D.xi).cwiseInverse();
  for (MatrixXd* J : {&problem.J1, &problem.J2, &problem.J3}) {
    J->array().rowwise() *= scale.transpose().array();
  }
  if (!problem.J1.allFinite() || problem.J1.isZero(0)) return step;
  // S in scaled variables.
  MatrixXd curvature = MatrixXd::Zero(scale.size(), scale.size());
  const Index np = D.p.size();
  Index at = np;
  for (std::size_t e = 0; e < S.size(); ++e) {
    const Index n = blocks[e].num_local();
    const auto local = scale.segment(at, n).asDiagonal(), shared = scale.head(np).asDiagonal();
    curvature.block(at, at, n, n) += local * S[e].topLeftCorner(n, n) * local;
    curvature.block(at, 0, n, np) += local * S[e].topRightCorner(n, np) * shared;
    curvature.block(0, at, np, n) += shared * S[e].bottomLeftCorner(np, n) * local;
    curvature.topLeftCorner(np, np) += shared * S[e].bottomRightCorner(np, np) * shared;
    at += n;
  }
  if (!curvature.allFinite()) return step;
  const VectorXd g = problem.J1.transpose() * problem.r1;
  const auto [R, b] = S.empty()
                          ? model_without_curvature(problem.J1, problem.r1, lambda)
                          : model_with_curvature(math::gram(problem.J1) + curvature, g, lambda);
  const double unit = b.norm() > 0 ? b.norm() : 1;
  VectorXd x;
  if (problem.J2.rows() + problem.J3.rows() == 0) {
    x = -math::solve_lu(R, b);
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
  step.decrease_without = -(2 * g.dot(x) + (problem.J1 * x).squaredNorm());
  step.decrease = step.decrease_without - x.dot(curvature * x);
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
