#pragma once

#include <Eigen/Core>

namespace parfait::estimate {

using VecIn = const Eigen::Ref<const Eigen::VectorXd>&;
using MatIn = const Eigen::Ref<const Eigen::MatrixXd>&;

/// The right-hand sides of a Block: of its data b, equations c and inequalities e.
struct RightSide {
  Eigen::VectorXd b, c, e;
};

/// The linearized equations of one experiment in its own condensed variables xi and in the shared
/// parameters p; both are increments, scaled:
///
///   min |A xi + B p + b|   s.t.   C xi + D p + c = 0,   E xi + F p + e >= 0
///
/// What concerns the shared parameters alone (bounds, priors, constraints) is a block without xi.
struct Block {
  Eigen::MatrixXd A, B;  ///< data, weighted with 1/sigma
  Eigen::MatrixXd C, D;  ///< equations
  Eigen::MatrixXd E, F;  ///< inequalities
  RightSide right;

  Eigen::Index num_local() const { return A.cols(); }
  Eigen::Index num_shared() const { return B.cols(); }

  /// All matrices zero.
  static Block zero(Eigen::Index num_local, Eigen::Index num_shared, Eigen::Index data,
                    Eigen::Index equations, Eigen::Index inequalities);
};

}  // namespace parfait::estimate
