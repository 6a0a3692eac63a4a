#include "parfait/estimate/shooting/fixed_fit.h"

#include <algorithm>

#include "parfait/estimate/shooting/tangent_directions.h"
#include "parfait/math/dense_solves.h"
#include "parfait/math/directions_matrix.h"

namespace parfait::estimate {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace fixed_fit {
namespace {

/// Equations of which the last quantity is seen in interval i. (The states of the nodes and local
/// parameters enter none of these.)
std::vector<int> equations_until(const std::vector<ShootingRow>& equations, int i) {
  std::vector<int> found;
  for (std::size_t r = 0; r < equations.size(); ++r) {
    const auto& terms = equations[r].terms;
    const bool are_seen = std::ranges::all_of(
        terms, [](const ShootingRow::Term& term) { return term.what->interval().has_value(); });
    int last = -1;
    for (const ShootingRow::Term& term : terms)
      last = std::max(last, term.what->interval().value_or(-1));
    if (are_seen && last == i) found.push_back(static_cast<int>(r));
  }
  return found;
}

RowDerivative row_derivative(const ShootingLayout& layout, int num_w) {
  return {.by_w = Eigen::RowVectorXd(num_w),
          .by_theta = Eigen::RowVectorXd(layout.num_theta()),
          .by_local = Eigen::RowVectorXd(layout.locals.size()),
          .by_shared = Eigen::RowVectorXd(layout.shared.size())};
}

}  // namespace
}  // namespace fixed_fit

/// What is free in the first node.
bool FixedFit::begin(ShootingIntervals& intervals, const ShootingPoint& at, NodeDirections& first) {
  const ShootingLayout& layout = intervals.layout();
  const int ns = layout.size_of_state(0);
  first.by_v = MatrixXd::Identity(ns, ns);
  first.by_theta = MatrixXd::Zero(ns, layout.num_theta());
  first.shift = VectorXd::Zero(ns);
  if (!layout.moves_on_manifold()) return true;
  if (!intervals.place_one(0, at, all_directions(layout, 0))) return false;
  TangentDirections tangent = restrict_to_tangent(layout, intervals.node(0));
  first_basis_ = std::move(tangent.basis);
  first_by_theta_ = std::move(tangent.by_theta);
  first.by_v = layout.scale.cwiseInverse().asDiagonal() * first_basis_;
  return true;
}

/// Interval i along (by_v, by_theta, shift) of its node.
bool FixedFit::run(ShootingIntervals& intervals, int i, const ShootingPoint& at,
                   const NodeDirections& node) const {
  const ShootingLayout& layout = intervals.layout();
  const auto nv = static_cast<int>(node.by_v.cols());
  const int nt = layout.num_theta();
  Seeds seeds{.s = MatrixXd(layout.size_of_state(i), nv + nt + 1),
              .z = MatrixXd(0, nv + nt + 1),
              .theta = MatrixXd::Zero(nt, nv + nt + 1)};
  seeds.s << node.by_v, node.by_theta, node.shift;
  seeds.theta.middleCols(nv, nt).setIdentity();
  // w moves the projected state along S, wherever s_0 lies.
  const bool along_basis = i == 0 && layout.moves_on_manifold();
  return intervals.run_one(i, at, seeds, [&](PlacedNode& placed) {
    if (along_basis) math::copy_top_left(first_basis_.leftCols(nv), placed.start.W);
  });
}

bool FixedFit::linearize(ShootingIntervals& intervals, Trajectory& trajectory,
                         Condensed& condensed) {
  const ShootingLayout& layout = intervals.layout();
  const int nt = layout.num_theta(), num_nodes = intervals.size();
  const ShootingPoint& at = trajectory.at;
  intervals.forget_failure();
  NodeDirections directions;
  if (!begin(intervals, at, directions)) return false;
  const Index num_w = directions.by_v.cols();
  condensed.num_w = static_cast<int>(num_w);
  condensed.nodes.resize(num_nodes);
  settled_.assign(num_nodes, {.equations = {},
                              .w_by_value = MatrixXd(num_w, 0),
                              .state_by_value = MatrixXd(layout.ny(), 0)});
  Free free{.N = MatrixXd::Identity(num_w, num_w), .P = MatrixXd::Zero(num_w, nt)};
  VectorXd w = VectorXd::Zero(num_w);
  for (int i = 0; i < num_nodes; ++i) {
    CondensedNode& node = condensed.nodes[i];
    const Index nv = directions.by_v.cols();
    node.state_by_w = directions.by_v * free.N.transpose();
    node.state_by_theta = directions.by_theta;
    node.state_shift = directions.shift;
    if (!run(intervals, i, at, directions)) return false;
    intervals.take_values(i, trajectory);
    if (layout.watches_events) node.events = trajectory.intervals[i].events;
    const int blocks = intervals.interval(i).num_watched();
    node.watched_by_w.resize(blocks);
    node.watched_by_theta.resize(blocks);
    node.watched_shift.resize(blocks);
    for (int j = 0; j < blocks; ++j) {
      const MatrixXd& all = intervals.interval(i).derivatives(j);
      node.watched_by_w[j] = all.leftCols(nv) * free.N.transpose();
      node.watched_by_theta[j] = all.middleCols(nv, nt);
      node.watched_shift[j] = all.rightCols(1);
    }
    if (i + 1 == num_nodes) break;
    const MatrixXd end = intervals.end_directions(i);
    const VectorXd y1 = Eigen::Map<const VectorXd>(intervals.interval(i).y1().data(), layout.ny());
    directions.by_v = end.leftCols(nv);
    directions.by_theta = end.middleCols(nv, nt);
    directions.shift = end.rightCols(1) + y1.cwiseQuotient(layout.scale) - at.s[i + 1];
    settle_equations(layout, i, trajectory, condensed, free, directions);
    directions.shift += settled_shift(layout, i, trajectory, trajectory, condensed, w);
  }
  intervals.take_defects(trajectory);
  if (layout.moves_on_manifold()) {
    CondensedNode& first = condensed.nodes.front();
    first.state_by_theta = layout.scale.cwiseInverse().asDiagonal() * first_by_theta_;
    first.state_shift = intervals.node(0).to_manifold;
  }
  linearized_ = trajectory;
  ++intervals.work().linearizations;
  return true;
}

/// Takes the equations that end in interval i out of what w can do; `next` is node i + 1.
void FixedFit::settle_equations(const ShootingLayout& layout, int i, const Trajectory& trajectory,
                                const Condensed& condensed, Free& free, NodeDirections& next) {
  const std::vector<int> rows = fixed_fit::equations_until(layout.equations, i);
  if (rows.empty() || free.N.cols() == 0) return;
  const auto m = static_cast<Index>(rows.size());
  MatrixXd A(m, condensed.num_w), B(m, layout.num_theta());
  RowDerivative d = fixed_fit::row_derivative(layout, condensed.num_w);
  for (Index r = 0; r < m; ++r) {
    layout.equations[rows[r]].derivative(trajectory, condensed, d);
    A.row(r) = d.by_w;
    B.row(r) = d.by_theta;
  }
  B += A * free.P;
  A = A * free.N;
  const math::OrthogonalDecomposition rows_of_A(A.transpose());
  if (rows_of_A.rank() == 0) return;
  const MatrixXd N = rows_of_A.left_null_space();
  const MatrixXd inverse = math::pseudo_inverse(A);
  settled_[i] = {
      .equations = rows, .w_by_value = free.N * inverse, .state_by_value = next.by_v * inverse};
  free.P -= settled_[i].w_by_value * B;
  free.N = (free.N * N).eval();
  next.by_theta -= settled_[i].state_by_value * B;
  next.by_v = (next.by_v * N).eval();
}

/// What the equations settled in interval i add to the shift of the next node, and to w.
VectorXd FixedFit::settled_shift(const ShootingLayout& layout, int i, const Trajectory& linearized,
                                 const Trajectory& trajectory, const Condensed& condensed,
                                 VectorXd& w) const {
  const Settled& settled = settled_[i];
  VectorXd b(static_cast<Index>(settled.equations.size()));
  RowDerivative d = fixed_fit::row_derivative(layout, condensed.num_w);
  for (Index r = 0; r < b.size(); ++r) {
    const ShootingRow& row = layout.equations[settled.equations[r]];
    b[r] = row.value(trajectory);
    for (const ShootingRow::Term& term : row.terms) {
      d.by_w.setZero();
      term.what->add_derivative(linearized, condensed, 1, d);
      b[r] += term.weight * (term.what->shift(trajectory, condensed) + d.by_w.dot(w));
    }
  }
  w -= settled.w_by_value * b;
  return -settled.state_by_value * b;
}

bool FixedFit::correct(ShootingIntervals& intervals, const Trajectory& trajectory,
                       Condensed& condensed) {
  const ShootingLayout& layout = intervals.layout();
  VectorXd shift = VectorXd::Zero(layout.size_of_state(0)), w = VectorXd::Zero(condensed.num_w);
  for (int i = 0; i < intervals.size(); ++i) {
    CondensedNode& node = condensed.nodes[i];
    node.state_shift = shift;
    for (std::size_t j = 0; j < node.watched_shift.size(); ++j) {
      node.watched_shift[j].setZero(node.watched_by_w[j].rows());
    }
    const bool is_last = i + 1 == intervals.size();
    shift = VectorXd::Zero(layout.ny());
    if (!node.state_shift.isZero(0)) {
      const Seeds seeds{.s = node.state_shift,
                        .z = MatrixXd(0, 1),
                        .theta = MatrixXd::Zero(layout.num_theta(), 1)};
      if (!intervals.replay_one(i, linearized_.at, seeds)) return false;
      for (std::size_t j = 0; j < node.watched_shift.size(); ++j) {
        node.watched_shift[j] = intervals.interval(i).derivatives(static_cast<int>(j)).col(0);
      }
      if (!is_last) shift = intervals.end_directions(i);
    }
    if (is_last) break;
    shift +=
        trajectory.defects[i] + settled_shift(layout, i, linearized_, trajectory, condensed, w);
  }
  if (layout.moves_on_manifold()) {
    condensed.nodes.front().state_shift = intervals.node(0).to_manifold;
  }
  return true;
}

}  // namespace parfait::estimate
