#include <fmt/format.h>

#include <Eigen/QR>

#include "parfait/estimate/shooting/shooting_experiment.h"
#include "parfait/math/dense_solves.h"

// Where the intervals of a shooting experiment begin: node states made consistent, with directions.
namespace parfait::estimate {

using dynamics::Directions;
using Eigen::MatrixXd;
using Eigen::VectorXd;

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

void ShootingExperiment::set_point(VecIn x, VecIn p) {
  x_ = x;
  p_ = p;
  for (int i = 0; i < num_nodes(); ++i) {
    Node& node = nodes_[static_cast<std::size_t>(i)];
    node.s = x.segment(offset_of(i), size_of(i));
    node.z = x.segment(offset_of(num_nodes()) + i * nz(), nz());
  }
  local_x_ = x.tail(locals_.size());
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    const Column& c = columns_[j];
    const Unknowns& unknowns = c.local ? locals_ : shared_;
    const double value = c.local ? local_x_[c.unknown] : p[c.unknown];
    parameters_[static_cast<std::size_t>(c.parameter)] = unknowns.value_of(c.unknown, value);
    dparameter_[j] = unknowns.derivative_of(c.unknown, value);
  }
}

/// All directions of a node: of s, of z and of theta, one after another.
ShootingExperiment::Seeds ShootingExperiment::all_directions(int i) const {
  const int ns = size_of(i), k = ns + nz() + num_theta();
  const MatrixXd unit = MatrixXd::Identity(k, k);
  return {
      .s = unit.topRows(ns), .z = unit.middleRows(ns, nz()), .theta = unit.bottomRows(num_theta())};
}

/// The node's state as its variables say, and its directions along the seeds; null: values only.
void ShootingExperiment::place_start(int i, const Seeds* seeds) {
  Node& node = nodes_[static_cast<std::size_t>(i)];
  ShootingInterval::Start& start = node.start;
  const int k = seeds != nullptr ? static_cast<int>(seeds->s.cols()) : 0;
  start.p = parameters_;
  start.y.resize(static_cast<std::size_t>(ny()));
  start.z.assign(node.z.data(), node.z.data() + nz());
  start.dp.resize(system_->sizes().np, k);
  start.W.resize(ny(), k);
  start.dz.resize(nz(), k);
  for (int c = 0; c < k; ++c) {
    for (int j = 0; j < nz(); ++j) start.dz(j, c) = seeds->z(j, c);
    for (int j = 0; j < num_theta(); ++j) {
      start.dp(columns_[static_cast<std::size_t>(j)].parameter, c) =
          dparameter_[static_cast<std::size_t>(j)] * seeds->theta(j, c);
    }
  }
  system_->bind(*node.workspace, start.p);
  if (k > 0) system_->bind_directions(*node.workspace, start.dp);
  const auto set = [&](int j, double value, int row) {
    start.y[static_cast<std::size_t>(j)] = value;
    for (int c = 0; c < k; ++c) start.W(j, c) = row < 0 ? 0 : scale_[j] * seeds->s(row, c);
  };
  if (i == 0) {
    // What is not free follows from the model, unless a number was given.
    std::vector<double> guess(static_cast<std::size_t>(nz()));
    system_->start(*node.workspace, start.y, guess);
    if (k > 0) system_->start_directions(*node.workspace, start.W);
    for (int j = 0; j < ny(); ++j) {
      const auto& given = given_[static_cast<std::size_t>(j)];
      if (given) set(j, *given, -1);
    }
    for (std::size_t f = 0; f < free_.size(); ++f) {
      const auto row = static_cast<int>(f);
      set(free_[f], scale_[free_[f]] * node.s[row], row);
    }
  } else {
    for (int j = 0; j < ny(); ++j) set(j, scale_[j] * node.s[j], j);
  }
}

/// The start of an interval: the node's state, consistent as far as the model needs it, and its
/// directions along the seeds; null: values only.
bool ShootingExperiment::prepare(int i, const Seeds* seeds) {
  place_start(i, seeds);
  Node& node = nodes_[static_cast<std::size_t>(i)];
  if (options_.interrupted && options_.interrupted()) {
    node.why = "interrupted";
    return false;
  }
  const double t = times_[static_cast<std::size_t>(i)];
  const bool with_directions = seeds != nullptr && seeds->s.cols() > 0;
  if (is_relaxed(i)) {
    relax_constraints(node, t, with_directions);
    return true;
  }
  return project_start(node, t, with_directions) && relax(node, t, with_directions);
}

bool ShootingExperiment::is_relaxed(int i) const {
  return i > 0 && nz() == 0 && has_invariants() && options_.relaxation != Relaxation::kLimit;
}

/// pi(s), and its exact derivative.
bool ShootingExperiment::project_start(Node& node, double t, bool with_directions) {
  if (!has_invariants()) return true;
  const VectorXd before = Eigen::Map<const VectorXd>(node.start.y.data(), ny());
  const auto report =
      system_->project(*node.workspace, t, node.start.y, options_.integrator.projection,
                       options_.integrator.projection_tolerance);
  dynamics::Status status = report.status;
  if (status == dynamics::Status::kOk && with_directions) {
    status = system_->project_directions(*node.workspace, node.start.W);
  }
  node.to_manifold =
      (Eigen::Map<const VectorXd>(node.start.y.data(), ny()) - before).cwiseQuotient(scale_);
  if (status == dynamics::Status::kOk) return true;
  node.why =
      fmt::format("the node cannot be brought onto the constraints: {}", dynamics::text(status));
  return false;
}

