#include "parfait/tree/contacts/contact_rows.h"

#include <Eigen/Dense>

#include "parfait/math/dense_solves.h"
#include "parfait/tree/algorithms/levels.h"

namespace parfait::tree {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

std::vector<int> kept_rows(const ContactWorkspace& room) {
  std::vector<int> kept;
  for (const int i : room.solver.order()) {
    if (room.solver.is_kept(i)) kept.push_back(i);
  }
  return kept;
}

MatrixXd matrix_of(const Tree& tree, const ContactWorkspace& room, const std::vector<int>& rows) {
  MatrixXd G(static_cast<Eigen::Index>(rows.size()), tree.nv);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (int k = 0; k < tree.nv; ++k) {
      G(static_cast<Eigen::Index>(i), k) = room.solver.entry(rows[i], k);
    }
  }
  return G;
}

/// [H -G^T; G 0] (x, lambda) = (f, gamma)
void solve_direct(const MatrixXd& H, const MatrixXd& G, const VectorXd& f, const VectorXd& gamma,
                  VectorXd& x, VectorXd& lambda) {
  const Eigen::Index n = H.rows(), r = G.rows();
  MatrixXd K = MatrixXd::Zero(n + r, n + r);
  K.topLeftCorner(n, n) = H;
  K.topRightCorner(n, r) = -G.transpose();
  K.bottomLeftCorner(r, n) = G;
  VectorXd right(n + r);
  right << f, gamma;
  const VectorXd both = math::solve_lu(K, right);
  x = both.head(n);
  lambda = both.tail(r);
}

/// G^T = [Y Z] [R; 0]:  x = Y R^-T gamma + Z z,  Z^T H Z z = Z^T (f - H Y R^-T gamma),
/// R lambda = Y^T (H x - f)
void solve_null_space(const MatrixXd& H, const MatrixXd& G, const VectorXd& f,
                      const VectorXd& gamma, VectorXd& x, VectorXd& lambda) {
  const Eigen::Index n = H.rows(), r = G.rows();
  const auto qr = math::qr_factors(G.transpose());
  const MatrixXd Y = qr.Q.leftCols(r), Z = qr.Q.rightCols(n - r), R = qr.R.topRows(r);
  const VectorXd along = math::solve_upper_transpose(R, gamma);
  x = Y * along;
  if (n > r) {
    const VectorXd rest = f - H * x;
    const MatrixXd HZ = H * Z, small = Z.transpose() * HZ;
    const VectorXd right = Z.transpose() * rest;
    const VectorXd z = math::solve_lu(small, right);
    x += Z * z;
  }
  const VectorXd needed = H * x - f;
  const VectorXd projected = Y.transpose() * needed;
  lambda = math::solve_upper(R, projected);
}

}  // namespace

void solve_contacts_densely(const Tree& tree, ContactMethod method, ConstVec q, Workspace& ws,
                            ContactWorkspace& room, Vec x) {
  const std::vector<int> kept = kept_rows(room);
  const MatrixXd G = matrix_of(tree, room, kept);
  VectorXd gamma(G.rows()), lambda, result;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    gamma[static_cast<Eigen::Index>(i)] = room.gamma[kept[i]];
  }
  const VectorXd f = Eigen::Map<const VectorXd>(x.data(), tree.nv);
  if (method == ContactMethod::kKokkevis) {
    // The motion without contacts, and what a unit force in each of them adds.
    result = f;
    solve_by_articulated_bodies(tree, q, ws, {result.data(), x.size()});
    MatrixXd response = G.transpose();
    for (Eigen::Index i = 0; i < G.rows(); ++i) {
      solve_by_articulated_bodies(tree, q, ws, {response.col(i).data(), x.size()});
    }
    const MatrixXd A = G * response;
    const VectorXd right = gamma - G * result;
    lambda = math::solve_lu(A, right);
    result += response * lambda;
  } else {
    update_mass_matrix(tree, ws);
    const MatrixXd H = Eigen::Map<const RowMajor>(ws.H.data(), tree.nv, tree.nv);
    if (method == ContactMethod::kDirect) {
      solve_direct(H, G, f, gamma, result, lambda);
    } else {
      solve_null_space(H, G, f, gamma, result, lambda);
    }
  }
  std::copy(result.begin(), result.end(), x.begin());
  std::fill(room.lambda.begin(), room.lambda.end(), 0.0);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    room.lambda[kept[i]] = lambda[static_cast<Eigen::Index>(i)];
  }
}

void least_forces(ContactWorkspace& room, std::vector<double>& lambda) {
  // With G_D = C G_K of the rows left out and kept, lambda_K - C^T mu and mu have the effect of
  // lambda_K whatever mu is:  (1 + C C^T) mu = C lambda_K.  Forces and moments alike: N and N m are
  // not scaled against each other.
  const auto n = static_cast<Eigen::Index>(lambda.size());
  const auto dropped = static_cast<Eigen::Index>(room.redundant.size());
  Eigen::Map<MatrixXd> C(room.combinations.data(), n, dropped);  // of C^T, column by column
  for (Eigen::Index d = 0; d < dropped; ++d) {
    room.solver.combination(room.redundant[d], C.col(d).data());
  }
  Eigen::Map<MatrixXd> normal(room.normal.data(), dropped, dropped);
  normal.noalias() = C.transpose().lazyProduct(C);
  normal.diagonal().array() += 1;
  const Eigen::LLT<Eigen::Ref<MatrixXd>> factors(normal);
  Eigen::Map<VectorXd> all(lambda.data(), n), mu(room.gamma.data(), dropped);
  mu.noalias() = C.transpose().lazyProduct(all);
  factors.solveInPlace(mu);
  all.noalias() -= C.lazyProduct(mu);
  for (Eigen::Index d = 0; d < dropped; ++d) all[room.redundant[d]] = mu[d];
}

}  // namespace parfait::tree
