#include "parfait/estimate/linear/absolute_norms.h"

#include "parfait/estimate/linear/active_rows.h"

namespace parfait::estimate {

using Eigen::VectorXd;
using Status = LinearFit::Status;

namespace {

constexpr int kMaxSimplexRounds = 20;

/// Right-hand sides as they are at a point at which the equations hold.
std::vector<RightSide> moved(std::span<const Block> blocks, std::span<const RightSide> rights,
                             const LinearSolution& point) {
  std::vector<RightSide> result(blocks.size());
  for (std::size_t e = 0; e < blocks.size(); ++e) {
    const Block& block = blocks[e];
    result[e].b = block.A * point.xi[e] + block.B * point.p + rights[e].b;
    result[e].c = VectorXd::Zero(block.C.rows());
    result[e].e = block.E * point.xi[e] + block.F * point.p + rights[e].e;
  }
  return result;
}

}  // namespace

Status solve_absolute_norm(std::span<const Block> blocks, std::span<const RightSide> rights,
                           const LinearFitOptions& options, LinearMap& data, LinearMap& map,
                           LinearSolution& solution,
                           std::vector<LinearFit::Multipliers>& multipliers) {
  const LinearSolution start = data.solve(rights);
  if (data.contradicts(rights, start, options.contradiction_tolerance)) {
    return Status::kContradiction;
  }
  const Vertex vertex = solve_linear_program(blocks, moved(blocks, rights, start), options.norm);
  if (vertex.status != Status::kSolved) return vertex.status;
  multipliers = vertex.multipliers;

  std::vector<RowsInForce> rows = vertex.rows;
  for (int round = 0; round < kMaxSimplexRounds; ++round) {
    std::vector<RowsInForce> squares(blocks.size());
    for (std::size_t e = 0; e < blocks.size(); ++e) squares[e].active = rows[e].active;
    data.set_rows(squares);
    map.set_rows(rows);
    const int undetermined = data.solver().num_free() - data.solver().rank();
    solution = map.solve(rights);
    // The shortest of many solutions may leave the inequalities, a vertex does not.
    if (undetermined == 0 || !add_violated_rows(blocks, rights, solution, rows)) {
      return Status::kSolved;
    }
  }
  return Status::kMaxIterations;
}

}  // namespace parfait::estimate
