#include "parfait/estimate/linear/bordered_least_squares.h"

#include <algorithm>
#include <utility>

#include "parfait/estimate/linear/for_blocks.h"
#include "parfait/math/dense_solves.h"

namespace parfait::estimate {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

BorderedLeastSquares::BorderedLeastSquares(Eliminations blocks, Index num_shared,
                                           const Tolerances& tolerances)
    : blocks_(std::move(blocks)), num_shared_(num_shared) {
  Index data = 0, equations = 0;
  double scale = 0;
  for (const auto& block : blocks_) {
    data += block->J1().rows();
    equations += block->J2().rows();
    scale = std::max(scale, block->shared_scale());
    solve_flops_ += block->solve_flops();
  }
  J1_.resize(data, num_shared);
  MatrixXd J2(equations, num_shared);
  data = equations = 0;
  for (const auto& block : blocks_) {
    J1_.middleRows(data, block->J1().rows()) = block->J1();
    J2.middleRows(equations, block->J2().rows()) = block->J2();
    data += block->J1().rows();
    equations += block->J2().rows();
  }
  shared_ = math::ConstrainedLeastSquares(J1_, J2,
                                          {.constraint_tolerance = tolerances.constraint,
                                           .tolerance = tolerances.rank,
                                           .scale = scale});

  num_free_ = shared_.num_free();
  rank_ = shared_.rank();
  num_dependent_ = static_cast<int>(equations) - shared_.constraint_rank();
  double strongest = shared_.strongest(), weakest = rank_ > 0 ? shared_.weakest() : 0;
  for (const auto& block : blocks_) {
    num_free_ += static_cast<int>(block->num_free());
    rank_ += static_cast<int>(block->rank());
    if (block->rank() == 0) continue;
    strongest = std::max(strongest, block->strongest());
    weakest = weakest > 0 ? std::min(weakest, block->weakest()) : block->weakest();
  }
  condition_ = weakest > 0 ? strongest / weakest : 1;
  cov_p_ = shared_.covariance();
  find_shortest();
}

void BorderedLeastSquares::find_shortest() {
  auto& [N, K, H, cov_q, S_N] = shortest_;
  N = shared_.undetermined();
  const Index d = N.cols();
  if (d == 0) return;
  MatrixXd K_inverse = MatrixXd::Identity(d, d);  // N is orthonormal
  H = MatrixXd::Zero(d, num_shared_);
  cov_q = MatrixXd::Zero(d, d);
  for (const auto& block : blocks_) {
    const MatrixXd& own = S_N.emplace_back(block->S() * N);
    K_inverse += math::gram(own);
    H += own.transpose() * block->S();
    cov_q += math::congruence(own.transpose(), block->own_covariance());
  }
  cov_q += math::congruence(H, cov_p_);
  K = math::solve_lu(K_inverse, MatrixXd::Identity(d, d));
}

BorderedLeastSquares::Reduced BorderedLeastSquares::reduce(std::span<const Right> rights) const {
  Reduced reduced(blocks_.size());
  for_blocks(blocks_.size(), solve_flops_,
             [&](std::size_t e) { reduced[e] = blocks_[e]->reduce(rights[e].b, rights[e].c); });
  return reduced;
}

VectorXd BorderedLeastSquares::stacked_r1(const Reduced& reduced) {
  Index size = 0;
  for (const auto& r : reduced) size += r.r1.size();
  VectorXd result(size);
  size = 0;
  for (const auto& r : reduced) {
    result.segment(size, r.r1.size()) = r.r1;
    size += r.r1.size();
  }
  return result;
}

VectorXd BorderedLeastSquares::stacked_r2(const Reduced& reduced) {
  Index size = 0;
  for (const auto& r : reduced) size += r.r2.size();
  VectorXd result(size);
  size = 0;
  for (const auto& r : reduced) {
    result.segment(size, r.r2.size()) = r.r2;
    size += r.r2.size();
  }
  return result;
}

LinearSolution BorderedLeastSquares::solve(std::span<const Right> rights) const {
  const Reduced reduced = reduce(rights);
  LinearSolution solution;
  solution.p = shared_.solve(stacked_r1(reduced), stacked_r2(reduced));
  solution.xi.resize(blocks_.size());
  for_blocks(blocks_.size(), solve_flops_, [&](std::size_t e) {
    solution.xi[e] = reduced[e].xi_0 + blocks_[e]->S() * solution.p;
  });
  if (shortest_.N.cols() > 0) {
    VectorXd q = VectorXd::Zero(shortest_.N.cols());
    for (std::size_t e = 0; e < blocks_.size(); ++e) {
      q += shortest_.S_N[e].transpose() * solution.xi[e];
    }
    const VectorXd w = shortest_.K * q;
    solution.p -= shortest_.N * w;
    for (std::size_t e = 0; e < blocks_.size(); ++e) solution.xi[e] -= shortest_.S_N[e] * w;
  }
  return solution;
}

double BorderedLeastSquares::contradiction(std::span<const Right> rights) const {
  return num_dependent_ > 0 ? shared_.contradiction(stacked_r2(reduce(rights))) : 0;
}

std::vector<VectorXd> BorderedLeastSquares::multipliers(std::span<const Right> rights,
                                                        const LinearSolution& solution) const {
  const Reduced reduced = reduce(rights);
  const VectorXd lambda_2 =
      shared_.multipliers(J1_.transpose() * (J1_ * solution.p + stacked_r1(reduced)));
  std::vector<VectorXd> result(blocks_.size());
  Index row = 0;
  for (std::size_t e = 0; e < blocks_.size(); ++e) {
    const Index rows = reduced[e].r2.size();
    result[e] =
        blocks_[e]->multipliers(blocks_[e]->residuals(solution.xi[e], solution.p, rights[e].b),
                                lambda_2.segment(row, rows));
    row += rows;
  }
  return result;
}

MatrixXd BorderedLeastSquares::covariance_shared() const {
  const auto& [N, K, H, cov_q, S_N] = shortest_;
  if (N.cols() == 0) return cov_p_;
  const MatrixXd N_K = N * K, change = N_K * H, cross = change * cov_p_;
  return cov_p_ - cross - cross.transpose() + math::congruence(N_K, cov_q);
}

MatrixXd BorderedLeastSquares::covariance_with_q(int block) const {
  const BlockElimination& own = *blocks_[block];
  const MatrixXd with_p = own.S() * cov_p_;
  MatrixXd result = own.own_covariance() * shortest_.S_N[block];
  result += with_p * shortest_.H.transpose();
  return result;
}

MatrixXd BorderedLeastSquares::covariance_local(int block) const {
  const BlockElimination& own = *blocks_[block];
  MatrixXd result = own.own_covariance() + math::congruence(own.S(), cov_p_);
  const auto& [N, K, H, cov_q, S_N] = shortest_;
  if (N.cols() == 0) return result;
  const MatrixXd S_N_K = S_N[block] * K, with_q = covariance_with_q(block);
  const MatrixXd cross = with_q * S_N_K.transpose();
  result -= cross + cross.transpose();
  result += math::congruence(S_N_K, cov_q);
  return result;
}

MatrixXd BorderedLeastSquares::covariance_mixed(int block) const {
  const BlockElimination& own = *blocks_[block];
  MatrixXd result = own.S() * cov_p_;
  const auto& [N, K, H, cov_q, S_N] = shortest_;
  if (N.cols() == 0) return result;
  const MatrixXd S_N_K = S_N[block] * K, N_K = N * K, change = S_N_K * H;
  MatrixXd with_q = covariance_with_q(block);
  with_q -= S_N_K * cov_q;
  result -= change * cov_p_;
  result -= with_q * N_K.transpose();
  return result;
}

MatrixXd BorderedLeastSquares::undetermined() const {
  std::vector<MatrixXd> local;
  Index rows = num_shared_, cols = shortest_.N.cols();
  for (const auto& block : blocks_) {
    local.push_back(block->undetermined());
    rows += block->num_local();
    cols += local.back().cols();
  }
  MatrixXd result = MatrixXd::Zero(rows, cols);
  const Index d = shortest_.N.cols();
  // K = L L^T makes (N, S N) L orthonormal; what is undetermined at fixed p is orthogonal to it.
  MatrixXd L(d, d);
  if (d > 0) {
    const auto [values, V] = math::symmetric_eigen_pairs(shortest_.K);
    L = V * values.cwiseMax(0).cwiseSqrt().asDiagonal();
    result.topLeftCorner(num_shared_, d) = shortest_.N * L;
  }
  Index row = num_shared_, col = d;
  for (std::size_t e = 0; e < blocks_.size(); ++e) {
    const Index n = blocks_[e]->num_local();
    if (d > 0) result.block(row, 0, n, d) = shortest_.S_N[e] * L;
    result.block(row, col, n, local[e].cols()) = local[e];
    row += n;
    col += local[e].cols();
  }
  return result;
}

}  // namespace parfait::estimate
