// What dense_algebra.h declares and dense_algebra.cc defines; read twice, so without a guard.
// Chosen by measurement: what most files instantiated, and what is large.

// The kernels behind products and triangular solves.
#define PARFAIT_KERNEL PARFAIT_INSTANTIATE struct Eigen::internal::
#define PARFAIT_TRAITS Eigen::internal::gebp_traits<double, double>
#define PARFAIT_IN(order) \
  Eigen::internal::const_blas_data_mapper<double, Eigen::Index, Eigen::order>
#define PARFAIT_OUT Eigen::internal::blas_data_mapper<double, Eigen::Index, Eigen::ColMajor, 0, 1>

PARFAIT_KERNEL gebp_kernel<double, double, Eigen::Index, PARFAIT_OUT, PARFAIT_TRAITS::mr,
                           PARFAIT_TRAITS::nr, false, false>;
#define PARFAIT_PACK_LEFT(order)                                                               \
  PARFAIT_KERNEL gemm_pack_lhs<double, Eigen::Index, PARFAIT_IN(order), PARFAIT_TRAITS::mr,    \
                               PARFAIT_TRAITS::LhsProgress, PARFAIT_TRAITS::LhsPacket4Packing, \
                               Eigen::order, false, false>
PARFAIT_PACK_LEFT(ColMajor);
PARFAIT_PACK_LEFT(RowMajor);
#undef PARFAIT_PACK_LEFT
PARFAIT_KERNEL gemm_pack_rhs<double, Eigen::Index, PARFAIT_IN(ColMajor), PARFAIT_TRAITS::nr,
                             Eigen::ColMajor, false, false>;
PARFAIT_KERNEL gemm_pack_rhs<double, Eigen::Index, PARFAIT_OUT, PARFAIT_TRAITS::nr, Eigen::ColMajor,
                             false, true>;
PARFAIT_INSTANTIATE void Eigen::internal::evaluateProductBlockingSizesHeuristic<
    double, double, 1, Eigen::Index>(Eigen::Index&, Eigen::Index&, Eigen::Index&, Eigen::Index);
PARFAIT_INSTANTIATE void Eigen::internal::evaluateProductBlockingSizesHeuristic<
    double, double, 4, Eigen::Index>(Eigen::Index&, Eigen::Index&, Eigen::Index&, Eigen::Index);

#define PARFAIT_PRODUCT(lhs, rhs)                                                               \
  PARFAIT_KERNEL general_matrix_matrix_product<Eigen::Index, double, Eigen::lhs, false, double, \
                                               Eigen::rhs, false, Eigen::ColMajor, 1>
PARFAIT_PRODUCT(ColMajor, ColMajor);
PARFAIT_PRODUCT(RowMajor, ColMajor);
#undef PARFAIT_PRODUCT

#define PARFAIT_TIMES_VECTOR(lhs, rhs, version)                                                   \
  PARFAIT_KERNEL general_matrix_vector_product<Eigen::Index, double, PARFAIT_IN(lhs), Eigen::lhs, \
                                               false, double, PARFAIT_IN(rhs), false, version>
PARFAIT_TIMES_VECTOR(ColMajor, ColMajor, 0);
PARFAIT_TIMES_VECTOR(ColMajor, RowMajor, 0);
PARFAIT_TIMES_VECTOR(RowMajor, ColMajor, 0);
PARFAIT_TIMES_VECTOR(RowMajor, RowMajor, 1);
#undef PARFAIT_TIMES_VECTOR

#define PARFAIT_TRIANGULAR_PRODUCT(mode, order)                                                  \
  PARFAIT_KERNEL                                                                                 \
  product_triangular_matrix_matrix<double, Eigen::Index, Eigen::mode, true, Eigen::order, false, \
                                   Eigen::ColMajor, false, Eigen::ColMajor, 1>
PARFAIT_TRIANGULAR_PRODUCT(Lower, ColMajor);
PARFAIT_TRIANGULAR_PRODUCT(UnitLower, ColMajor);
PARFAIT_TRIANGULAR_PRODUCT(Upper, RowMajor);
PARFAIT_TRIANGULAR_PRODUCT(UnitUpper, RowMajor);
#undef PARFAIT_TRIANGULAR_PRODUCT

#define PARFAIT_TRIANGULAR_SOLVE(mode)                                                        \
  PARFAIT_KERNEL triangular_solve_matrix<double, Eigen::Index, Eigen::OnTheLeft, Eigen::mode, \
                                         false, Eigen::ColMajor, Eigen::ColMajor, 1>;         \
  PARFAIT_KERNEL triangular_solve_vector<double, double, Eigen::Index, Eigen::OnTheLeft,      \
                                         Eigen::mode, false, Eigen::ColMajor>
PARFAIT_TRIANGULAR_SOLVE(Upper);
PARFAIT_TRIANGULAR_SOLVE(UnitLower);
#undef PARFAIT_TRIANGULAR_SOLVE
#undef PARFAIT_OUT
#undef PARFAIT_IN
#undef PARFAIT_TRAITS
#undef PARFAIT_KERNEL

// The reflections of an orthogonal factor.
PARFAIT_INSTANTIATE void Eigen::internal::apply_block_householder_on_the_left(
    Eigen::Block<Eigen::MatrixXd>&, const Eigen::Block<Eigen::MatrixXd>&,
    const Eigen::VectorBlock<const Eigen::VectorXd>&, bool);
PARFAIT_INSTANTIATE void
Eigen::MatrixBase<Eigen::Block<Eigen::MatrixXd>>::applyHouseholderOnTheLeft(
    const Eigen::VectorBlock<Eigen::Block<Eigen::MatrixXd, -1, 1, true>, -1>&, const double&,
    double*);
PARFAIT_INSTANTIATE void
Eigen::MatrixBase<Eigen::Block<Eigen::MatrixXd>>::applyHouseholderOnTheLeft(
    const Eigen::Block<const Eigen::MatrixXd, -1, 1, false>&, const double&, double*);
PARFAIT_INSTANTIATE void
Eigen::MatrixBase<Eigen::Block<Eigen::VectorXd, -1, -1, false>>::applyHouseholderOnTheLeft(
    const Eigen::Block<const Eigen::MatrixXd, -1, 1, false>&, const double&, double*);
