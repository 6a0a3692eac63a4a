#pragma once

#include <Eigen/Dense>
#include <random>
#include <vector>

#include "parfait/estimate/linear/linear_fit.h"
#include "parfait/math/test_shortest.h"

namespace parfait::estimate {

/// Random bordered problems, and the same problem as one dense one in x = (p, xi_1, xi_2, ...).
struct BlockSizes {
  Eigen::Index local = 3, data = 8, equations = 1, inequalities = 0;
};

class TestBlocks {
 public:
  TestBlocks(unsigned seed, Eigen::Index shared, const std::vector<BlockSizes>& sizes)
      : random_(seed) {
    for (const BlockSizes& size : sizes) {
      Block block = Block::zero(size.local, shared, size.data, size.equations, size.inequalities);
      for (Eigen::MatrixXd* M : {&block.A, &block.B, &block.C, &block.D, &block.E, &block.F}) {
        fill(*M);
      }
      for (Eigen::VectorXd* v : {&block.right.b, &block.right.c, &block.right.e}) fill(*v);
      blocks.push_back(block);
    }
  }

  template <typename M>
  void fill(M& matrix) {
    for (Eigen::Index i = 0; i < matrix.size(); ++i) matrix.data()[i] = normal_(random_);
  }
  /// Other right-hand sides for the same matrices.
  std::vector<RightSide> new_right_sides() {
    std::vector<RightSide> result;
    for (const Block& block : blocks) {
      result.push_back(block.right);
      fill(result.back().b);
      fill(result.back().c);
      fill(result.back().e);
    }
    return result;
  }

  std::vector<Block> blocks;

 private:
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
};

/// Which of the three pairs of matrices of a block.
enum class Part { kData, kEquations, kInequalities };

inline Eigen::MatrixXd dense(const std::vector<Block>& blocks, Part part) {
  const Eigen::Index s = blocks[0].num_shared();
  Eigen::Index n = s, m = 0;
  const auto local = [&](const Block& b) -> const Eigen::MatrixXd& {
    return part == Part::kData ? b.A : part == Part::kEquations ? b.C : b.E;
  };
  const auto shared = [&](const Block& b) -> const Eigen::MatrixXd& {
    return part == Part::kData ? b.B : part == Part::kEquations ? b.D : b.F;
  };
  for (const Block& b : blocks) {
    n += b.num_local();
    m += local(b).rows();
  }
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(m, n);
  Eigen::Index row = 0, col = s;
  for (const Block& b : blocks) {
    J.block(row, 0, local(b).rows(), s) = shared(b);
    J.block(row, col, local(b).rows(), b.num_local()) = local(b);
    row += local(b).rows();
    col += b.num_local();
  }
  return J;
}

inline Eigen::VectorXd dense(const std::vector<RightSide>& rights, Part part) {
  std::vector<double> all;
  for (const RightSide& right : rights) {
    const Eigen::VectorXd& v = part == Part::kData        ? right.b
                               : part == Part::kEquations ? right.c
                                                          : right.e;
    all.insert(all.end(), v.begin(), v.end());
  }
  return Eigen::Map<const Eigen::VectorXd>(all.data(), static_cast<Eigen::Index>(all.size()));
}

inline std::vector<RightSide> right_sides(const std::vector<Block>& blocks) {
  std::vector<RightSide> result;
  result.reserve(blocks.size());
  for (const Block& block : blocks) result.push_back(block.right);
  return result;
}

inline Eigen::VectorXd dense(const LinearSolution& solution) {
  std::vector<double> all(solution.p.begin(), solution.p.end());
  for (const Eigen::VectorXd& xi : solution.xi) all.insert(all.end(), xi.begin(), xi.end());
  return Eigen::Map<const Eigen::VectorXd>(all.data(), static_cast<Eigen::Index>(all.size()));
}

/// Multipliers of all blocks: of the equations, or of the inequalities.
inline Eigen::VectorXd dense(const std::vector<LinearFit::Multipliers>& multipliers, Part part) {
  std::vector<double> all;
  for (const auto& block : multipliers) {
    const Eigen::VectorXd& v = part == Part::kEquations ? block.equations : block.inequalities;
    all.insert(all.end(), v.begin(), v.end());
  }
  return Eigen::Map<const Eigen::VectorXd>(all.data(), static_cast<Eigen::Index>(all.size()));
}

/// The stacked problem with matrices and right-hand sides as they stand.
struct DenseProblem {
  explicit DenseProblem(const std::vector<Block>& blocks)
      : DenseProblem(blocks, right_sides(blocks)) {}
  DenseProblem(const std::vector<Block>& blocks, const std::vector<RightSide>& rights)
      : J1(dense(blocks, Part::kData)),
        J2(dense(blocks, Part::kEquations)),
        J3(dense(blocks, Part::kInequalities)),
        r1(dense(rights, Part::kData)),
        r2(dense(rights, Part::kEquations)),
        r3(dense(rights, Part::kInequalities)) {}

  /// Shortest minimizer of |J1 x + r1| under J2 x + r2 = 0, by pseudo-inverses of singular value
  /// decompositions.
  Eigen::VectorXd shortest() const { return -(inverse_1() * r1 + inverse_2() * r2); }
  /// J+ diag(I, 0) J+^T.
  Eigen::MatrixXd covariance() const { return inverse_1() * inverse_1().transpose(); }

  Eigen::MatrixXd J1, J2, J3;
  Eigen::VectorXd r1, r2, r3;

 private:
  static Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& M) {
    if (M.size() == 0) return Eigen::MatrixXd::Zero(M.cols(), M.rows());
    return math::pseudo_inverse_by_eigenvalues(M);
  }
  /// Projector onto the null space of the equations.
  Eigen::MatrixXd free() const {
    return Eigen::MatrixXd::Identity(J1.cols(), J1.cols()) - pseudo_inverse(J2) * J2;
  }
  Eigen::MatrixXd inverse_1() const { return pseudo_inverse(J1 * free()); }
  /// The row space part, and what the data make of it.
  Eigen::MatrixXd inverse_2() const {
    const Eigen::MatrixXd Y = pseudo_inverse(J2);
    return Y - inverse_1() * J1 * Y;
  }
};

}  // namespace parfait::estimate
