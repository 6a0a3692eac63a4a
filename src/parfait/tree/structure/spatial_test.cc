#include "parfait/tree/structure/spatial.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "parfait/tree/algorithms/test_trees.h"

namespace parfait::tree {
namespace {

/// A number that counts what is done with it.
struct Counted {
  double x = 0;
  static inline int products = 0, sums = 0;
  Counted() = default;
  Counted(double value) : x(value) {}  // NOLINT(google-explicit-constructor)
  friend Counted operator*(Counted a, Counted b) {
    ++products;
    return a.x * b.x;
  }
  friend Counted operator+(Counted a, Counted b) {
    ++sums;
    return a.x + b.x;
  }
  friend Counted operator-(Counted a, Counted b) {
    ++sums;
    return a.x - b.x;
  }
  friend Counted operator-(Counted a) { return -a.x; }
};

template <class Call>
std::pair<int, int> operations(const Call& call) {
  Counted::products = Counted::sums = 0;
  call();
  return {Counted::products, Counted::sums};
}

TEST(Spatial, OperationsAreThoseOfStructuredForms) {
  const Transform<Counted> X;
  const Motion<Counted> v;
  const Force<Counted> f;
  const Inertia<Counted> I;
  using Pair = std::pair<int, int>;
  EXPECT_EQ(operations([&] { in_child(X, v); }), Pair(24, 18));
  EXPECT_EQ(operations([&] { in_parent(X, v); }), Pair(24, 18));
  EXPECT_EQ(operations([&] { in_child(X, f); }), Pair(24, 18));
  EXPECT_EQ(operations([&] { in_parent(X, f); }), Pair(24, 18));
  EXPECT_EQ(operations([&] { X* X; }), Pair(33, 24));
  EXPECT_EQ(operations([&] { I + I; }), Pair(0, 10));
  EXPECT_EQ(operations([&] { in_child(X, I); }), Pair(52, 52));  // Felis 2015: 52/56
  EXPECT_EQ(operations([&] { in_parent(X, I); }), Pair(52, 52));
}

using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

Eigen::Vector3d vec(const Vec3<double>& a) {
  return {a.x, a.y, a.z};
}
Eigen::Matrix3d mat(const Mat3<double>& R) {
  Eigen::Matrix3d M;
  M << vec(R.x), vec(R.y), vec(R.z);
  return M;
}
Eigen::Matrix3d mat(const Sym3<double>& A) {
  Eigen::Matrix3d M;
  M << A.xx, A.xy, A.xz, A.xy, A.yy, A.yz, A.xz, A.yz, A.zz;
  return M;
}
Eigen::Matrix3d skew(const Vec3<double>& a) {
  Eigen::Matrix3d M;
  M << 0, -a.z, a.y, a.z, 0, -a.x, -a.y, a.x, 0;
  return M;
}
Vector6 stack(const Vec3<double>& a, const Vec3<double>& b) {
  Vector6 s;
  s << vec(a), vec(b);
  return s;
}
/// Takes motions from A to B: [E 0; -E r^x E] with E = R^T (Featherstone 2008, (2.24)).
Matrix6 pluecker(const Transform<double>& X_AB) {
  const Eigen::Matrix3d E = mat(X_AB.R).transpose();
  const Eigen::Matrix3d lower = -E * skew(X_AB.p);
  Matrix6 X;
  X << E, Eigen::Matrix3d::Zero(), lower, E;
  return X;
}
/// [I h^x; -h^x m 1]; I = I_C + m c^x c^xT.
Matrix6 dense(const Inertia<double>& I) {
  Matrix6 M;
  M << mat(I.I), skew(I.h), -skew(I.h), I.m * Eigen::Matrix3d::Identity();
  return M;
}
Matrix6 motion_cross(const Motion<double>& v) {
  Matrix6 M;
  M << skew(v.omega), Eigen::Matrix3d::Zero(), skew(v.v), skew(v.omega);
  return M;
}

class SpatialMatrices : public ::testing::Test {
 public:
  const Transform<double> X_AB{test_rotation(0.3, -0.7, 1.1), {0.4, -1.2, 0.8}};
  const Transform<double> X_BC{test_rotation(-1.3, 0.2, 0.5), {-0.3, 0.5, 0.9}};
  const Motion<double> v{{0.3, -0.4, 1.2}, {0.7, 0.2, -0.6}};
  const Motion<double> m{{-0.9, 0.1, 0.5}, {0.2, -1.1, 0.4}};
  const Force<double> f{{1.3, 0.4, -0.2}, {-0.5, 0.9, 0.6}};
  const Inertia<double> I =
      inertia_about_origin<double>(2.3, {0.1, -0.3, 0.2}, {0.5, 0.7, 0.6, 0.05, -0.02, 0.08});
};

TEST_F(SpatialMatrices, TransformsAreThoseOfSixBySixMatrices) {
  const Matrix6 X = pluecker(X_AB), Xf = X.inverse().transpose();
  const auto close = [](const Vector6& a, const Vector6& b) { return (a - b).norm() < 1e-14; };
  const Motion<double> child = in_child(X_AB, v), parent = in_parent(X_AB, v);
  EXPECT_TRUE(close(stack(child.omega, child.v), X * stack(v.omega, v.v)));
  EXPECT_TRUE(close(stack(parent.omega, parent.v), X.inverse() * stack(v.omega, v.v)));
  const Force<double> fc = in_child(X_AB, f), fp = in_parent(X_AB, f);
  EXPECT_TRUE(close(stack(fc.n, fc.f), Xf * stack(f.n, f.f)));
  EXPECT_TRUE(close(stack(fp.n, fp.f), X.transpose() * stack(f.n, f.f)));
  EXPECT_LT((pluecker(X_AB * X_BC) - pluecker(X_BC) * X).norm(), 1e-14);
  EXPECT_LT((pluecker(inverse(X_AB)) - X.inverse()).norm(), 1e-14);
}

TEST_F(SpatialMatrices, InertiasAreThoseOfSixBySixMatrices) {
  const Eigen::Matrix3d c = skew({0.1, -0.3, 0.2});
  const Eigen::Matrix3d about = mat(Sym3<double>{0.5, 0.7, 0.6, 0.05, -0.02, 0.08});
  EXPECT_LT((mat(I.I) - (about + 2.3 * c * c.transpose())).norm(), 1e-15);
  const Matrix6 X = pluecker(X_AB), M = dense(I);
  // I_B = X* I_A X^-1 with X from A to B.
  const Matrix6 Xi = X.inverse();
  EXPECT_LT((dense(in_child(X_AB, I)) - Xi.transpose() * M * Xi).norm(), 1e-13);
  EXPECT_LT((dense(in_parent(X_AB, I)) - X.transpose() * M * X).norm(), 1e-13);
  const Force<double> momentum = I * v;
  EXPECT_LT((stack(momentum.n, momentum.f) - M * stack(v.omega, v.v)).norm(), 1e-14);
}

TEST_F(SpatialMatrices, CrossProductsAreThoseOfSixBySixMatrices) {
  const Motion<double> vm = cross(v, m);
  EXPECT_LT((stack(vm.omega, vm.v) - motion_cross(v) * stack(m.omega, m.v)).norm(), 1e-15);
  const Force<double> vf = cross(v, f);
  EXPECT_LT((stack(vf.n, vf.f) + motion_cross(v).transpose() * stack(f.n, f.f)).norm(), 1e-15);
}

}  // namespace
}  // namespace parfait::tree
