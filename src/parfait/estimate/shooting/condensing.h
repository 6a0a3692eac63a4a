#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "parfait/estimate/problem/problem.h"

namespace parfait::estimate {

/// The linearized matching condition of an interval, for increments of its two nodes:
///
///   ds_{i+1} = H ds_i + P dtheta + h,      h = y(tau_{i+1}; s_i) - s_{i+1}
///
/// s_0 holds only what is free in the first node: H of the first interval may have fewer columns.
struct Matching {
  Eigen::MatrixXd H, P;
  Eigen::VectorXd h;
};

/// All nodes as affine functions of few variables w and of the parameters theta:
///
///   ds_i = T_i w + U_i dtheta + u_i
///
/// so that every matching condition holds for every w and theta. T and U are found once for a
/// linearization; u belongs to the values h and is found for each trial point.
///
///   Gauss       w = ds_0: T_{i+1} = H_i T_i, ... (Kraus 2006, (2.32)-(2.36), corrections.md). In an unstable
///               model T grows like the solutions do, and what the data say about the end is lost.
///   orthogonal  w is what is left of (w, ds_{i+1}) after an LQ factorization of each matching
///               condition, so that all T_i together have orthonormal columns and cannot grow.
///
/// Growth and orthogonality are those of states in units of their own (`NodeUnits`): a prey counted
/// in millions does not grow out of a predator counted in tons.
///
/// See  docs/theory/condensing.md (C1 - C6)
class Condenser {
 public:
  /// Sizes of what is free in the first node and of the states of all others; empty: all 1.
  struct NodeUnits {
    Eigen::VectorXd first, node;
  };
  /// `kAutomatic` takes Gauss unless a T_i is more than 1e4 times larger than T_0, in these units.
  /// `num_first`: size of s_0.
  void factorize(int num_first, int num_theta, std::span<const Matching> matching,
                 Condensing method, const NodeUnits& units);
  void factorize(int num_first, int num_theta, std::span<const Matching> matching,
                 Condensing method) {
    factorize(num_first, num_theta, matching, method, {});
  }

  int num_variables() const { return num_w_; }
  int num_nodes() const { return static_cast<int>(T_.size()); }
  Condensing method() const { return method_; }
  double growth() const { return growth_; }  ///< largest |T_i| / |T_0| of Gauss

  const Eigen::MatrixXd& T(int node) const { return T_[static_cast<std::size_t>(node)]; }
  const Eigen::MatrixXd& U(int node) const { return U_[static_cast<std::size_t>(node)]; }

  /// u_i of all nodes for the values h_i of a point.
  std::vector<Eigen::VectorXd> shift(std::span<const Matching> matching,
                                     std::span<const Eigen::VectorXd> h) const;

 private:
  void eliminate_gauss(std::span<const Matching> matching, const NodeUnits& units);
  void eliminate_orthogonal(std::span<const Matching> matching, const NodeUnits& units);

  /// One stage of the orthogonal elimination: (w, ds) = Z w' - inverse * right-hand side.
  struct Stage {
    Eigen::MatrixXd Z_w, Z_s;              ///< orthonormal null space of (H S, -I), Z_s with units
    Eigen::MatrixXd inverse_w, inverse_s;  ///< its generalized inverse
  };

  Condensing method_ = Condensing::kGauss;
  int num_w_ = 0, num_theta_ = 0;
  double growth_ = 1;
  Eigen::VectorXd first_units_;
  std::vector<Eigen::MatrixXd> T_, U_;
  std::vector<Stage> stages_;
};

}  // namespace parfait::estimate
