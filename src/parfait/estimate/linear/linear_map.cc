#include "parfait/estimate/linear/linear_map.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "parfait/estimate/linear/for_blocks.h"

namespace parfait::estimate {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

Index count(const auto& list) {
  return static_cast<Index>(list.size());
}

/// The rows of a block that are in force; with tau as the last shared column if there is one.
std::shared_ptr<const BlockElimination> eliminate(const Block& block, const RowsInForce& rows,
                                                  bool with_tau, const Tolerances& tolerances) {
  const Index n = block.num_local(), s = block.num_shared() + (with_tau ? 1 : 0);
  const Index m = rows.squares ? block.A.rows() : 0;
  MatrixXd A(m, n), B(m, s);
  if (m > 0) {
    A = block.A;
    B.leftCols(block.num_shared()) = block.B;
    if (with_tau) B.rightCols(1).setZero();
    if (rows.weight.size() > 0) {
      A.array().colwise() *= rows.weight.array();
      B.array().colwise() *= rows.weight.array();
    }
  }
  const Index equations = block.C.rows();
  const Index m2 = equations + count(rows.active) + count(rows.fixed);
  MatrixXd C(m2, n), D = MatrixXd::Zero(m2, s);
  C.topRows(equations) = block.C;
  D.topLeftCorner(equations, block.num_shared()) = block.D;
  Index row = equations;
  for (int i : rows.active) {
    C.row(row) = block.E.row(i);
    D.row(row++).head(block.num_shared()) = block.F.row(i);
  }
  for (const auto& fixed : rows.fixed) {
    C.row(row) = block.A.row(fixed.row);
    D.row(row).head(block.num_shared()) = block.B.row(fixed.row);
    if (with_tau) D(row, s - 1) = -fixed.sign;
    ++row;
  }
  return std::make_shared<const BlockElimination>(std::move(A), std::move(B), C, D, tolerances);
}

/// Two factorizations and their application to the shared columns, roughly.
double elimination_flops(const Block& block) {
  const Index n = block.num_local(), rows = block.A.rows() + block.C.rows() + block.E.rows();
  return 4.0 * static_cast<double>((rows + n) * (n + 1) * (n + block.num_shared() + 1));
}

}  // namespace

bool RowsInForce::operator==(const RowsInForce& other) const {
  return active == other.active && fixed == other.fixed && squares == other.squares &&
         weight.size() == other.weight.size() && (weight.array() == other.weight.array()).all();
}

LinearMap::LinearMap(std::span<const Block> blocks, const Tolerances& tolerances, bool with_tau)
    : blocks_(blocks), tolerances_(tolerances), with_tau_(with_tau) {}

Index LinearMap::num_shared() const {
  return (blocks_.empty() ? 0 : blocks_[0].num_shared()) + (with_tau_ ? 1 : 0);
}

void LinearMap::set_rows(std::vector<RowsInForce> rows) {
  BorderedLeastSquares::Eliminations next(blocks_.size());
  double flops = 0;
  for (const Block& block : blocks_) flops += elimination_flops(block);
  for_blocks(blocks_.size(), flops, [&](std::size_t e) {
    const bool same = e < eliminations_.size() && rows[e] == rows_[e];
    next[e] = same ? eliminations_[e] : eliminate(blocks_[e], rows[e], with_tau_, tolerances_);
  });
  rows_ = std::move(rows);
  eliminations_ = std::move(next);
  solver_ = BorderedLeastSquares(eliminations_, num_shared(), tolerances_);
}

std::vector<LinearMap::Right> LinearMap::in_force(std::span<const RightSide> rights) const {
  std::vector<Right> result(rights.size());
  for (std::size_t e = 0; e < rights.size(); ++e) {
    const RowsInForce& rows = rows_[e];
    const auto& [b, c, inequalities] = rights[e];
    if (rows.squares) {
      result[e].b = b;
      if (rows.weight.size() > 0) result[e].b.array() *= rows.weight.array();
    }
    result[e].c.resize(c.size() + count(rows.active) + count(rows.fixed));
    result[e].c.head(c.size()) = c;
    Index row = c.size();
    for (int i : rows.active) result[e].c[row++] = inequalities[i];
    for (const auto& fixed : rows.fixed) result[e].c[row++] = b[fixed.row];
  }
  return result;
}

LinearSolution LinearMap::solve(std::span<const RightSide> rights) const {
  LinearSolution solution = solver_.solve(in_force(rights));
  if (with_tau_) solution.p.conservativeResize(solution.p.size() - 1);
  return solution;
}

bool LinearMap::contradicts(std::span<const RightSide> rights, const LinearSolution& solution,
                            double tolerance) const {
  return solver_.contradiction(in_force(rights)) > tolerance * std::max(1.0, norm(solution));
}

std::vector<LinearFit::Multipliers> LinearMap::multipliers(std::span<const RightSide> rights,
                                                           const LinearSolution& solution) const {
  std::vector<LinearFit::Multipliers> result(blocks_.size());
  const std::vector<VectorXd> all = solver_.multipliers(in_force(rights), solution);
  for (std::size_t e = 0; e < blocks_.size(); ++e) {
    const Index equations = blocks_[e].C.rows();
    result[e].equations = all[e].head(equations);
    result[e].inequalities = VectorXd::Zero(blocks_[e].E.rows());
    Index row = equations;
    for (int i : rows_[e].active) result[e].inequalities[i] = all[e][row++];
  }
  return result;
}

double LinearMap::gradient_scale(std::span<const RightSide> rights,
                                 const LinearSolution& solution) const {
  const std::vector<Right> right = in_force(rights);
  double sum = 0;
  for (std::size_t e = 0; e < blocks_.size(); ++e) {
    const BlockElimination& block = *eliminations_[e];
    sum += block.gradient(right[e].b).squaredNorm() +
           block.gradient(block.residuals(solution.xi[e], solution.p, right[e].b)).squaredNorm();
  }
  return std::sqrt(sum);
}

std::vector<RightSide> own_right_sides(std::span<const Block> blocks) {
  std::vector<RightSide> result;
  result.reserve(blocks.size());
  for (const Block& block : blocks) result.push_back(block.right);
  return result;
}

double norm(const LinearSolution& solution) {
  double sum = solution.p.squaredNorm();
  for (const VectorXd& xi : solution.xi) sum += xi.squaredNorm();
  return std::sqrt(sum);
}

}  // namespace parfait::estimate
