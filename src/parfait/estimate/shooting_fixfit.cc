#include "parfait/estimate/shooting_experiment.h"

// Fixfit (K 9.1, corrections.md): the intervals one after another, each with the few directions in
// which its node can move at all,
//
//   ds_i = T_i w + U_i dtheta + u_i,      w = what is free in the first node.
//
// Interval i integrates the columns of (T_i, U_i, u_i): their ends are (T, U, u)_{i+1} before the
// defect h_i is added to u. A trial point has other defects: one more direction, along the recorded
// steps of the linearization, gives its u.
namespace parfait::estimate {

using Eigen::MatrixXd;
using Eigen::VectorXd;

bool ShootingExperiment::linearize_fixfit() {
  why_.clear();
  const int nt = num_theta();
  MatrixXd T = MatrixXd::Identity(size_of(0), size_of(0));
  if (tangent_first_) {
    const Seeds all = all_directions(0);
    if (!prepare(0, &all)) {
      account(0);
      return false;
    }
    restrict_to_manifold(nodes_.front());
    T = scale_.cwiseInverse().asDiagonal() * nodes_.front().S;
  }
  const auto nw = static_cast<int>(T.cols());
  num_w_ = nw;
  MatrixXd U = MatrixXd::Zero(size_of(0), nt);
  VectorXd u = VectorXd::Zero(size_of(0));
  for (int i = 0; i < num_nodes(); ++i) {
    Node& node = nodes_[static_cast<std::size_t>(i)];
    node.T = T;
    node.U = U;
    node.u = u;
    Seeds seeds{.s = MatrixXd(size_of(i), nw + nt + 1),
                .z = MatrixXd(0, nw + nt + 1),
                .theta = MatrixXd::Zero(nt, nw + nt + 1)};
    seeds.s << T, U, u;
    seeds.theta.middleCols(nw, nt).setIdentity();
    node.why.clear();
    if (prepare(i, &seeds)) {
      // w moves the projected state along S, wherever s_0 lies.
      for (int c = 0; c < nw && i == 0 && tangent_first_; ++c) {
        for (int j = 0; j < ny(); ++j) node.start.W(j, c) = node.S(j, c);
      }
      node.why = node.interval->run(node.start, true) ? lost_start(i) : node.interval->why();
    }
    account(i);
    if (!why_.empty()) return false;
    const auto samples = static_cast<std::size_t>(node.interval->num_samples());
    node.E_w.resize(samples);
    node.E_theta.resize(samples);
    node.e.resize(samples);
    for (std::size_t j = 0; j < samples; ++j) {
      const MatrixXd& D = node.interval->derivatives(static_cast<int>(j));
      node.E_w[j] = D.leftCols(nw);
      node.E_theta[j] = D.middleCols(nw, nt);
      node.e[j] = D.rightCols(1);
    }
    if (i + 1 == num_nodes()) break;
    const MatrixXd D = end_directions(node);
    const VectorXd end = Eigen::Map<const VectorXd>(node.interval->y1().data(), ny());
    T = D.leftCols(nw);
    U = D.middleCols(nw, nt);
    u = D.rightCols(1) + end.cwiseQuotient(scale_) - nodes_[static_cast<std::size_t>(i) + 1].s;
  }
  collect_values();
  if (tangent_first_) {
    nodes_.front().U = scale_.cwiseInverse().asDiagonal() * nodes_.front().P;
    nodes_.front().u = nodes_.front().to_manifold;
  }
  linear_x_ = x_;
  linear_p_ = p_;
  ++work_.linearizations;
  return true;
}

bool ShootingExperiment::replay_defects() {
  const VectorXd x = x_, p = p_;
  set_point(linear_x_, linear_p_);
  VectorXd u = VectorXd::Zero(size_of(0));
  for (int i = 0; i < num_nodes() && why_.empty(); ++i) {
    Node& node = nodes_[static_cast<std::size_t>(i)];
    node.u = u;
    const auto samples = static_cast<std::size_t>(node.interval->num_samples());
    node.e.assign(samples, VectorXd::Zero(observer_->size()));
    u = VectorXd::Zero(ny());
    if (!node.u.isZero(0)) {
      const Seeds seeds{.s = node.u, .z = MatrixXd(0, 1), .theta = MatrixXd::Zero(num_theta(), 1)};
      node.why.clear();
      if (!prepare(i, &seeds) || !node.interval->replay(node.start)) {
        node.why = node.why.empty() ? node.interval->why() : node.why;
      }
      account(i);
      if (!why_.empty()) break;
      for (std::size_t j = 0; j < samples; ++j) {
        node.e[j] = node.interval->derivatives(static_cast<int>(j)).col(0);
      }
      if (i + 1 < num_nodes()) u = end_directions(node);
    }
    if (i + 1 < num_nodes()) u += defects_[static_cast<std::size_t>(i)];
  }
  if (tangent_first_) nodes_.front().u = nodes_.front().to_manifold;
  set_point(x, p);
  return why_.empty();
}

}  // namespace parfait::estimate
