#include "parfait/estimate/linear/linear_fit.h"

#include <algorithm>
#include <utility>

#include "parfait/estimate/linear/absolute_norms.h"
#include "parfait/estimate/linear/active_rows.h"
#include "parfait/estimate/linear/column_scales.h"
#include "parfait/estimate/linear/huber_weights.h"
#include "parfait/estimate/linear/linear_map.h"
#include "parfait/math/finite.h"

namespace parfait::estimate {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct LinearFit::Impl {
  LinearMap map;   ///< the frozen linear map
  LinearMap data;  ///< l2 with the same equations; for rank and covariances where map is another
  bool map_is_l2 = true;
  LinearSolution solution;
  WorkingSet working_set;
  std::vector<Multipliers> multipliers;
  ColumnScales scales;

  const BorderedLeastSquares& l2() const { return map_is_l2 ? map.solver() : data.solver(); }

  Status solve(std::span<const Block> blocks, const LinearFitOptions& options,
               const WorkingSet& warm_start);
  void keep_working_set();
};

namespace {

bool all_finite(std::span<const Block> blocks) {
  return std::all_of(blocks.begin(), blocks.end(), [](const Block& block) {
    return math::all_finite(block.A) && math::all_finite(block.B) && math::all_finite(block.C) &&
           math::all_finite(block.D) && math::all_finite(block.E) && math::all_finite(block.F) &&
           math::all_finite(block.right.b) && math::all_finite(block.right.c) &&
           math::all_finite(block.right.e);
  });
}

bool all_finite(const LinearSolution& solution) {
  return math::all_finite(solution.p) &&
         std::all_of(solution.xi.begin(), solution.xi.end(),
                     [](const VectorXd& xi) { return math::all_finite(xi); });
}

/// The active rows of an earlier problem, as far as these blocks have them.
std::vector<RowsInForce> warm_rows(std::span<const Block> blocks, const WorkingSet& warm_start) {
  std::vector<RowsInForce> rows(blocks.size());
  if (warm_start.active.size() != blocks.size()) return rows;
  for (std::size_t e = 0; e < blocks.size(); ++e) {
    for (int i : warm_start.active[e]) {
      if (i >= 0 && i < blocks[e].E.rows()) rows[e].active.push_back(i);
    }
  }
  return rows;
}

}  // namespace

LinearFit::Status LinearFit::Impl::solve(std::span<const Block> blocks,
                                         const LinearFitOptions& options,
                                         const WorkingSet& warm_start) {
  const Tolerances tolerances{.constraint = options.constraint_tolerance,
                              .rank = options.rank_tolerance};
  const std::vector<RightSide> rights = own_right_sides(blocks);
  map_is_l2 = options.norm == Norm::kL2;
  map = LinearMap(blocks, tolerances, options.norm == Norm::kLInf);
  if (options.norm == Norm::kL1 || options.norm == Norm::kLInf) {
    data = LinearMap(blocks, tolerances);
    data.set_rows(std::vector<RowsInForce>(blocks.size()));
    return solve_absolute_norm(blocks, rights, options, data, map, solution, multipliers);
  }

  map.set_rows(warm_rows(blocks, warm_start));
  const Status status = map_is_l2 ? find_active_rows(blocks, rights, options, map, solution)
                                  : solve_huber(blocks, rights, options, map, solution);
  if (status != Status::kSolved) return status;
  multipliers = map.multipliers(rights, solution);
  if (!map_is_l2) {
    std::vector<RowsInForce> rows = map.rows();
    for (RowsInForce& block : rows) block.weight.resize(0);
    data = LinearMap(blocks, tolerances);
    data.set_rows(rows);
  }
  return status;
}

void LinearFit::Impl::keep_working_set() {
  working_set = {};
  for (const RowsInForce& rows : map.rows()) {
    working_set.active.push_back(rows.active);
    std::vector<int>& vanishing = working_set.vanishing.emplace_back();
    for (const auto& fixed : rows.fixed) {
      if (vanishing.empty() || vanishing.back() != fixed.row) vanishing.push_back(fixed.row);
    }
  }
}

LinearFit::LinearFit() : impl_(std::make_unique<Impl>()) {}
LinearFit::~LinearFit() = default;
LinearFit::LinearFit(LinearFit&&) noexcept = default;
LinearFit& LinearFit::operator=(LinearFit&&) noexcept = default;

LinearFit::Status LinearFit::factorize(std::span<const Block> blocks,
                                       const LinearFitOptions& options,
                                       const WorkingSet& warm_start, const ColumnScales& sizes) {
  if (!all_finite(blocks)) return Status::kNotFinite;
  Status status = Status::kSolved;
  if (options.scale_columns) {
    impl_->scales = column_scales(blocks, sizes);
    // Only sums of squares are the same problem in other units of the data.
    const double unit = options.norm == Norm::kL2 ? right_side_unit(blocks, impl_->scales) : 1;
    status = impl_->solve(scaled(blocks, impl_->scales, unit), options, warm_start);
    if (status != Status::kSolved) return status;
    unscale(impl_->scales, unit, impl_->solution);
    for (Multipliers& m : impl_->multipliers) {
      m.equations *= unit;
      m.inequalities *= unit;
    }
  } else {
    impl_->scales = unit_scales(blocks);
    status = impl_->solve(blocks, options, warm_start);
    if (status != Status::kSolved) return status;
  }
  impl_->keep_working_set();
  return all_finite(impl_->solution) ? Status::kSolved : Status::kNotFinite;
}

const LinearSolution& LinearFit::solution() const {
  return impl_->solution;
}
LinearSolution LinearFit::solve(std::span<const RightSide> rights) const {
  LinearSolution solution = impl_->map.solve(rights);
  unscale(impl_->scales, 1, solution);
  return solution;
}
const WorkingSet& LinearFit::working_set() const {
  return impl_->working_set;
}
const std::vector<LinearFit::Multipliers>& LinearFit::multipliers() const {
  return impl_->multipliers;
}
int LinearFit::num_free() const {
  return impl_->l2().num_free();
}
int LinearFit::rank() const {
  return impl_->l2().rank();
}
double LinearFit::condition() const {
  return impl_->l2().condition();
}
MatrixXd LinearFit::covariance_shared() const {
  const auto unscale = impl_->scales.p.cwiseInverse().asDiagonal();
  return unscale * impl_->l2().covariance_shared() * unscale;
}
MatrixXd LinearFit::covariance_local(int block) const {
  const auto unscale =
      impl_->scales.xi[static_cast<std::size_t>(block)].cwiseInverse().asDiagonal();
  return unscale * impl_->l2().covariance_local(block) * unscale;
}
MatrixXd LinearFit::covariance_mixed(int block) const {
  return impl_->scales.xi[static_cast<std::size_t>(block)].cwiseInverse().asDiagonal() *
         impl_->l2().covariance_mixed(block) * impl_->scales.p.cwiseInverse().asDiagonal();
}
MatrixXd LinearFit::undetermined() const {
  return impl_->l2().undetermined();
}

const ColumnScales& LinearFit::scales() const {
  return impl_->scales;
}

const char* text(LinearFit::Status status) {
  switch (status) {
    case LinearFit::Status::kSolved:
      return "solved";
    case LinearFit::Status::kInfeasible:
      return "no point satisfies all equations and inequalities";
    case LinearFit::Status::kContradiction:
      return "equations that depend on each other contradict each other";
    case LinearFit::Status::kMaxIterations:
      return "the set of active inequalities did not settle";
    case LinearFit::Status::kNotFinite:
      return "not finite";
  }
  return "";
}

const char* text(Norm norm) {
  switch (norm) {
    case Norm::kL2:
      return "l2";
    case Norm::kHuber:
      return "huber";
    case Norm::kL1:
      return "l1";
    case Norm::kLInf:
      return "linf";
  }
  return "";
}

}  // namespace parfait::estimate
