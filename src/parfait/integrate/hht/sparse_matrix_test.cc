#include "parfait/integrate/hht/sparse_matrix.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>

namespace parfait::integrate {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using math::kLanes;
using math::Lane;

constexpr int kSize = 30;

/// Random contributions, several at one place, a diagonal that is partly missing.
struct Contributions {
  std::vector<int> rows, columns;
  std::vector<double> values;

  explicit Contributions(unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_int_distribution<int> place(0, kSize - 1);
    std::normal_distribution<double> value;
    for (int i = 0; i < kSize; ++i) add(i, (i + 7) % kSize, 3 + value(random));  // no zero column
    for (int i = 0; i < 4 * kSize; ++i) add(place(random), place(random), value(random));
    for (int i = 0; i < 5; ++i) add(rows[i], columns[i], value(random));
  }
  void add(int i, int j, double x) {
    rows.push_back(i);
    columns.push_back(j);
    values.push_back(x);
  }
  MatrixXd dense() const {
    MatrixXd A = MatrixXd::Zero(kSize, kSize);
    for (std::size_t i = 0; i < values.size(); ++i) A(rows[i], columns[i]) += values[i];
    return A;
  }
};

TEST(SparseMatrix, MultipliesAndSolvesAsTheDenseOneDoes) {
  Contributions from(1);
  SparseMatrix A(kSize, from.rows, from.columns);
  for (const double factor : {1.0, -0.5}) {  // the second time with other values in the same places
    for (std::size_t i = 0; i < from.values.size(); i += 3) from.values[i] *= factor;
    A.set(from.values);
    ASSERT_TRUE(A.factor());
    const MatrixXd dense = from.dense();
    VectorXd x = VectorXd::LinSpaced(kSize, -1, 2), y(kSize);
    A.multiply(x.data(), y.data());
    EXPECT_LT((y - dense * x).norm(), 1e-13);
    A.solve(y.data());
    EXPECT_LT((y - x).norm(), 1e-11);
    const std::vector<double> diagonal = A.diagonal();
    EXPECT_EQ((VectorXd::Map(diagonal.data(), kSize) - dense.diagonal()).norm(), 0);
  }
}

TEST(SparseMatrix, LanesAreColumns) {
  const Contributions from(2);
  SparseMatrix A(kSize, from.rows, from.columns);
  A.set(from.values);
  ASSERT_TRUE(A.factor());
  std::vector<Lane> x(kSize), y(kSize);
  for (int i = 0; i < kSize; ++i) {
    for (int k = 0; k < kLanes; ++k) x[i][k] = std::sin(1.0 + 3 * i + k);
  }
  A.multiply(x.data(), y.data());
  for (int k = 0; k < kLanes; ++k) {
    VectorXd column(kSize), product(kSize);
    for (int i = 0; i < kSize; ++i) column[i] = x[i][k];
    A.multiply(column.data(), product.data());
    for (int i = 0; i < kSize; ++i) EXPECT_EQ(y[i][k], product[i]);
  }
  A.solve(y.data());
  for (int i = 0; i < kSize; ++i) {
    for (int k = 0; k < kLanes; ++k) EXPECT_NEAR(y[i][k], x[i][k], 1e-12);
  }
}

TEST(SparseMatrix, SaysThatItIsSingular) {
  const std::vector<int> rows{0, 1, 0, 1}, columns{0, 0, 1, 1};
  SparseMatrix A(2, rows, columns);
  A.set(std::vector<double>{1, 2, 2, 4});
  EXPECT_FALSE(A.factor());
  A.set(std::vector<double>{1, 2, 2, 5});
  EXPECT_TRUE(A.factor());
  SparseMatrix empty_column(2, std::vector<int>{0, 1}, std::vector<int>{0, 0});
  empty_column.set(std::vector<double>{1, 1});
  EXPECT_FALSE(empty_column.factor());
}

}  // namespace
}  // namespace parfait::integrate
