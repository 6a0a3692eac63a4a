#include "parfait/math/dense_products.h"

namespace parfait::math {

namespace {

/// Calls `use` with the panel as Eigen's type.
template <typename Use>
void with_type(const Panel& panel, Use&& use) {
  const Eigen::OuterStride<> stride(panel.stride);
  if (panel.by_rows) {
    const ByColumns columns(panel.data, panel.cols, panel.rows, stride);
    use(columns.transpose());
  } else {
    use(ByColumns(panel.data, panel.rows, panel.cols, stride));
  }
}

}  // namespace

void add_product(double* C, Eigen::Index C_stride, double alpha, const Panel& A, const Panel& B) {
  Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>> result(C, A.rows, B.cols,
                                                              Eigen::OuterStride<>(C_stride));
  with_type(A, [&](const auto& a) {
    with_type(B, [&](const auto& b) { result.noalias() += alpha * a * b; });
  });
}

void add_product(double* y, Eigen::Index y_stride, double alpha, const Panel& A, const Entries& x) {
  using Stride = Eigen::InnerStride<>;
  Eigen::Map<Eigen::VectorXd, 0, Stride> result(y, A.rows, Stride(y_stride));
  const Eigen::Map<const Eigen::VectorXd, 0, Stride> vector(x.data, x.size, Stride(x.stride));
  with_type(A, [&](const auto& a) { result.noalias() += alpha * a * vector; });
}

}  // namespace parfait::math