/// Whether a node is integrated along the possible directions only. Fixfit needs them of the first
/// node, to begin with.
bool ShootingExperiment::restricts(int i) const {
  if (i == 0) return tangent_first_;
  return reduction_ == Reduction::kInvariants1 || reduction_ == Reduction::kInvariants2;
}

/// Instead of all directions of the node, which lead to d pi ds, a basis S of those that are
/// possible: d pi = S C (K 9.2.1; corrections.md).
void ShootingExperiment::restrict_to_manifold(Node& node) {
  const int ns = static_cast<int>(node.s.size()), rest = nz() + num_theta();
  if (ns == 0) return;
  Directions& W = node.start.W;
  MatrixXd P(ny(), ns);
  for (int c = 0; c < ns; ++c) {
    for (int j = 0; j < ny(); ++j) P(j, c) = W(j, c);
  }
  const math::PivotedQr qr(P, 1e-8);  // singular values of a projector are 0 or at least 1
  const auto rank = static_cast<int>(qr.rank());
  node.S = qr.Q(rank);
  node.C = node.S.transpose() * P;
  node.P.resize(ny(), num_theta());
  for (int c = 0; c < num_theta(); ++c) {
    for (int j = 0; j < ny(); ++j) node.P(j, c) = W(j, ns + nz() + c);
  }
  Directions few(ny(), rank + rest), dz(nz(), rank + rest), dp(node.start.dp.rows(), rank + rest);
  for (int c = 0; c < rank; ++c) {
    for (int j = 0; j < ny(); ++j) few(j, c) = node.S(j, c);
  }
  for (int c = 0; c < rest; ++c) {
    for (int j = 0; j < ny(); ++j) few(j, rank + c) = W(j, ns + c);
    for (int j = 0; j < nz(); ++j) dz(j, rank + c) = node.start.dz(j, ns + c);
    for (int j = 0; j < dp.rows(); ++j) dp(j, rank + c) = node.start.dp(j, ns + c);
  }
  W = std::move(few);
  node.start.dz = std::move(dz);
  node.start.dp = std::move(dp);
}

/// h_0 = h(t, s, z, p), which the relaxed DAE takes as parameters.
bool ShootingExperiment::relax(Node& node, double t, bool with_directions) {
  if (nz() == 0) return true;
  ShootingInterval::Start& start = node.start;
  std::vector<double> rate(static_cast<std::size_t>(ny())), h(static_cast<std::size_t>(nz()));
  const dynamics::Status status = system_->evaluate(
      *node.workspace, {.t = t, .y = start.y, .z = start.z, .mode = {}, .offset = {}}, rate, h);
  if (status != dynamics::Status::kOk) {
    node.why = fmt::format("the algebraic equations at the node: {}", dynamics::text(status));
    return false;
  }
  node.consistency = Eigen::Map<const VectorXd>(h.data(), nz());
  start.p.insert(start.p.end(), h.begin(), h.end());
  if (!with_directions) return true;
  const int k = start.W.count();
  Directions drate(ny(), k);
  node.dconsistency.resize(nz(), k);
  system_->directions(*node.workspace, {.dt = {}, .dy = &start.W, .dz = &start.dz, .dphi = {}},
                      drate, &node.dconsistency);
  start.dp = stacked(start.dp, node.dconsistency);
  return true;
}

/// (g_0, g'_0) = the invariants at the node, which the relaxed mechanics take as parameters.
void ShootingExperiment::relax_constraints(Node& node, double t, bool with_directions) {
  ShootingInterval::Start& start = node.start;
  const int ng = system_->sizes().num_pos + system_->sizes().num_vel;
  std::vector<double> g(static_cast<std::size_t>(ng));
  system_->invariants(*node.workspace, t, start.y, g);
  start.p.insert(start.p.end(), g.begin(), g.end());
  if (!with_directions) return;
  Directions dg(ng, start.W.count());
  system_->invariant_directions(*node.workspace, t, start.y,
                                {.dt = {}, .dy = &start.W, .dz = {}, .dphi = {}}, dg);
  start.dp = stacked(start.dp, dg);
}

VectorXd ShootingExperiment::onto_manifold(VecIn x, VecIn p) {
  if (!has_invariants()) return x;
  const VectorXd x_now = x_, p_now = p_;
  VectorXd out = x;
  set_point(x, p);
  for (int i = tangent_first_ ? 0 : 1; i < num_nodes(); ++i) {
    Node& node = nodes_[static_cast<std::size_t>(i)];
    place_start(i, nullptr);
    if (project_start(node, times_[static_cast<std::size_t>(i)], false)) {
      out.segment(offset_of(i), ny()) += node.to_manifold;
    }
  }
  if (x_now.size() == x.size()) set_point(x_now, p_now);
  return out;
}

}  // namespace parfait::estimate
