#include "parfait/estimate/shooting/shooting_experiment.h"

#include "parfait/math/dense_solves.h"
#include "parfait/math/finite.h"

// The linearized equations of a shooting experiment, condensed, and the way back.
namespace parfait::estimate {

using dynamics::Directions;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Directions of the end of an interval, scaled as the nodes are.
MatrixXd ShootingExperiment::end_directions(const Node& node) const {
  const Directions& W = node.interval->W1();
  MatrixXd D(ny(), W.count());
  for (int c = 0; c < W.count(); ++c) {
    for (int j = 0; j < ny(); ++j) D(j, c) = W(j, c) / scale_[j];
  }
  return D;
}

/// dz = Z_s ds + Z_theta dtheta - h_z^-1 h, put into all derivatives of the node.
bool ShootingExperiment::eliminate_algebraic(Node& node) {
  const int k = node.start.W.count();
  const int ns = k - nz() - num_theta();  // of s, or of the directions that it allows
  node.Z_s.setZero(nz(), ns);
  node.Z_theta.setZero(nz(), num_theta());
  if (nz() > 0) {
    MatrixXd dh(nz(), k);
    for (int c = 0; c < k; ++c) {
      for (int j = 0; j < nz(); ++j) dh(j, c) = node.dconsistency(j, c);
    }
    node.h_z = math::Lu(dh.middleCols(ns, nz()));
    node.Z_s = -node.h_z.solve(dh.leftCols(ns));
    node.Z_theta = -node.h_z.solve(dh.rightCols(num_theta()));
    if (!math::all_finite(node.Z_s) || !math::all_finite(node.Z_theta)) return false;
  }
  const auto samples = static_cast<std::size_t>(node.interval->num_samples());
  node.D_s.resize(samples);
  node.D_z.resize(samples);
  node.E_theta.resize(samples);
  for (std::size_t j = 0; j < samples; ++j) {
    const MatrixXd& D = node.interval->derivatives(static_cast<int>(j));
    node.D_z[j] = D.middleCols(ns, nz());
    node.D_s[j] = D.leftCols(ns) + node.D_z[j] * node.Z_s;
    node.E_theta[j] = D.rightCols(num_theta()) + node.D_z[j] * node.Z_theta;
  }
  return true;
}

/// Matching conditions and samples as functions of w and theta. Nodes are condensed in the
/// coordinates of s itself or, where these are not all needed, of its possible directions.
void ShootingExperiment::condense_nodes() {
  matching_.resize(nodes_.size() - 1);
  for (std::size_t i = 0; i + 1 < nodes_.size(); ++i) {
    Node& node = nodes_[i];
    const MatrixXd D = end_directions(node);
    const Index ns = D.cols() - nz() - num_theta();
    Matching& m = matching_[i];
    node.H_z = D.middleCols(ns, nz());
    node.G = D.leftCols(ns) + node.H_z * node.Z_s;
    node.P_end = D.rightCols(num_theta()) + node.H_z * node.Z_theta;
    m.H = in_coordinates(i) ? MatrixXd(node.G * node.C) : node.G;
    m.P = node.P_end;
    if (reduces_nodes()) {
      m.H = nodes_[i + 1].C * node.G;
      m.P = nodes_[i + 1].C * node.P_end;
    }
  }
  num_w_ = static_cast<int>(tangent_first_ ? nodes_.front().S.cols() : size_of(0));
  condenser_.factorize(num_w_, num_theta(), matching_, options_.condensing);
  for (int i = 0; i < num_nodes(); ++i) {
    Node& node = nodes_[static_cast<std::size_t>(i)];
    const MatrixXd &T = condenser_.T(i), &U = condenser_.U(i);
    node.E_w.resize(node.D_s.size());
    for (std::size_t j = 0; j < node.D_s.size(); ++j) {
      if (in_coordinates(static_cast<std::size_t>(i))) node.D_s[j] = node.D_s[j] * node.C;
      node.E_w[j] = node.D_s[j] * T;
      node.E_theta[j] += node.D_s[j] * U;
    }
    if (in_coordinates(static_cast<std::size_t>(i))) node.Z_s = node.Z_s * node.C;
    if (i == 0 && tangent_first_) {
      const auto scale = scale_.cwiseInverse().asDiagonal();
      node.T = scale * (node.S * T);
      node.U = scale * (node.S * U + node.P);
    } else if (i > 0 && reduces_nodes()) {
      const Node& before = nodes_[static_cast<std::size_t>(i) - 1];
      node.T = before.G * condenser_.T(i - 1);
      node.U = before.G * condenser_.U(i - 1) + before.P_end;
    } else {
      node.T = T;
      node.U = U;
    }
  }
}

/// What the defects of the last point add to nodes and samples, with the derivatives of the last
/// linearization.
void ShootingExperiment::correct_values() {
  std::vector<VectorXd> h = defects_;
  for (std::size_t i = 0; i < nodes_.size() && nz() > 0; ++i) {
    nodes_[i].u_z = -nodes_[i].h_z.solve(nodes_[i].consistency);
    if (i < h.size()) h[i] += nodes_[i].H_z * nodes_[i].u_z;
  }
  std::vector<VectorXd> reduced = h;
  for (std::size_t i = 0; i < h.size() && reduces_nodes(); ++i) reduced[i] = nodes_[i + 1].C * h[i];
  const auto u = condenser_.shift(matching_, reduced);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Node& node = nodes_[i];
    node.e.resize(node.D_s.size());
    for (std::size_t j = 0; j < node.D_s.size(); ++j) {
      node.e[j] = node.D_s[j] * u[i];
      if (nz() > 0) node.e[j] += node.D_z[j] * node.u_z;
    }
    node.u = u[i];
    if (i == 0 && tangent_first_) {
      node.u = (node.S * u[i]).cwiseQuotient(scale_) + node.to_manifold;
    } else if (i > 0 && reduces_nodes()) {
      node.u = nodes_[i - 1].G * u[i - 1] + h[i - 1];
    }
  }
}

