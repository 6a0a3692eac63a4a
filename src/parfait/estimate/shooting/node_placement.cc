#include "parfait/estimate/shooting/node_placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/dynamics/equilibrium.h"
#include "parfait/dynamics/equilibrium_directions.h"
#include "parfait/estimate/shooting/relaxed_dae.h"
#include "parfait/estimate/shooting/relaxed_mechanics.h"
#include "parfait/math/directions_matrix.h"

namespace parfait::estimate {

using dynamics::Directions;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace node_placement {
namespace {

Directions stacked(const Directions& above, const Directions& below) {
  Directions out(above.rows() + below.rows(), above.count());
  for (int c = 0; c < out.count(); ++c) {
    for (int j = 0; j < above.rows(); ++j) out(j, c) = above(j, c);
    for (int j = 0; j < below.rows(); ++j) out(above.rows() + j, c) = below(j, c);
  }
  return out;
}

}  // namespace
}  // namespace node_placement

Seeds all_directions(const ShootingLayout& layout, int node) {
  const int ns = layout.size_of_state(node), nz = layout.nz(), nt = layout.num_theta();
  const MatrixXd unit = MatrixXd::Identity(ns + nz + nt, ns + nz + nt);
  return {.s = unit.topRows(ns), .z = unit.middleRows(ns, nz), .theta = unit.bottomRows(nt)};
}

NodePlacement::NodePlacement(const ShootingLayout& layout, const FitOptions& options)
    : layout_(layout), options_(options) {}

PlacedNode NodePlacement::make_node() const {
  PlacedNode node;
  node.workspace =
      layout_.system->make_workspace(layout_.ny() + layout_.nz() + layout_.num_theta() + 1);
  return node;
}

std::unique_ptr<dynamics::System> NodePlacement::make_relaxed(int i) const {
  const double t0 = layout_.times[i], t1 = layout_.end_of(i);
  if (layout_.nz() > 0) return std::make_unique<RelaxedDae>(*layout_.system, t0, t1);
  if (!keeps_off_constraints(i)) return nullptr;
  return std::make_unique<RelaxedMechanics>(*layout_.system, t0, relaxation_rate(t0, t1));
}

/// alpha of Kraus 2006, (8.5), a rate; the factor is that of (8.2) at the end of the interval.
double NodePlacement::relaxation_rate(double t0, double t1) const {
  if (options_.relaxation != Relaxation::kBaumgarte) return 0;
  if (options_.relaxation_rate > 0) return options_.relaxation_rate;
  return t1 > t0 ? -std::log(options_.relaxation_factor) / (t1 - t0) : 0;
}

bool NodePlacement::keeps_off_constraints(int i) const {
  return i > 0 && layout_.nz() == 0 && layout_.has_invariants() &&
         options_.relaxation != Relaxation::kLimit;
}

bool NodePlacement::interrupted(PlacedNode& node) const {
  if (!options_.interrupted || !options_.interrupted()) return false;
  node.why = "interrupted";
  return true;
}

bool NodePlacement::place(int i, const ShootingPoint& at, const Seeds* seeds,
                          PlacedNode& node) const {
  if (interrupted(node)) return false;
  start(i, at, seeds, node);
  const bool with_directions = seeds != nullptr && seeds->s.cols() > 0;
  if (i == 0 && layout_.equilibrium && !settle(at, seeds, node)) return false;
  if (keeps_off_constraints(i)) {
    relax_constraints(i, with_directions, node);
    return true;
  }
  return project(i, with_directions, node) && relax_algebraic(i, with_directions, node);
}

void NodePlacement::start(int i, const ShootingPoint& at, const Seeds* seeds,
                          PlacedNode& node) const {
  const dynamics::System& system = *layout_.system;
  const int ny = layout_.ny(), nz = layout_.nz();
  const VectorXd& scale = layout_.scale;
  ShootingInterval::Start& out = node.start;
  const int k = seeds != nullptr ? static_cast<int>(seeds->s.cols()) : 0;
  out.p = at.parameters;
  out.y.resize(ny);
  out.z.assign(at.z[i].data(), at.z[i].data() + nz);
  out.dp.resize(system.sizes().np, k);
  out.W.resize(ny, k);
  out.dz.resize(nz, k);
  if (k > 0) math::copy_top_left(seeds->z, out.dz);
  for (int c = 0; c < k; ++c) {
    for (int j = 0; j < layout_.num_theta(); ++j) {
      if (layout_.theta[j].before) continue;
      out.dp(layout_.theta[j].parameter, c) = at.dparameters[j] * seeds->theta(j, c);
    }
  }
  system.bind(*node.workspace, out.p);
  if (k > 0) system.bind_directions(*node.workspace, out.dp);
  const auto set = [&](int j, double value, int row) {
    out.y[j] = value;
    for (int c = 0; c < k; ++c) out.W(j, c) = row < 0 ? 0 : scale[j] * seeds->s(row, c);
  };
  const VectorXd& s = at.s[i];
  if (i > 0) {
    for (int j = 0; j < ny; ++j) set(j, scale[j] * s[j], j);
    return;
  }
  // What is not free follows from the model, unless a number was given.
  std::vector<double> guess(nz);
  system.start(*node.workspace, out.y, guess);
  if (k > 0) system.start_directions(*node.workspace, out.W);
  for (int j = 0; j < ny; ++j) {
    if (layout_.given[j]) set(j, *layout_.given[j], -1);
  }
  for (int row = 0; row < layout_.size_of_state(0); ++row) {
    const int j = layout_.free[row];
    set(j, scale[j] * s[row], row);
  }
}

bool NodePlacement::settle(const ShootingPoint& at, const Seeds* seeds, PlacedNode& node) const {
  const dynamics::System& system = *layout_.system;
  const int k = seeds != nullptr ? static_cast<int>(seeds->s.cols()) : 0;
  Directions dp(system.sizes().np, k);
  for (int j = 0; j < layout_.num_theta(); ++j) {
    const ThetaEntry& entry = layout_.theta[j];
    const auto& others = layout_.equilibrium->others;
    const bool is_other = std::ranges::find(others, entry.parameter) != others.end();
    if (is_other != entry.before) continue;
    for (int c = 0; c < k; ++c) {
      dp(entry.parameter, c) = at.dparameters[j] * seeds->theta(j, c);
    }
  }
  const auto ws = system.make_workspace(k);
  system.bind(*ws, at.parameters_before);
  if (k > 0) system.bind_directions(*ws, dp);
  ShootingInterval::Start& out = node.start;
  system.start(*ws, out.y, out.z);
  if (k > 0) system.start_directions(*ws, out.W);
  const double t = layout_.equilibrium->t;
  const auto report = dynamics::find_equilibrium(system, *ws, t, out.y, out.z);
  if (!report.found()) {
    node.why = fmt::format("no equilibrium before the experiment: {}", report.message());
    return false;
  }
  if (k == 0) return true;
  const dynamics::Status status =
      dynamics::equilibrium_directions(system, *ws, t, out.y, out.z, out.W);
  if (status == dynamics::Status::kOk) return true;
  node.why = fmt::format("the equilibrium before the experiment: {}", dynamics::text(status));
  return false;
}

bool NodePlacement::project(int i, bool with_directions, PlacedNode& node) const {
  if (!layout_.has_invariants()) return true;
  const dynamics::System& system = *layout_.system;
  const int ny = layout_.ny();
  const VectorXd before = Eigen::Map<const VectorXd>(node.start.y.data(), ny);
  dynamics::Status status =
      system
          .project(*node.workspace, layout_.times[i], node.start.y, options_.integrator.projection,
                   options_.integrator.projection_tolerance)
          .status;
  if (status == dynamics::Status::kOk && with_directions) {
    status = system.project_directions(*node.workspace, node.start.W);
  }
  node.to_manifold =
      (Eigen::Map<const VectorXd>(node.start.y.data(), ny) - before).cwiseQuotient(layout_.scale);
  if (status == dynamics::Status::kOk) return true;
  node.why =
      fmt::format("the node cannot be brought onto the constraints: {}", dynamics::text(status));
  return false;
}

/// h_0 = h(t, s, z, p), which the relaxed DAE takes as parameters.
bool NodePlacement::relax_algebraic(int i, bool with_directions, PlacedNode& node) const {
  const int ny = layout_.ny(), nz = layout_.nz();
  if (nz == 0) return true;
  ShootingInterval::Start& start = node.start;
  std::vector<double> rate(ny), h(nz);
  const dynamics::Point at{
      .t = layout_.times[i], .y = start.y, .z = start.z, .mode = {}, .offset = {}};
  const dynamics::Status status = layout_.system->evaluate(*node.workspace, at, rate, h);
  if (status != dynamics::Status::kOk) {
    node.why = fmt::format("the algebraic equations at the node: {}", dynamics::text(status));
    return false;
  }
  node.consistency = Eigen::Map<const VectorXd>(h.data(), nz);
  start.p.insert(start.p.end(), h.begin(), h.end());
  if (!with_directions) return true;
  const int k = start.W.count();
  Directions drate(ny, k);
  node.dconsistency.resize(nz, k);
  layout_.system->directions(*node.workspace,
                             {.dt = {}, .dy = &start.W, .dz = &start.dz, .dphi = {}}, drate,
                             &node.dconsistency);
  start.dp = node_placement::stacked(start.dp, node.dconsistency);
  return true;
}

/// (g_0, g'_0) = the invariants at the node, which the relaxed mechanics take as parameters.
void NodePlacement::relax_constraints(int i, bool with_directions, PlacedNode& node) const {
  const double t = layout_.times[i];
  ShootingInterval::Start& start = node.start;
  const int num_invariants = layout_.system->sizes().num_pos + layout_.system->sizes().num_vel;
  std::vector<double> g(num_invariants);
  layout_.system->invariants(*node.workspace, t, start.y, g);
  start.p.insert(start.p.end(), g.begin(), g.end());
  if (!with_directions) return;
  Directions dg(num_invariants, start.W.count());
  layout_.system->invariant_directions(*node.workspace, t, start.y,
                                       {.dt = {}, .dy = &start.W, .dz = {}, .dphi = {}}, dg);
  start.dp = node_placement::stacked(start.dp, dg);
}

}  // namespace parfait::estimate
