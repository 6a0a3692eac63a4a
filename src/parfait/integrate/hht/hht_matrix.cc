#include "parfait/integrate/hht/hht_matrix.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "parfait/integrate/hht/sparse_matrix.h"

namespace parfait::integrate {
namespace {

using dynamics::Directions;
using dynamics::Linearization;
using dynamics::Triplets;
using math::kLanes;
using math::Lane;

/// Far above rounding, far below what a constraint that means something contributes.
constexpr double kDelta = 1e-8;
constexpr int kMaxCorrections = 8;
constexpr double kCorrected = 1e-14;

Lane* chunk_of(Directions& x, int c) {
  return reinterpret_cast<Lane*>(x.chunk(c));
}
const Lane* chunk_of(const Directions& x, int c) {
  return reinterpret_cast<const Lane*>(x.chunk(c));
}

}  // namespace

class HhtMatrix::Impl {
 public:
  Impl(int num_q, int num_g, int num_e)
      : nq(num_q),
        ng(num_g),
        ne(num_e),
        n(nq + ng + ne),
        damping_(ng),
        sum_(n),
        rest_(n),
        more_(n) {}

  bool set_mass(const Triplets& mass) {
    M.emplace(nq, mass.row, mass.column);
    M->set(mass.value);
    M_entries_ = mass;
    return M->factor();
  }

  bool factor(const Linearization& at, const HhtWeights& weights) {
    set_damping(at);
    if (!J) make_pattern(at);
    contributions_.clear();
    for_each(at, weights, [&](int, int, double value) { contributions_.push_back(value); });
    J->set(contributions_);
    return J->factor();
  }

  void solve(Directions& x) {
    for (int c = 0; c < x.chunks(); ++c) correct(chunk_of(x, c));
  }

  /// As correct(), with the transposed matrix: the block that delta damps is symmetric.
  void solve_transposed(double* x) {
    std::vector<double> sum(x, x + n), rest(sum.size()), more(sum.size());
    const auto largest = [&](const std::vector<double>& v) {
      double result = 0;
      for (int i = 0; i < n; ++i) {
        if (i < nq || i >= nq + ng) result = std::max(result, std::abs(v[i]));
      }
      return result;
    };
    J->solve_transposed(sum.data());
    for (int i = 0; i < kMaxCorrections && ng > 0; ++i) {
      J->multiply_transposed(sum.data(), rest.data());
      for (int row = 0; row < n; ++row) more[row] = x[row] - rest[row];
      for (int row = 0; row < ng; ++row) more[nq + row] -= damping_[row] * sum[nq + row];
      J->solve_transposed(more.data());
      for (int row = 0; row < n; ++row) sum[row] += more[row];
      if (!(largest(more) > kCorrected * largest(sum))) break;
    }
    std::copy(sum.begin(), sum.end(), x);
  }

  int nq, ng, ne, n;
  std::optional<SparseMatrix> M, J;

 private:
  /// x = J^-1 x without the -delta s that J holds and the equations do not have.
  void correct(Lane* x) {
    std::copy_n(x, n, sum_.begin());
    J->solve(sum_.data());
    for (int i = 0; i < kMaxCorrections && ng > 0; ++i) {
      J->multiply(sum_.data(), rest_.data());
      for (int row = 0; row < n; ++row) more_[row] = x[row] - rest_[row];
      for (int row = 0; row < ng; ++row) more_[nq + row] -= damping_[row] * sum_[nq + row];
      J->solve(more_.data());
      for (int row = 0; row < n; ++row) sum_[row] += more_[row];
      if (!(largest(more_) > kCorrected * largest(sum_))) break;
    }
    std::copy_n(sum_.begin(), n, x);
  }

  /// Multiples of vanishing combinations of rows say nothing, so lambda is not looked at.
  double largest(const std::vector<Lane>& x) const {
    double result = 0;
    const auto include = [&](int first, int count) {
      for (int i = first; i < first + count; ++i) {
        for (int k = 0; k < kLanes; ++k) result = std::max(result, std::abs(x[i][k]));
      }
    };
    include(0, nq);
    include(nq + ng, ne);
    return result;
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
    block(M_entries_, 0, 0, inertia);
    block(at.dr_dq, 0, 0, -w.beta_h2);
    block(at.dr_dv, 0, 0, -w.gamma_h);
    block(at.dr_de, 0, e, -w.gamma_h);
    block(at.G, nq, 0, 1);
    for (int i = 0; i < at.G.size(); ++i) visit(at.G.column[i], nq + at.G.row[i], at.G.value[i]);
    block(at.dedot_dq, e, 0, -w.beta_h2);
    block(at.dedot_dv, e, 0, -w.gamma_h);
    block(at.dedot_de, e, e, -w.gamma_h);
    for (int i = 0; i < ne; ++i) visit(e + i, e + i, inertia);
    for (int i = 0; i < ng; ++i) visit(nq + i, nq + i, -damping_[i]);
  }

  void make_pattern(const Linearization& at) {
    std::vector<int> rows, columns;
    for_each(at, {}, [&](int i, int j, double) {
      rows.push_back(i);
      columns.push_back(j);
    });
    J.emplace(n, rows, columns);
  }

  void set_damping(const Linearization& at) {
    const std::vector<double> diagonal = M->diagonal();
    std::fill(damping_.begin(), damping_.end(), 0.0);
    for (int i = 0; i < at.G.size(); ++i) {
      damping_[at.G.row[i]] += kDelta * at.G.value[i] * at.G.value[i] / diagonal[at.G.column[i]];
    }
  }

  Triplets M_entries_;
  std::vector<double> contributions_, damping_;  ///< damping: delta s
  std::vector<Lane> sum_, rest_, more_;
};

HhtMatrix::HhtMatrix(int nq, int ng, int ne) : impl_(std::make_unique<Impl>(nq, ng, ne)) {}
HhtMatrix::~HhtMatrix() = default;

bool HhtMatrix::set_mass(const Triplets& M) {
  return impl_->set_mass(M);
}

void HhtMatrix::multiply_mass(dynamics::ConstVec x, dynamics::Vec Mx) const {
  impl_->M->multiply(x.data(), Mx.data());
}

void HhtMatrix::multiply_mass(const Directions& x, Directions& Mx) const {
  for (int c = 0; c < x.chunks(); ++c) impl_->M->multiply(chunk_of(x, c), chunk_of(Mx, c));
}

void HhtMatrix::divide_by_mass(dynamics::Vec x) const {
  impl_->M->solve(x.data());
}

void HhtMatrix::divide_by_mass(Directions& x) const {
  for (int c = 0; c < x.chunks(); ++c) impl_->M->solve(chunk_of(x, c));
}

bool HhtMatrix::factor(const Linearization& at, const HhtWeights& weights) {
  return impl_->factor(at, weights);
}

void HhtMatrix::solve(dynamics::Vec x) const {
  impl_->J->solve(x.data());
}

void HhtMatrix::solve(Directions& x) const {
  impl_->solve(x);
}

void HhtMatrix::solve_transposed(dynamics::Vec x) const {
  impl_->solve_transposed(x.data());
}

}  // namespace parfait::integrate
