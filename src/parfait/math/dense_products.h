#pragma once

#include <Eigen/Core>
#include <type_traits>

/// Products of dense matrices of double, compiled once. Eigen writes a product out for every kind
/// of operands (a matrix, a block of one, a transpose, a multiple, constant or not), each with a
/// way for small matrices, one for large ones and two for vectors: half a second of compiling for
/// each kind in each target, a fifth of the whole build. Here every kind becomes a panel, pointer
/// and strides, and the work is done behind two plain functions. Whoever includes this header, as
/// the precompiled headers do, writes products as ever and gets these; others get Eigen's own,
/// which do the same.
namespace parfait::math {

/// A matrix in memory; its rows are contiguous if `by_rows`, else its columns.
struct Panel {
  const double* data;
  Eigen::Index rows, cols, stride;
  bool by_rows;

  Panel transpose() const { return {data, cols, rows, stride, !by_rows}; }
};
/// Entries `stride` apart in memory.
struct Entries {
  const double* data;
  Eigen::Index size, stride;
};

/// C += alpha A B, C by columns.
void add_product(double* C, Eigen::Index C_stride, double alpha, const Panel& A, const Panel& B);
/// y += alpha A x
void add_product(double* y, Eigen::Index y_stride, double alpha, const Panel& A, const Entries& x);

/// What dense_products.cc itself multiplies; for these Eigen's own products stand.
using ByColumns = Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>;
using ByRows = Eigen::Transpose<const ByColumns>;
template <typename T>
using WithoutFactor = std::remove_cvref_t<typename Eigen::internal::blas_traits<T>::ExtractType>;
template <typename T>
concept Operand =
    std::is_same_v<typename T::Scalar, double> && !std::is_same_v<WithoutFactor<T>, ByColumns> &&
    !std::is_same_v<WithoutFactor<T>, ByRows>;

/// The operand without its factor; an expression that is not in memory is evaluated first.
template <typename T>
typename Eigen::internal::blas_traits<T>::DirectLinearAccessType in_memory(const T& operand) {
  return Eigen::internal::blas_traits<T>::extract(operand);
}
template <typename T>
Panel panel(const T& matrix) {
  return {matrix.data(), matrix.rows(), matrix.cols(), matrix.outerStride(), T::IsRowMajor};
}

/// dst += alpha lhs rhs
template <typename Dst, typename Lhs, typename Rhs>
void add_product_to(Dst& dst, const Lhs& lhs, const Rhs& rhs, double alpha) {
  const auto& A = in_memory(lhs);
  const auto& B = in_memory(rhs);
  const double factor = Eigen::internal::combine_scalar_factors(alpha, lhs, rhs);
  if constexpr (Lhs::IsVectorAtCompileTime) {
    const Entries x{A.data(), A.size(), A.colStride()};
    add_product(dst.data(), dst.colStride(), factor, panel(B).transpose(), x);
  } else if constexpr (Rhs::IsVectorAtCompileTime) {
    const Entries x{B.data(), B.size(), B.rowStride()};
    add_product(dst.data(), dst.rowStride(), factor, panel(A), x);
  } else {
    static_assert(Dst::InnerStrideAtCompileTime == 1);
    const Panel a = Dst::IsRowMajor ? panel(B).transpose() : panel(A);
    const Panel b = Dst::IsRowMajor ? panel(A).transpose() : panel(B);
    add_product(dst.data(), dst.outerStride(), factor, a, b);
  }
}

}  // namespace parfait::math

// Eigen's dispatch, for matrices and for a vector: more constrained than its own, so chosen before
// it.
namespace Eigen::internal {

template <parfait::math::Operand Lhs, parfait::math::Operand Rhs>
struct generic_product_impl<Lhs, Rhs, DenseShape, DenseShape, GemmProduct>
    : generic_product_impl_base<
          Lhs, Rhs, generic_product_impl<Lhs, Rhs, DenseShape, DenseShape, GemmProduct>> {
  template <typename Dst>  // NOLINTNEXTLINE(readability-identifier-naming): Eigen's name
  static void scaleAndAddTo(Dst& dst, const Lhs& lhs, const Rhs& rhs, double alpha) {
    parfait::math::add_product_to(dst, lhs, rhs, alpha);
  }
};

template <parfait::math::Operand Lhs, parfait::math::Operand Rhs>
struct generic_product_impl<Lhs, Rhs, DenseShape, DenseShape, GemvProduct>
    : generic_product_impl_base<
          Lhs, Rhs, generic_product_impl<Lhs, Rhs, DenseShape, DenseShape, GemvProduct>> {
  template <typename Dst>  // NOLINTNEXTLINE(readability-identifier-naming): Eigen's name
  static void scaleAndAddTo(Dst& dst, const Lhs& lhs, const Rhs& rhs, double alpha) {
    parfait::math::add_product_to(dst, lhs, rhs, alpha);
  }
};

}  // namespace Eigen::internal
