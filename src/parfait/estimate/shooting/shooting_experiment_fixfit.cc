#include <Eigen/QR>
#include <algorithm>

#include "parfait/estimate/shooting/shooting_experiment.h"
#include "parfait/math/dense_solves.h"

// Fixfit (K 9.1, corrections.md): the intervals one after another, each with the few directions in
// which its node can move at all,
//
//   ds_i = T_i w + U_i dtheta + u_i,      w = what is free in the first node.
//
// Interval i integrates the columns of (T_i, U_i, u_i): their ends are (T, U, u)_{i+1} before the
// defect h_i is added to u. A trial point has other defects: one more direction, along the recorded
// steps of the linearization, gives its u.
//
// An equation of the problem whose last quantity lies in interval i leaves w less to choose from
// then on (K 9.1, Remark 5): with A w + B dtheta + b = 0,
//
//   w = N v - A+ (B dtheta + b),      A N = 0,  N'N = 1,
//
// the next intervals integrate along T N only, U and u take the rest. As N'A+ = 0, v = N'w: what
// follows is still a function of w, as the equation itself, which stays in the problem.
namespace parfait::estimate {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Equations of quantities of which the last is in interval i. (The states of the nodes and local
/// parameters enter none of these.)
std::vector<int> ShootingExperiment::equations_until(int i) const {
  std::vector<int> found;
  for (std::size_t r = 0; r < equations_.size(); ++r) {
    const auto& terms = equations_[r].terms;
    const bool of_quantities =
        std::ranges::all_of(terms, [](const Term& term) { return term.of == Term::Of::kSample; });
    int last = -1;
    for (const Term& term : terms) last = std::max(last, term.node);
    if (of_quantities && last == i) found.push_back(static_cast<int>(r));
  }
  return found;
}

/// Takes the equations that end in interval i out of what w can do; T and U are those of node i
/// + 1.
void ShootingExperiment::settle_equations(int i, Free& free, MatrixXd& T, MatrixXd& U) {
  Node& node = nodes_[static_cast<std::size_t>(i)];
  node.settled = {.equations = {}, .w = MatrixXd(num_w_, 0), .s = MatrixXd(ny(), 0)};
  const std::vector<int> rows = equations_until(i);
  if (rows.empty() || free.N.cols() == 0) return;
  const auto m = static_cast<Eigen::Index>(rows.size());
  MatrixXd A = MatrixXd::Zero(m, free.N.rows());
  MatrixXd B = MatrixXd::Zero(m, num_theta());
  for (Eigen::Index r = 0; r < m; ++r) {
    const auto equation = static_cast<std::size_t>(rows[static_cast<std::size_t>(r)]);
    for (const Term& term : equations_[equation].terms) {
      const Node& of = nodes_[static_cast<std::size_t>(term.node)];
      const auto sample = static_cast<std::size_t>(term.sample);
      A.row(r) += term.weight * of.E_w[sample].row(term.index);
      B.row(r) += term.weight * of.E_theta[sample].row(term.index);
    }
  }
  B += A * free.P;
  A = A * free.N;
  const math::OrthogonalDecomposition rows_of_A(A.transpose());
  if (rows_of_A.rank() == 0) return;
  const MatrixXd N = rows_of_A.left_null_space();
  const MatrixXd inverse = math::pseudo_inverse(A);
  node.settled = {.equations = rows, .w = free.N * inverse, .s = T * inverse};
  free.P -= node.settled.w * B;
  free.N = (free.N * N).eval();
  U -= node.settled.s * B;
  T = (T * N).eval();
}

/// What the equations settled in interval i add to u of the next node, and to w. `values`: of all
/// equations that are known so far.
VectorXd ShootingExperiment::settled_shift(int i, const VectorXd& values, VectorXd& w) const {
  const Node& node = nodes_[static_cast<std::size_t>(i)];
  VectorXd b(static_cast<Eigen::Index>(node.settled.equations.size()));
  for (Eigen::Index r = 0; r < b.size(); ++r) {
    const int equation = node.settled.equations[static_cast<std::size_t>(r)];
    b[r] = values[equation];
    for (const Term& term : equations_[static_cast<std::size_t>(equation)].terms) {
      const Node& of = nodes_[static_cast<std::size_t>(term.node)];
      const auto sample = static_cast<std::size_t>(term.sample);
      b[r] += term.weight * (of.e[sample][term.index] + of.E_w[sample].row(term.index).dot(w));
    }
  }
  w -= node.settled.w * b;
  return -node.settled.s * b;
}

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
  num_w_ = static_cast<int>(T.cols());
  Free free{.N = MatrixXd::Identity(num_w_, num_w_), .P = MatrixXd::Zero(num_w_, nt)};
  VectorXd w = VectorXd::Zero(num_w_);
  VectorXd known = VectorXd::Zero(static_cast<Eigen::Index>(equations_.size()));
  MatrixXd U = MatrixXd::Zero(size_of(0), nt);
  VectorXd u = VectorXd::Zero(size_of(0));
  for (int i = 0; i < num_nodes(); ++i) {
    Node& node = nodes_[static_cast<std::size_t>(i)];
    const auto nw = static_cast<int>(T.cols());
    node.T = T * free.N.transpose();
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
      node.E_w[j] = D.leftCols(nw) * free.N.transpose();
      node.E_theta[j] = D.middleCols(nw, nt);
      node.e[j] = D.rightCols(1);
    }
    if (i + 1 == num_nodes()) break;
    const MatrixXd D = end_directions(node);
    const VectorXd end = Eigen::Map<const VectorXd>(node.interval->y1().data(), ny());
    T = D.leftCols(nw);
    U = D.middleCols(nw, nt);
    u = D.rightCols(1) + end.cwiseQuotient(scale_) - nodes_[static_cast<std::size_t>(i) + 1].s;
    settle_equations(i, free, T, U);
    for (int r : node.settled.equations) known[r] = value(equations_[static_cast<std::size_t>(r)]);
    u += settled_shift(i, known, w);
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
  VectorXd u = VectorXd::Zero(size_of(0)), w = VectorXd::Zero(num_w_);
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
    if (i + 1 < num_nodes()) {
      u += defects_[static_cast<std::size_t>(i)] + settled_shift(i, equation_values_, w);
    }
  }
  if (tangent_first_) nodes_.front().u = nodes_.front().to_manifold;
  set_point(x, p);
  return why_.empty();
}

}  // namespace parfait::estimate
