#include "parfait/estimate/linear/linear_program.h"

#include <ClpSimplex.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace parfait::estimate {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Status = LinearFit::Status;

namespace {

/// What a column of the program stands for.
struct ProgramColumn {
  enum class Kind : std::uint8_t { kData, kEquation, kInequality };
  Kind kind;
  int block;
  int row;
  double sign;  ///< kData: of the residual it stands for (l-infinity), 0 for both (l1)
  double unit;  ///< multiplier in the units of the problem = unit * value of the column
};

/// Columns in the form Clp wants them.
struct Program {
  Program(Index variables, bool with_sum)
      : num_variables(variables), num_rows(variables + (with_sum ? 1 : 0)) {}

  /// factor * (local, shared) of one row of a block; local variables begin at `offset`.
  void add(const ProgramColumn& column, const auto& local, const auto& shared, Index offset,
           double factor, double cost, double lower, double upper) {
    const auto put = [&](Index row, double value) {
      if (value == 0) return;
      index.push_back(static_cast<int>(row));
      element.push_back(factor * value);
    };
    for (Index j = 0; j < shared.size(); ++j) put(j, shared[j]);
    for (Index j = 0; j < local.size(); ++j) put(offset + j, local[j]);
    start.push_back(static_cast<CoinBigIndex>(index.size()));
    columns.push_back(column);
    costs.push_back(cost);
    lowers.push_back(lower);
    uppers.push_back(upper);
  }
  /// One more entry in the column added last.
  void add_entry(Index row, double value) {
    index.push_back(static_cast<int>(row));
    element.push_back(value);
    ++start.back();
  }

  Index num_variables, num_rows;  ///< l-infinity: one more row, sum |y_i| = 1
  std::vector<ProgramColumn> columns;
  std::vector<CoinBigIndex> start{0};
  std::vector<int> index;
  std::vector<double> element, costs, lowers, uppers;
};

double largest(const MatrixXd& A) {
  return A.size() > 0 ? A.cwiseAbs().maxCoeff() : 0;
}

/// Data of size 1 and a solution of about size 1: the tolerances of the program are absolute.
struct Units {
  double data = 0;  ///< of A and B
  double x = 0;     ///< of the variables

  Units(std::span<const Block> blocks, std::span<const RightSide> rights) {
    double b = 0;
    for (std::size_t e = 0; e < blocks.size(); ++e) {
      data = std::max({data, largest(blocks[e].A), largest(blocks[e].B)});
      b = std::max(b, largest(rights[e].b));
    }
    if (data == 0) data = 1;
    x = b > 0 ? b / data : 1;
  }
};

Program make_program(std::span<const Block> blocks, std::span<const RightSide> rights, Norm norm,
                     const Units& units) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const Index s = blocks[0].num_shared();
  Index n = s;
  for (const Block& block : blocks) n += block.num_local();
  Program program(n, norm == Norm::kLInf);
  Index offset = s;
  for (int e = 0; e < static_cast<int>(blocks.size()); ++e) {
    const Block& block = blocks[e];
    for (int i = 0; i < block.A.rows(); ++i) {
      const auto a = block.A.row(i), b = block.B.row(i);
      const double cost = -rights[e].b[i] / (units.data * units.x), factor = 1 / units.data;
      if (norm == Norm::kL1) {
        program.add({ProgramColumn::Kind::kData, e, i, 0, 1}, a, b, offset, factor, cost, -1, 1);
        continue;
      }
      for (double sign : {1.0, -1.0}) {
        program.add({ProgramColumn::Kind::kData, e, i, sign, sign}, a, b, offset, sign * factor,
                    sign * cost, 0, kInf);
        program.add_entry(n, 1);
      }
    }
    for (int i = 0; i < block.C.rows(); ++i) {
      const double length = std::hypot(block.C.row(i).norm(), block.D.row(i).norm());
      if (length == 0) continue;
      program.add({ProgramColumn::Kind::kEquation, e, i, 0, units.data / length}, block.C.row(i),
                  block.D.row(i), offset, -1 / length, 0, -kInf, kInf);
    }
    for (int i = 0; i < block.E.rows(); ++i) {
      const double length = std::hypot(block.E.row(i).norm(), block.F.row(i).norm());
      if (length == 0 && rights[e].e[i] >= 0) continue;
      const double size = length > 0 ? length : 1;
      program.add({ProgramColumn::Kind::kInequality, e, i, 0, units.data / size}, block.E.row(i),
                  block.F.row(i), offset, -1 / size, rights[e].e[i] / (size * units.x), 0, kInf);
    }
    offset += block.num_local();
  }
  return program;
}

