#include "parfait/integrate/hht_matrix.h"

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <Eigen/SparseLU>
#include <cassert>
#include <vector>

namespace parfait::integrate {
namespace {

using dynamics::Directions;
using dynamics::Linearization;
using dynamics::Triplets;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Sparse = Eigen::SparseMatrix<double>;
/// A chunk of directions.
using Lanes = Eigen::Matrix<double, Eigen::Dynamic, math::kLanes, Eigen::RowMajor>;

/// Far above rounding, far below what a constraint that means something contributes.
constexpr double kDelta = 1e-8;
constexpr int kMaxRefinements = 8;
constexpr double kRefined = 1e-14;

Eigen::Map<Lanes> chunk_of(Directions& x, int c) {
  return {x.chunk(c), x.rows(), math::kLanes};
}
Eigen::Map<const Lanes> chunk_of(const Directions& x, int c) {
  return {x.chunk(c), x.rows(), math::kLanes};
}

Sparse sparse(const Triplets& t, int rows, int columns) {
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(t.value.size());
  for (int i = 0; i < t.size(); ++i) entries.emplace_back(t.row[i], t.column[i], t.value[i]);
  Sparse out(rows, columns);
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
}

}  // namespace

class HhtMatrix::Impl {
 public:
  Impl(int num_q, int num_g, int num_e) : nq(num_q), ng(num_g), ne(num_e), n(nq + ng + ne) {}

  bool set_mass(const Triplets& mass) {
    M = sparse(mass, nq, nq);
    M_entries = mass;
    M_factors.compute(M);
    return M_factors.info() == Eigen::Success;
  }

  bool factor(const Linearization& at, const HhtWeights& weights) {
    if (J.nonZeros() == 0) make_pattern(at);
    fill(at, weights);
    lu.factorize(J);
    return lu.info() == Eigen::Success;
  }

  void solve(Directions& x) {
    for (int c = 0; c < x.chunks(); ++c) {
      const MatrixXd b = chunk_of(x, c);
      MatrixXd sum = lu.solve(b);
      for (int i = 0; i < kMaxRefinements && ng > 0; ++i) {
        MatrixXd rest = b - J * sum;
        // J holds the -delta s that the equations do not have.
        for (int row = 0; row < ng; ++row) rest.row(nq + row) -= damping[row] * sum.row(nq + row);
        const MatrixXd more = lu.solve(rest);
        sum += more;
        // Multiples of vanishing combinations of rows say nothing, so lambda is not looked at.
        const double change = std::max(largest(more.topRows(nq)), largest(more.bottomRows(ne)));
        const double size = std::max(largest(sum.topRows(nq)), largest(sum.bottomRows(ne)));
        if (!(change > kRefined * size)) break;
      }
      chunk_of(x, c) = sum;
    }
  }

  int nq, ng, ne, n;
  Triplets M_entries;
  Sparse M, J;
  Eigen::SimplicialLDLT<Sparse> M_factors;
  Eigen::SparseLU<Sparse> lu;
  VectorXd damping;  ///< delta s

 private:
  static double largest(const Eigen::Ref<const MatrixXd>& x) {
    return x.size() == 0 ? 0 : x.cwiseAbs().maxCoeff();
  }

  /// Calls visit(row, column, value) for every contribution, in an order that never changes.
  template <class Visit>
  void for_each(const Linearization& at, const HhtWeights& w, const Visit& visit) const {
    const auto block = [&](const Triplets& t, int row, int column, double factor) {
      for (int i = 0; i < t.size(); ++i) {
        visit(row + t.row[i], column + t.column[i], factor * t.value[i]);
      }
    };
    const int e = nq + ng;
    const double inertia = 1 / (1 + w.alpha);
    block(M_entries, 0, 0, inertia);
    block(at.dr_dq, 0, 0, -w.beta_h2);
    block(at.dr_dv, 0, 0, -w.gamma_h);
    block(at.dr_de, 0, e, -w.gamma_h);
    block(at.G, nq, 0, 1);
    for (int i = 0; i < at.G.size(); ++i) visit(at.G.column[i], nq + at.G.row[i], at.G.value[i]);
    block(at.dedot_dq, e, 0, -w.beta_h2);
    block(at.dedot_dv, e, 0, -w.gamma_h);
    block(at.dedot_de, e, e, -w.gamma_h);
    for (int i = 0; i < ne; ++i) visit(e + i, e + i, inertia);
    for (int i = 0; i < ng; ++i) visit(nq + i, nq + i, -damping[i]);
  }

  void make_pattern(const Linearization& at) {
    damping.setZero(ng);
    std::vector<Eigen::Triplet<double>> entries;
    for_each(at, {}, [&](int i, int j, double) { entries.emplace_back(i, j, 1.0); });
    J.resize(n, n);
    J.setFromTriplets(entries.begin(), entries.end());
    place_.clear();
    for (const auto& entry : entries) {
      place_.push_back(static_cast<int>(&J.coeffRef(entry.row(), entry.col()) - J.valuePtr()));
    }
    lu.analyzePattern(J);
  }

  void fill(const Linearization& at, const HhtWeights& w) {
    const VectorXd diagonal = M.diagonal();
    damping.setZero(ng);
    for (int i = 0; i < at.G.size(); ++i) {
      damping[at.G.row[i]] += kDelta * at.G.value[i] * at.G.value[i] / diagonal[at.G.column[i]];
    }
    std::fill_n(J.valuePtr(), J.nonZeros(), 0.0);
    std::size_t next = 0;
    for_each(at, w, [&](int, int, double value) { J.valuePtr()[place_[next++]] += value; });
    assert(next == place_.size());
  }

  std::vector<int> place_;  ///< of every contribution among the values of J
};

HhtMatrix::HhtMatrix(int nq, int ng, int ne) : impl_(std::make_unique<Impl>(nq, ng, ne)) {}
HhtMatrix::~HhtMatrix() = default;

bool HhtMatrix::set_mass(const Triplets& M) {
  return impl_->set_mass(M);
}

void HhtMatrix::multiply_mass(dynamics::ConstVec x, dynamics::Vec Mx) const {
  const auto size = static_cast<Eigen::Index>(x.size());
  VectorXd::Map(Mx.data(), size).noalias() = impl_->M * VectorXd::Map(x.data(), size);
}

void HhtMatrix::multiply_mass(const Directions& x, Directions& Mx) const {
  for (int c = 0; c < x.chunks(); ++c) chunk_of(Mx, c).noalias() = impl_->M * chunk_of(x, c);
}

void HhtMatrix::divide_by_mass(dynamics::Vec x) const {
  Eigen::Map<VectorXd> map(x.data(), static_cast<Eigen::Index>(x.size()));
  map = impl_->M_factors.solve(map).eval();
}

void HhtMatrix::divide_by_mass(Directions& x) const {
  for (int c = 0; c < x.chunks(); ++c) {
    const MatrixXd b = chunk_of(x, c);
    chunk_of(x, c) = impl_->M_factors.solve(b);
  }
}

bool HhtMatrix::factor(const Linearization& at, const HhtWeights& weights) {
  return impl_->factor(at, weights);
}

void HhtMatrix::solve(dynamics::Vec x) const {
  Eigen::Map<VectorXd> map(x.data(), static_cast<Eigen::Index>(x.size()));
  map = impl_->lu.solve(map).eval();
}

void HhtMatrix::solve(Directions& x) const {
  impl_->solve(x);
}

}  // namespace parfait::integrate
