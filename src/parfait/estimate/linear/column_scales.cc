#include "parfait/estimate/linear/column_scales.h"

#include <algorithm>
#include <cmath>

namespace parfait::estimate {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// The length of each row of (C D), columns divided by their scales; those without one left out.
VectorXd row_lengths(const MatrixXd& C, const MatrixXd& D, const VectorXd& xi, const VectorXd& p) {
  VectorXd squares = VectorXd::Zero(C.rows());
  for (Index j = 0; j < C.cols(); ++j) {
    if (xi[j] > 0) squares += (C.col(j) / xi[j]).cwiseAbs2();
  }
  for (Index j = 0; j < D.cols(); ++j) {
    if (p[j] > 0) squares += (D.col(j) / p[j]).cwiseAbs2();
  }
  return squares.cwiseSqrt();
}

/// How much a variable without data must move where the others of an equation move by their units.
double scale_by_equations(const VectorXd& column, const VectorXd& lengths) {
  double scale = 0;
  for (Index i = 0; i < column.size(); ++i) {
    if (lengths[i] > 0) scale = std::max(scale, std::abs(column[i]) / lengths[i]);
  }
  return scale;
}

/// f(scale, size) for all variables whose sizes are known.
template <class F>
void for_sized(ColumnScales& scales, const ColumnScales& sizes, F f) {
  for (Index i = 0; i < std::min(scales.p.size(), sizes.p.size()); ++i) {
    f(scales.p[i], sizes.p[i]);
  }
  for (std::size_t e = 0; e < std::min(scales.xi.size(), sizes.xi.size()); ++e) {
    for (Index i = 0; i < std::min(scales.xi[e].size(), sizes.xi[e].size()); ++i) {
      f(scales.xi[e][i], sizes.xi[e][i]);
    }
  }
}

}  // namespace

ColumnScales unit_scales(std::span<const Block> blocks) {
  ColumnScales scales;
  for (const Block& block : blocks) scales.xi.emplace_back(VectorXd::Ones(block.num_local()));
  scales.p = VectorXd::Ones(blocks.empty() ? 0 : blocks[0].num_shared());
  return scales;
}

ColumnScales column_scales(std::span<const Block> blocks, const ColumnScales& sizes) {
  ColumnScales scales = unit_scales(blocks);
  scales.p.setZero();
  for (std::size_t e = 0; e < blocks.size(); ++e) {
    scales.p += blocks[e].B.colwise().squaredNorm().transpose();
    if (blocks[e].num_local() > 0) scales.xi[e] = blocks[e].A.colwise().norm().transpose();
  }
  scales.p = scales.p.cwiseSqrt();
  ColumnScales by_data = scales;
  for (std::size_t e = 0; e < blocks.size(); ++e) {
    const Block& block = blocks[e];
    const VectorXd lengths = row_lengths(block.C, block.D, by_data.xi[e], by_data.p);
    for (Index j = 0; j < scales.xi[e].size(); ++j) {
      if (by_data.xi[e][j] == 0) scales.xi[e][j] = scale_by_equations(block.C.col(j), lengths);
    }
    for (Index j = 0; j < scales.p.size(); ++j) {
      if (by_data.p[j] == 0) {
        scales.p[j] = std::max(scales.p[j], scale_by_equations(block.D.col(j), lengths));
      }
    }
  }
  // Rounding errors keep their size beside the others.
  double strongest = 0;
  for_sized(by_data, sizes,
            [&](double& scale, double size) { strongest = std::max(strongest, scale * size); });
  constexpr double kUnseen = 1e-13;
  for_sized(scales, sizes, [&](double& scale, double size) {
    if (size > 0 && scale * size < kUnseen * strongest) scale = strongest / size;
  });
  const auto fill = [](VectorXd& v) { v = (v.array() > 0).select(v, 1.0); };
  for (VectorXd& xi : scales.xi) fill(xi);
  fill(scales.p);
  return scales;
}

double right_side_unit(std::span<const Block> blocks, const ColumnScales& scales) {
  double data = 0, rows = 0;
  for (std::size_t e = 0; e < blocks.size(); ++e) {
    const Block& block = blocks[e];
    data += block.right.b.squaredNorm();
    const auto add = [&](const MatrixXd& C, const MatrixXd& D, const VectorXd& c) {
      const VectorXd lengths = row_lengths(C, D, scales.xi[e], scales.p);
      for (Index i = 0; i < c.size(); ++i) {
        if (lengths[i] > 0) rows = std::max(rows, std::abs(c[i]) / lengths[i]);
      }
    };
    add(block.C, block.D, block.right.c);
    add(block.E, block.F, block.right.e);
  }
  const double unit = data > 0 ? std::sqrt(data) : rows;
  return unit > 0 && std::isfinite(unit) ? unit : 1;
}

std::vector<Block> scaled(std::span<const Block> blocks, const ColumnScales& scales, double unit) {
  std::vector<Block> result(blocks.begin(), blocks.end());
  const VectorXd shared = scales.p.cwiseInverse();
  for (std::size_t e = 0; e < result.size(); ++e) {
    Block& block = result[e];
    const VectorXd local = scales.xi[e].cwiseInverse();
    for (MatrixXd* matrix : {&block.A, &block.C, &block.E}) {
      matrix->array().rowwise() *= local.transpose().array();
    }
    for (MatrixXd* matrix : {&block.B, &block.D, &block.F}) {
      matrix->array().rowwise() *= shared.transpose().array();
    }
    for (VectorXd* right : {&block.right.b, &block.right.c, &block.right.e}) *right /= unit;
  }
  return result;
}

void unscale(const ColumnScales& scales, double unit, LinearSolution& solution) {
  solution.p.array() *= unit / scales.p.array();
  for (std::size_t e = 0; e < solution.xi.size(); ++e) {
    solution.xi[e].array() *= unit / scales.xi[e].array();
  }
}

}  // namespace parfait::estimate
