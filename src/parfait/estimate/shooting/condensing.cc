#include "parfait/estimate/shooting/condensing.h"

#include <Eigen/QR>
#include <algorithm>

#include "parfait/math/dense_solves.h"

namespace parfait::estimate {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {
constexpr double kMostGrowth = 1e4;
}

void Condenser::factorize(int num_first, int num_theta, std::span<const Matching> matching,
                          Condensing method, const NodeUnits& given) {
  num_w_ = num_first;
  num_theta_ = num_theta;
  NodeUnits units = given;
  const Index ns = matching.empty() ? 0 : matching.front().H.rows();
  if (units.first.size() != num_first) units.first = VectorXd::Ones(num_first);
  if (units.node.size() != ns) units.node = VectorXd::Ones(ns);
  if (method != Condensing::kOrthogonal) {
    eliminate_gauss(matching, units);
    method_ = Condensing::kGauss;
    if (method == Condensing::kGauss || growth_ <= kMostGrowth) return;
  }
  eliminate_orthogonal(matching, units);
  method_ = Condensing::kOrthogonal;
}

// (C2), (C3)
void Condenser::eliminate_gauss(std::span<const Matching> matching, const NodeUnits& units) {
  T_.assign(1, MatrixXd::Identity(num_w_, num_w_));
  U_.assign(1, MatrixXd::Zero(num_w_, num_theta_));
  stages_.clear();
  growth_ = 1;
  for (const Matching& m : matching) {
    T_.push_back(m.H * T_.back());
    U_.push_back(m.H * U_.back() + m.P);
    if (T_.back().size() == 0) continue;
    const MatrixXd T =
        units.node.cwiseInverse().asDiagonal() * T_.back() * units.first.asDiagonal();
    growth_ = std::max(growth_, T.cwiseAbs().maxCoeff());
  }
}

// (C4) - (C6). S, V: the current node as a function of the current w and theta. Each condition is
// factorized in units of its states, D^-1 (H S, -D).
void Condenser::eliminate_orthogonal(std::span<const Matching> matching, const NodeUnits& units) {
  const Index nw = num_w_;
  const auto unit = units.node.asDiagonal();
  const VectorXd inverse_unit = units.node.cwiseInverse();
  MatrixXd S = units.first.asDiagonal(), V = MatrixXd::Zero(nw, num_theta_);
  stages_.clear();
  std::vector<MatrixXd> V_w;  // of theta in w of the stage before
  T_.assign(1, S);
  U_.assign(1, V);
  for (const Matching& m : matching) {
    const Index ns = m.H.rows();
    MatrixXd G(ns, nw + ns);
    G << inverse_unit.asDiagonal() * (m.H * S), -MatrixXd::Identity(ns, ns);
    const auto [Q, R] = math::qr_factors(G.transpose());
    Stage stage;
    stage.Z_w = Q.topRightCorner(nw, nw);
    stage.Z_s = unit * Q.bottomRightCorner(ns, nw);
    // G = R^T Y^T, so G+ = Y R^-T, and its transpose solves R X^T = Y^T.
    const MatrixXd X = math::solve_upper(R, Q.leftCols(ns).transpose()).transpose();
    stage.inverse_w = X.topRows(nw) * inverse_unit.asDiagonal();
    stage.inverse_s = unit * X.bottomRows(ns) * inverse_unit.asDiagonal();
    const MatrixXd right = m.H * V + m.P;
    V_w.push_back(-stage.inverse_w * right);
    V = -stage.inverse_s * right;
    S = stage.Z_s;
    T_.push_back(S);
    U_.push_back(V);
    stages_.push_back(std::move(stage));
  }
  // From the end back: w of each stage in terms of the last one.
  MatrixXd to_end = MatrixXd::Identity(nw, nw);
  MatrixXd theta = MatrixXd::Zero(nw, num_theta_);
  for (std::size_t i = stages_.size(); i-- > 0;) {
    U_[i + 1] += T_[i + 1] * theta;
    T_[i + 1] = T_[i + 1] * to_end;
    theta = stages_[i].Z_w * theta + V_w[i];
    to_end = stages_[i].Z_w * to_end;
  }
  U_[0] = units.first.asDiagonal() * theta;
  T_[0] = units.first.asDiagonal() * to_end;
  first_units_ = units.first;
}

std::vector<VectorXd> Condenser::shift(std::span<const Matching> matching,
                                       std::span<const VectorXd> h) const {
  std::vector<VectorXd> u;
  u.reserve(T_.size());
  u.emplace_back(VectorXd::Zero(num_w_));
  if (stages_.empty()) {
    for (std::size_t i = 0; i < h.size(); ++i) u.push_back(matching[i].H * u[i] + h[i]);
    return u;
  }
  std::vector<VectorXd> shift_w;
  for (std::size_t i = 0; i < h.size(); ++i) {
    const VectorXd right = matching[i].H * u[i] + h[i];
    shift_w.push_back(-stages_[i].inverse_w * right);
    u.push_back(-stages_[i].inverse_s * right);
  }
  // What the later stages add: S_i w_i, with S_i = Z_s of the stage that made the node.
  VectorXd w = VectorXd::Zero(num_w_);
  for (std::size_t i = h.size(); i-- > 0;) {
    u[i + 1] += stages_[i].Z_s * w;
    w = stages_[i].Z_w * w + shift_w[i];
  }
  u[0] += first_units_.cwiseProduct(w);
  return u;
}

}  // namespace parfait::estimate