Status status_of(const ClpSimplex& simplex) {
  switch (simplex.status()) {
    case 0:
      return Status::kSolved;
    case 2:
      return Status::kInfeasible;  // the dual is unbounded
    default:
      return Status::kMaxIterations;
  }
}

bool has_basic_row(const ClpSimplex& simplex) {
  for (int i = 0; i < simplex.numberRows(); ++i) {
    if (simplex.getRowStatus(i) == ClpSimplex::basic) return true;
  }
  return false;
}

/// A degenerate optimal basis may hold a slack, that is, a variable at zero for no reason. Weights
/// of the residuals that differ a little (y shifted by eta) make slacks infeasible and drive them
/// out; fixed ones never come back. Slacks of variables that the data do not see stay: the shift
/// lies in the range of the data.
void drive_out_slacks(ClpSimplex& simplex, const Program& program,
                      const std::vector<double>& sides) {
  std::vector<double> shifted = sides;
  const double largest_eta = 1e-2 / static_cast<double>(program.columns.size());
  std::uint32_t random = 1;
  for (std::size_t j = 0; j < program.columns.size(); ++j) {
    if (program.columns[j].kind != ProgramColumn::Kind::kData || program.columns[j].sign < 0)
      continue;
    random = random * 1664525 + 1013904223;
    const double eta = std::min(largest_eta, 1e-6) * (random / 4294967296.0 - 0.5);
    for (CoinBigIndex k = program.start[j]; k < program.start[j + 1]; ++k) {
      if (program.index[k] < program.num_variables) {
        shifted[program.index[k]] += eta * program.element[k];
      }
    }
  }
  simplex.chgRowLower(shifted.data());
  simplex.chgRowUpper(shifted.data());
  simplex.dual();
  simplex.chgRowLower(sides.data());
  simplex.chgRowUpper(sides.data());
  simplex.dual();
}

Status run(ClpSimplex& simplex, const Program& program) {
  std::vector<double> sides(program.num_rows, 0);
  if (program.num_rows > program.num_variables) sides.back() = 1;
  simplex.setLogLevel(0);
  simplex.loadProblem(static_cast<int>(program.columns.size()), static_cast<int>(program.num_rows),
                      program.start.data(), program.index.data(), program.element.data(),
                      program.lowers.data(), program.uppers.data(), program.costs.data(),
                      sides.data(), sides.data());
  simplex.setPrimalTolerance(1e-9);
  simplex.setDualTolerance(1e-9);
  simplex.dual();  // about twice as fast as primal() from scratch
  if (simplex.status() == 0 && has_basic_row(simplex)) drive_out_slacks(simplex, program, sides);
  return status_of(simplex);
}

}  // namespace

Vertex solve_linear_program(std::span<const Block> blocks, std::span<const RightSide> rights,
                            Norm norm) {
  const Units units(blocks, rights);
  const Program program = make_program(blocks, rights, norm, units);
  Vertex vertex;
  ClpSimplex simplex;
  vertex.status = run(simplex, program);
  if (vertex.status != Status::kSolved) return vertex;

  vertex.rows.resize(blocks.size());
  for (const Block& block : blocks) {
    vertex.rows[vertex.duals.size()].squares = false;
    vertex.duals.emplace_back(VectorXd::Zero(block.A.rows()));
    vertex.multipliers.push_back({VectorXd::Zero(block.C.rows()), VectorXd::Zero(block.E.rows())});
  }
  for (int j = 0; j < static_cast<int>(program.columns.size()); ++j) {
    const auto& [kind, e, i, sign, unit] = program.columns[j];
    const double value = unit * simplex.getColSolution()[j];
    const bool basic = simplex.getColumnStatus(j) == ClpSimplex::basic;
    switch (kind) {
      case ProgramColumn::Kind::kData:
        vertex.duals[e][i] += value;
        if (basic) vertex.rows[e].fixed.push_back({i, sign});
        break;
      case ProgramColumn::Kind::kEquation:
        vertex.multipliers[e].equations[i] = value;
        break;
      case ProgramColumn::Kind::kInequality:
        vertex.multipliers[e].inequalities[i] = value;
        if (basic) vertex.rows[e].active.push_back(i);
        break;
    }
  }
  const Eigen::Map<const VectorXd> x(simplex.getRowPrice(), program.num_rows);
  Index offset = blocks[0].num_shared();
  vertex.solution.p = units.x * x.head(offset);
  for (const Block& block : blocks) {
    vertex.solution.xi.emplace_back(units.x * x.segment(offset, block.num_local()));
    offset += block.num_local();
  }
  return vertex;
}

}  // namespace parfait::estimate
