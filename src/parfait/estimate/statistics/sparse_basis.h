#pragma once

#include <Eigen/Core>
#include <vector>

#include "parfait/estimate/linear/block.h"

namespace parfait::estimate {

/// A basis of the space spanned by the columns of U that a person can read: reduced row echelon
/// form with complete pivoting. Each vector has the entry 1 at a place of its own where all others
/// are 0, and few other entries; entries below `tolerance` are 0 (of U orthonormal they are
/// rounding).
///
/// Law  If the space is a sum of spaces on disjoint sets of places, each vector lives on one set.
Eigen::MatrixXd sparse_basis(MatIn U, double tolerance);

/// The vectors orthogonal to the columns of U, as such a basis.
Eigen::MatrixXd sparse_complement(MatIn U, double tolerance);

/// Places that vectors of the basis tie together, directly or through others: each set ascending,
/// with the vectors that live on it. Places that no vector touches are in no set.
struct Tied {
  std::vector<int> places, vectors;
};
std::vector<Tied> tied_places(MatIn basis);

}  // namespace parfait::estimate
