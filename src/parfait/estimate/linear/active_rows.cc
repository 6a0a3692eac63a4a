#include "parfait/estimate/linear/active_rows.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "parfait/estimate/linear/stacked_problem.h"
#include "parfait/math/active_set.h"

namespace parfait::estimate {

using Eigen::VectorXd;
using Status = LinearFit::Status;

namespace {

constexpr int kMaxActiveSets = 50;

using ActiveLists = std::vector<std::vector<int>>;

ActiveLists active_lists(const std::vector<RowsInForce>& rows) {
  ActiveLists lists;
  for (const RowsInForce& block : rows) lists.push_back(block.active);
  return lists;
}

bool none_active(const std::vector<RowsInForce>& rows) {
  return std::all_of(rows.begin(), rows.end(),
                     [](const RowsInForce& block) { return block.active.empty(); });
}

bool no_inequalities(std::span<const Block> blocks) {
  return std::all_of(blocks.begin(), blocks.end(),
                     [](const Block& block) { return block.E.rows() == 0; });
}

std::vector<RowsInForce> without_active(std::vector<RowsInForce> rows) {
  for (RowsInForce& block : rows) block.active.clear();
  return rows;
}

double row_length(const Block& block, int i) {
  return std::hypot(block.E.row(i).norm(), block.F.row(i).norm());
}

/// Active rows whose multiplier is negative leave; true if any did.
bool drop_negative_rows(std::span<const Block> blocks,
                        const std::vector<LinearFit::Multipliers>& multipliers, double scale,
                        std::vector<RowsInForce>& rows) {
  bool any = false;
  for (std::size_t e = 0; e < blocks.size(); ++e) {
    any |= std::erase_if(rows[e].active, [&](int i) {
             return multipliers[e].inequalities[i] * row_length(blocks[e], i) < -1e-12 * scale;
           }) > 0;
  }
  return any;
}

/// The set by the dense method on all rows of all blocks.
Status search_densely(std::span<const Block> blocks, std::span<const RightSide> rights,
                      const LinearFitOptions& options, LinearMap& map, LinearSolution& solution) {
  std::vector<RowsInForce> rows = without_active(map.rows());
  map.set_rows(rows);
  solution = map.solve(rights);
  if (map.contradicts(rights, solution, options.contradiction_tolerance)) {
    return Status::kContradiction;
  }
  const StackedProblem stacked = stack(blocks, rights, rows);
  const math::ActiveSetResult result = math::solve_active_set(
      stacked.J1, stacked.r1, stacked.J2, stacked.r2, stacked.J3, stacked.r3, {},
      {.constraint_tolerance = options.constraint_tolerance,
       .tolerance = options.rank_tolerance,
       .contradiction = options.contradiction_tolerance});
  if (result.status == math::ActiveSetResult::Status::kInfeasible) return Status::kInfeasible;
  if (result.status != math::ActiveSetResult::Status::kSolved) return Status::kMaxIterations;
  for (int i : result.active) {
    const auto& [block, row] = stacked.inequalities[i];
    rows[block].active.push_back(row);
  }
  map.set_rows(rows);
  solution = map.solve(rights);
  return Status::kSolved;
}

}  // namespace

bool add_violated_rows(std::span<const Block> blocks, std::span<const RightSide> rights,
                       const LinearSolution& solution, std::vector<RowsInForce>& rows) {
  bool any = false;
  for (std::size_t e = 0; e < blocks.size(); ++e) {
    const Block& block = blocks[e];
    if (block.E.rows() == 0) continue;
    const VectorXd slack = block.E * solution.xi[e] + block.F * solution.p + rights[e].e;
    const double length = 1 + std::hypot(solution.xi[e].norm(), solution.p.norm());
    std::vector<int>& active = rows[e].active;
    const std::vector<int> before = active;
    for (int i = 0; i < block.E.rows(); ++i) {
      const double rounding = 1e-11 * (std::abs(rights[e].e[i]) + row_length(block, i) * length);
      if (slack[i] >= -rounding || std::binary_search(before.begin(), before.end(), i)) continue;
      active.push_back(i);
      any = true;
    }
    std::sort(active.begin(), active.end());
  }
  return any;
}

Status find_active_rows(std::span<const Block> blocks, std::span<const RightSide> rights,
                        const LinearFitOptions& options, LinearMap& map, LinearSolution& solution) {
  std::vector<RowsInForce> rows = map.rows();
  std::set<ActiveLists> tried;
  for (int round = 0; round < kMaxActiveSets && tried.insert(active_lists(rows)).second; ++round) {
    map.set_rows(rows);
    solution = map.solve(rights);
    const bool contradicts = map.contradicts(rights, solution, options.contradiction_tolerance);
    if (none_active(rows)) {
      if (contradicts) return Status::kContradiction;
    } else if (map.solver().num_dependent() > 0) {
      // Dependent equations are fine, dependent active rows are not: pivoting would choose.
      LinearMap equations = map;
      equations.set_rows(without_active(rows));
      if (contradicts || map.solver().num_dependent() > equations.solver().num_dependent()) break;
    }
    if (no_inequalities(blocks)) return Status::kSolved;
    const auto multipliers = map.multipliers(rights, solution);
    const double scale = map.gradient_scale(rights, solution);
    const bool dropped = drop_negative_rows(blocks, multipliers, scale, rows);
    const bool added = add_violated_rows(blocks, rights, solution, rows);
    if (!dropped && !added) return Status::kSolved;
  }
  return search_densely(blocks, rights, options, map, solution);
}

}  // namespace parfait::estimate
