#pragma once

#include <Eigen/Core>

#include "parfait/math/directions.h"

/// Directions as dense matrices: entry (row, direction) is entry (row, column).
namespace parfait::math {

Eigen::MatrixXd to_matrix(const Directions& from);

/// Sizes are alike.
void copy(const Directions& from, Eigen::Ref<Eigen::MatrixXd> to);

/// `to` takes the size of the matrix.
void copy(const Eigen::Ref<const Eigen::MatrixXd>& from, Directions& to);

/// The first rows and columns of `to` as in the matrix; the others stay.
void copy_top_left(const Eigen::Ref<const Eigen::MatrixXd>& from, Directions& to);

}  // namespace parfait::math
