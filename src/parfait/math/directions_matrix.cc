#include "parfait/math/directions_matrix.h"

namespace parfait::math {

using Eigen::MatrixXd;

MatrixXd to_matrix(const Directions& from) {
  MatrixXd to(from.rows(), from.count());
  copy(from, to);
  return to;
}

void copy(const Directions& from, Eigen::Ref<MatrixXd> to) {
  assert(to.rows() == from.rows() && to.cols() == from.count());
  for (int j = 0; j < from.count(); ++j) {
    for (int i = 0; i < from.rows(); ++i) to(i, j) = from(i, j);
  }
}

void copy(const Eigen::Ref<const MatrixXd>& from, Directions& to) {
  to.resize(static_cast<int>(from.rows()), static_cast<int>(from.cols()));
  copy_top_left(from, to);
}

void copy_top_left(const Eigen::Ref<const MatrixXd>& from, Directions& to) {
  assert(from.rows() <= to.rows() && from.cols() <= to.count());
  for (int j = 0; j < from.cols(); ++j) {
    for (int i = 0; i < from.rows(); ++i) to(i, j) = from(i, j);
  }
}

}  // namespace parfait::math
