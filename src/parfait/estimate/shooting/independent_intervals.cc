#include "parfait/estimate/shooting/independent_intervals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/math/directions_matrix.h"
#include "parfait/math/finite.h"

namespace parfait::estimate {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace independent_intervals {
namespace {

/// The size of each state over all nodes, to a power of two, which costs no digits. Coordinates of
/// one mechanism compare with each other, and their tangent directions have no names.
Condenser::NodeUnits node_units(const ShootingLayout& layout, const ShootingPoint& at) {
  if (layout.has_invariants()) return {};
  VectorXd size = VectorXd::Zero(layout.ny());
  for (std::size_t i = 1; i < at.s.size(); ++i) size = size.cwiseMax(at.s[i].cwiseAbs());
  for (std::size_t k = 0; k < layout.free.size(); ++k) {
    double& own = size[layout.free[k]];
    own = std::max(own, std::abs(at.s.front()[static_cast<Index>(k)]));
  }
  Condenser::NodeUnits units;
  // A state that is zero all along has no unit.
  units.node = size.unaryExpr(
      [](double x) { return x > 0 && std::isfinite(x) ? std::exp2(std::round(std::log2(x))) : 1; });
  units.first.resize(static_cast<Index>(layout.free.size()));
  for (std::size_t k = 0; k < layout.free.size(); ++k) {
    units.first[static_cast<Index>(k)] = units.node[layout.free[k]];
  }
  return units;
}

}  // namespace
}  // namespace independent_intervals

bool IndependentIntervals::linearize(ShootingIntervals& intervals, Trajectory& trajectory,
                                     Condensed& condensed) {
  const ShootingLayout& layout = intervals.layout();
  intervals_.resize(intervals.size());
  const auto restrict = [&](int i, PlacedNode& node) {
    const bool restricts =
        i == 0 ? layout.moves_on_manifold() : coordinates_ != Coordinates::kNodes;
    if (restricts) intervals_[i].tangent = restrict_to_tangent(layout, node);
  };
  if (!intervals.run_seeded(trajectory.at, restrict)) return false;
  intervals.take_all(trajectory);
  for (int i = 0; i < intervals.size(); ++i) {
    if (eliminate_algebraic(intervals, i)) continue;
    intervals.fail(
        fmt::format("experiment \"{}\", t = {:g}: the algebraic equations do not determine the "
                    "algebraic states",
                    layout.id, layout.times[i]));
    return false;
  }
  match(intervals);
  const auto num_first = layout.moves_on_manifold() ? intervals_.front().tangent.basis.cols()
                                                    : layout.size_of_state(0);
  condensed.num_w = static_cast<int>(num_first);
  const Condensing method = intervals.options().condensing;
  condenser_.factorize(condensed.num_w, layout.num_theta(), matching_, method,
                       independent_intervals::node_units(layout, trajectory.at));
  condense(layout, condensed);
  for (int i = 0; i < intervals.size() && layout.watches_events; ++i) {
    condensed.nodes[i].events = trajectory.intervals[i].events;
  }
  const bool changed = condenser_.method() == Condensing::kOrthogonal && intervals.size() > 1 &&
                       method == Condensing::kAutomatic;
  remark_ = changed ? fmt::format(
                          "experiment \"{}\": directions grow by {:.0e} over the horizon: "
                          "orthogonal condensing",
                          layout.id, condenser_.growth())
                    : "";
  return correct(intervals, trajectory, condensed);
}

/// dz = z_by_s ds + z_by_theta dtheta - h_z^-1 h, put into the derivatives of what was watched.
bool IndependentIntervals::eliminate_algebraic(const ShootingIntervals& intervals, int i) {
  const ShootingLayout& layout = intervals.layout();
  const PlacedNode& node = intervals.node(i);
  const int nz = layout.nz(), num_theta = layout.num_theta();
  const int ns = node.start.W.count() - nz - num_theta;
  Derivatives& d = intervals_[i];
  d.z_by_s.setZero(nz, ns);
  d.z_by_theta.setZero(nz, num_theta);
  if (nz > 0) {
    const MatrixXd dh = math::to_matrix(node.dconsistency);
    d.h_z = math::Lu(dh.middleCols(ns, nz));
    d.z_by_s = -d.h_z.solve(dh.leftCols(ns));
    d.z_by_theta = -d.h_z.solve(dh.rightCols(num_theta));
    if (!math::all_finite(d.z_by_s) || !math::all_finite(d.z_by_theta)) return false;
  }
  const int blocks = intervals.interval(i).num_watched();
  d.watched_by_s.resize(blocks);
  d.watched_by_z.resize(blocks);
  d.watched_by_theta.resize(blocks);
  for (int j = 0; j < blocks; ++j) {
    const MatrixXd& all = intervals.interval(i).derivatives(j);
    d.watched_by_z[j] = all.middleCols(ns, nz);
    d.watched_by_s[j] = all.leftCols(ns) + d.watched_by_z[j] * d.z_by_s;
    d.watched_by_theta[j] = all.rightCols(num_theta) + d.watched_by_z[j] * d.z_by_theta;
  }
  return true;
}

/// The matching conditions. Nodes are condensed in the coordinates of s itself or, where these are
/// not all needed, of its possible directions.
void IndependentIntervals::match(const ShootingIntervals& intervals) {
  const int nz = intervals.layout().nz(), num_theta = intervals.layout().num_theta();
  matching_.resize(intervals.size() - 1);
  for (int i = 0; i + 1 < intervals.size(); ++i) {
    Derivatives& d = intervals_[i];
    const MatrixXd end = intervals.end_directions(i);
    const Index ns = end.cols() - nz - num_theta;
    d.end_by_z = end.middleCols(ns, nz);
    d.end_by_s = end.leftCols(ns) + d.end_by_z * d.z_by_s;
    d.end_by_theta = end.rightCols(num_theta) + d.end_by_z * d.z_by_theta;
    Matching& m = matching_[i];
    if (condenses_tangent()) {
      const MatrixXd& C = intervals_[i + 1].tangent.coordinates;
      m.H = C * d.end_by_s;
      m.P = C * d.end_by_theta;
    } else {
      m.H = turns_to_nodes(i) ? MatrixXd(d.end_by_s * d.tangent.coordinates) : d.end_by_s;
      m.P = d.end_by_theta;
    }
  }
}

/// Samples and nodes as functions of w and theta.
void IndependentIntervals::condense(const ShootingLayout& layout, Condensed& condensed) {
  const int num_nodes = layout.num_nodes();
  condensed.nodes.resize(num_nodes);
  for (int i = 0; i < num_nodes; ++i) {
    Derivatives& d = intervals_[i];
    CondensedNode& node = condensed.nodes[i];
    const MatrixXd &T = condenser_.T(i), &U = condenser_.U(i);
    if (turns_to_nodes(i)) {
      for (MatrixXd& by_s : d.watched_by_s) by_s = by_s * d.tangent.coordinates;
      d.z_by_s = d.z_by_s * d.tangent.coordinates;
    }
    node.watched_by_w.resize(d.watched_by_s.size());
    node.watched_by_theta = std::move(d.watched_by_theta);
    for (std::size_t j = 0; j < d.watched_by_s.size(); ++j) {
      node.watched_by_w[j] = d.watched_by_s[j] * T;
      node.watched_by_theta[j] += d.watched_by_s[j] * U;
    }
    node.z_by_s = d.z_by_s;
    node.z_by_theta = d.z_by_theta;
    if (i == 0 && layout.moves_on_manifold()) {
      const auto unscale = layout.scale.cwiseInverse().asDiagonal();
      node.state_by_w = unscale * (d.tangent.basis * T);
      node.state_by_theta = unscale * (d.tangent.basis * U + d.tangent.by_theta);
    } else if (i > 0 && condenses_tangent()) {
      const Derivatives& before = intervals_[i - 1];
      node.state_by_w = before.end_by_s * condenser_.T(i - 1);
      node.state_by_theta = before.end_by_s * condenser_.U(i - 1) + before.end_by_theta;
    } else {
      node.state_by_w = T;
      node.state_by_theta = U;
    }
  }
}

/// What the defects of the last point add to nodes and samples, with the derivatives of the last
/// linearization.
bool IndependentIntervals::correct(ShootingIntervals& intervals, const Trajectory& trajectory,
                                   Condensed& condensed) {
  const ShootingLayout& layout = intervals.layout();
  const bool has_algebraic = layout.nz() > 0;
  std::vector<VectorXd> h = trajectory.defects;
  for (int i = 0; i < intervals.size() && has_algebraic; ++i) {
    VectorXd& z_shift = condensed.nodes[i].z_shift;
    z_shift = -intervals_[i].h_z.solve(intervals.node(i).consistency);
    if (i < static_cast<int>(h.size())) h[i] += intervals_[i].end_by_z * z_shift;
  }
  std::vector<VectorXd> reduced = h;
  for (std::size_t i = 0; i < h.size() && condenses_tangent(); ++i) {
    reduced[i] = intervals_[i + 1].tangent.coordinates * h[i];
  }
  const auto u = condenser_.shift(matching_, reduced);
  for (int i = 0; i < intervals.size(); ++i) {
    const Derivatives& d = intervals_[i];
    CondensedNode& node = condensed.nodes[i];
    node.watched_shift.resize(d.watched_by_s.size());
    for (std::size_t j = 0; j < d.watched_by_s.size(); ++j) {
      node.watched_shift[j] = d.watched_by_s[j] * u[i];
      if (has_algebraic) node.watched_shift[j] += d.watched_by_z[j] * node.z_shift;
    }
    if (i == 0 && layout.moves_on_manifold()) {
      node.state_shift =
          (d.tangent.basis * u[i]).cwiseQuotient(layout.scale) + intervals.node(i).to_manifold;
    } else if (i > 0 && condenses_tangent()) {
      node.state_shift = intervals_[i - 1].end_by_s * u[i - 1] + h[i - 1];
    } else {
      node.state_shift = u[i];
    }
  }
  return true;
}

std::string IndependentIntervals::remark() const {
  return remark_;
}

}  // namespace parfait::estimate