/// The rows as functions of xi = (w | local) and the shared parameters.
void ShootingExperiment::fill_block() {
  const Index nw = num_w_, nl = locals_.size();
  block_ =
      Block::zero(nw + nl, shared_.size(), static_cast<Index>(data_.size()),
                  static_cast<Index>(equations_.size()), static_cast<Index>(inequalities_.size()));
  Eigen::RowVectorXd by_theta(num_theta());
  const auto fill = [&](const std::vector<Row>& rows, MatrixXd& local, MatrixXd& shared) {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const auto row = static_cast<Index>(r);
      by_theta.setZero();
      for (const Term& term : rows[r].terms) {
        const Node& node = nodes_[static_cast<std::size_t>(term.node)];
        const auto sample = static_cast<std::size_t>(term.sample);
        switch (term.of) {
          case Term::Of::kSample:
            local.row(row).head(nw) += term.weight * node.E_w[sample].row(term.index);
            by_theta += term.weight * node.E_theta[sample].row(term.index);
            break;
          case Term::Of::kNode:
            local.row(row).head(nw) += term.weight * node.T.row(term.index);
            by_theta += term.weight * node.U.row(term.index);
            break;
          case Term::Of::kLocal:
            local(row, nw + term.index) +=
                term.weight * locals_.derivative_of(term.index, local_x_[term.index]);
            break;
          case Term::Of::kUnknown:
            local(row, nw + term.index) += term.weight;
            break;
        }
      }
      for (int j = 0; j < num_theta(); ++j) {
        const Column& c = columns_[static_cast<std::size_t>(j)];
        (c.local ? local(row, nw + c.unknown) : shared(row, c.unknown)) += by_theta[j];
      }
    }
  };
  fill(data_, block_.A, block_.B);
  fill(equations_, block_.C, block_.D);
  fill(inequalities_, block_.E, block_.F);
  block_.right = right_side();
}

RightSide ShootingExperiment::right_side() const {
  RightSide right{.b = data_values_, .c = equation_values_, .e = inequality_values_};
  const auto add = [&](const std::vector<Row>& rows, VectorXd& values) {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (const Term& term : rows[r].terms) {
        const Node& node = nodes_[static_cast<std::size_t>(term.node)];
        if (term.of == Term::Of::kSample) {
          values[static_cast<Index>(r)] +=
              term.weight * node.e[static_cast<std::size_t>(term.sample)][term.index];
        } else if (term.of == Term::Of::kNode) {
          values[static_cast<Index>(r)] += term.weight * node.u[term.index];
        }
      }
    }
  };
  add(data_, right.b);
  add(equations_, right.c);
  add(inequalities_, right.e);
  return right;
}

VectorXd ShootingExperiment::expand(VecIn xi, VecIn p, bool with_values) const {
  const Index nw = num_w_, nl = locals_.size();
  VectorXd theta(num_theta());
  for (int j = 0; j < num_theta(); ++j) {
    const Column& c = columns_[static_cast<std::size_t>(j)];
    theta[j] = c.local ? xi[nw + c.unknown] : p[c.unknown];
  }
  VectorXd x(num_variables());
  for (int i = 0; i < num_nodes(); ++i) {
    const Node& node = nodes_[static_cast<std::size_t>(i)];
    VectorXd s = node.T * xi.head(nw) + node.U * theta;
    if (with_values) s += node.u;
    x.segment(offset_of(i), size_of(i)) = s;
    if (nz() == 0) continue;
    VectorXd z = node.Z_s * s + node.Z_theta * theta;
    if (with_values) z += node.u_z;
    x.segment(offset_of(num_nodes()) + i * nz(), nz()) = z;
  }
  x.tail(nl) = xi.tail(nl);
  return x;
}

}  // namespace parfait::estimate
