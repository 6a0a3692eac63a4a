#include "parfait/estimate/statistics/identifiability.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "parfait/estimate/statistics/combination_name.h"
#include "parfait/estimate/statistics/sparse_basis.h"
#include "parfait/math/dense_solves.h"

namespace parfait::estimate {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// The input that belongs to a Jacobian in scaled unknowns, one experiment per block of rows.
IdentifiabilityInput input_of(const std::vector<std::string>& names, const VectorXd& p,
                              const VectorXd& dp_dx, const std::vector<MatrixXd>& blocks) {
  const auto n = static_cast<Index>(names.size());
  IdentifiabilityInput in{.names = names,
                          .values = p,
                          .dp_dx = dp_dx,
                          .is_log = std::vector<bool>(names.size(), false),
                          .undetermined = {},
                          .correlation = {},
                          .experiments = {},
                          .column_norms = MatrixXd(static_cast<Index>(blocks.size()), n)};
  MatrixXd J(0, n);
  for (std::size_t e = 0; e < blocks.size(); ++e) {
    in.experiments.push_back("run" + std::to_string(e + 1));
    in.column_norms.row(static_cast<Index>(e)) = blocks[e].colwise().norm();
    MatrixXd more(J.rows() + blocks[e].rows(), n);
    more << J, blocks[e];
    J = more;
  }
  const auto [values, V] = math::symmetric_eigen_pairs(math::gram(J));
  const auto unseen = (values.array() < 1e-13 * values[n - 1]).count();
  in.undetermined = V.leftCols(unseen);
  MatrixXd C = MatrixXd::Zero(n, n);
  for (Index k = unseen; k < n; ++k) C += V.col(k) * V.col(k).transpose() / values[k];
  in.correlation = C;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      const bool open =
          in.undetermined.row(i).norm() > 1e-5 || in.undetermined.row(j).norm() > 1e-5;
      in.correlation(i, j) = open ? NAN : C(i, j) / std::sqrt(C(i, i) * C(j, j));
    }
  }
  return in;
}

MatrixXd random_matrix(Index rows, Index cols, std::mt19937& random) {
  std::normal_distribution<double> normal;
  MatrixXd M(rows, cols);
  for (double& m : M.reshaped()) m = normal(random);
  return M;
}

TEST(Identifiability, NamesAProductAsAProduct) {
  // eta_i = k1 k2 f_i + c g_i.
  std::mt19937 random(1);
  const MatrixXd F = random_matrix(8, 2, random);
  const VectorXd p = Eigen::Vector3d(2, 0.3, 7), dp_dx = Eigen::Vector3d(2, 1, 7);
  MatrixXd J(8, 3);
  J << F.col(0) * p[1], F.col(0) * p[0], F.col(1);
  const auto result = diagnose(input_of({"k1", "k2", "c"}, p, dp_dx, {J * dp_dx.asDiagonal()}));
  ASSERT_EQ(result.findings.size(), 1u);
  const Finding& f = result.findings[0];
  EXPECT_EQ(f.kind, Finding::Kind::kCombination);
  EXPECT_EQ(f.parameters, (std::vector<std::string>{"k1", "k2"}));
  EXPECT_EQ(f.determined, (std::vector<std::string>{"k1*k2"}));
  EXPECT_EQ(f.text, "The data determine only k1*k2: k1 and k2 cannot be told apart.");
  // Along the direction nothing changes: k1 up by a share, k2 down by the same share.
  EXPECT_NEAR(f.directions(0, 0) / p[0], -f.directions(1, 0) / p[1], 1e-9);
  EXPECT_NEAR(std::abs(f.directions(0, 0) / p[0]), 1, 1e-9);
  EXPECT_FALSE(result.all_determined());
}

TEST(Identifiability, NamesWhatItSeesInEveryForm) {
  const std::vector<std::string> ab = {"a", "b"}, abc = {"a", "b", "c"};
  const std::vector<bool> lin2(2, false), lin3(3, false), log2(2, true);
  const Eigen::Vector2d p(2, 5);
  const auto name = [&](double wa, double wb) {
    return combination_name(ab, Eigen::Vector2d(wa, wb), p, lin2, 1e-4);
  };
  EXPECT_EQ(name(5, 2), "a*b");
  EXPECT_EQ(name(-5, 2), "a/b");
  EXPECT_EQ(name(5, -2), "a/b");
  EXPECT_EQ(name(10, 2), "a^2*b");
  EXPECT_EQ(name(2.5, -2), "a/b^2");
  EXPECT_EQ(name(3, 3), "a + b");
  EXPECT_EQ(name(1, -1), "a - b");
  EXPECT_EQ(name(-2, 1), "2*a - b");
  EXPECT_EQ(name(1, 0.31831), "a + 0.3183*b");
  EXPECT_EQ(name(-1, 31.831), "a - 31.83*b");
  const Eigen::Vector2d equal(1, 1);
  EXPECT_EQ(combination_name(ab, equal, equal, lin2, 1e-4), "a*b (or a + b)");
  EXPECT_EQ(combination_name(ab, equal, equal, log2, 1e-4), "a*b");
  EXPECT_EQ(
      combination_name(abc, Eigen::Vector3d(15, -10, -6), Eigen::Vector3d(2, 3, 5), lin3, 1e-4),
      "a/(b*c)");
  // At p = 0 there are no relative changes.
  EXPECT_EQ(combination_name(ab, equal, Eigen::Vector2d(0, 3), lin2, 1e-4), "a + b");
}

TEST(Identifiability, FindsAParameterWithoutInfluenceAndWhereOthersComeFrom) {
  std::mt19937 random(3);
  MatrixXd J1 = random_matrix(6, 4, random), J2 = random_matrix(6, 4, random);
  J1.col(2).setZero();
  J2.col(2).setZero();
  J2.col(1).setZero();
  const VectorXd one = VectorXd::Ones(4);
  const auto result = diagnose(input_of({"mass", "drag", "idle", "rate"}, one, one, {J1, J2}));
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, Finding::Kind::kNoInfluence);
  EXPECT_EQ(result.findings[0].text, "idle has no influence on any measurement.");
  ASSERT_EQ(result.sources.size(), 4u);
  EXPECT_TRUE(result.sources[2].shares.empty());
  ASSERT_EQ(result.sources[1].shares.size(), 1u);
  EXPECT_EQ(result.sources[1].shares[0].experiment, "run1");
  ASSERT_EQ(result.sources[0].shares.size(), 2u);
  EXPECT_NEAR(result.sources[0].shares[0].share + result.sources[0].shares[1].share, 1, 1e-14);
  EXPECT_GE(result.sources[0].shares[0].share, 0.5);
}

TEST(Identifiability, ReportsStrongCorrelationsStrongestFirst) {
  std::mt19937 random(4);
  MatrixXd J = random_matrix(30, 4, random);
  J.col(1) = J.col(0) + 0.05 * J.col(1);
  J.col(3) = -J.col(2) + 0.005 * J.col(3);
  const VectorXd one = VectorXd::Ones(4);
  const auto result = diagnose(input_of({"a", "b", "c", "d"}, one, one, {J}));
  ASSERT_EQ(result.findings.size(), 2u);
  EXPECT_EQ(result.findings[0].parameters, (std::vector<std::string>{"c", "d"}));
  EXPECT_EQ(result.findings[1].parameters, (std::vector<std::string>{"a", "b"}));
  EXPECT_GT(result.findings[0].correlation, 0.99);
  EXPECT_LT(result.findings[1].correlation, -0.99);
  EXPECT_TRUE(result.all_determined());
}

TEST(SparseBasis, SpansTheSameSpaceWithFewEntries) {
  std::mt19937 random(5);
  // Two spaces on disjoint places, mixed.
  MatrixXd B = MatrixXd::Zero(9, 3);
  B.col(0).segment(0, 3) << 1, -2, 0.5;
  B.col(1).segment(3, 4) << 1, 0, 3, 1;
  B.col(2).segment(3, 4) << 0, 1, -1, 2;
  const MatrixXd mixed = B * random_matrix(3, 3, random);
  const MatrixXd Q = math::qr_factors(mixed).Q.leftCols(3);
  const MatrixXd S = sparse_basis(Q, 1e-8);
  ASSERT_EQ(S.cols(), 3);
  EXPECT_LT((S - Q * (Q.transpose() * S)).norm(), 1e-12);
  const auto sets = tied_places(S);
  ASSERT_EQ(sets.size(), 2u);
  EXPECT_EQ(sets[0].places, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(sets[0].vectors.size(), 1u);
  EXPECT_EQ(sets[1].places, (std::vector<int>{3, 4, 5, 6}));
  EXPECT_EQ(sets[1].vectors.size(), 2u);
  const MatrixXd N = sparse_complement(Q, 1e-8);
  ASSERT_EQ(N.cols(), 6);
  EXPECT_LT((N.transpose() * Q).norm(), 1e-12);
  EXPECT_EQ(sparse_complement(MatrixXd(4, 0), 1e-8), MatrixXd::Identity(4, 4));
}

/// A random model eta = f(p): products and sums of planted groups act as one quantity, some
/// parameters are inert, the rest is free. The diagnosis must find exactly what was planted.
class PlantedModel {
 public:
  explicit PlantedModel(unsigned seed) : random_(seed) {
    const int groups = pick(0, 3), inert = pick(0, 2), free = pick(1, 5);
    for (int g = 0; g < groups; ++g) plant_group();
    for (int k = 0; k < inert; ++k) inert_.insert(add(MatrixXd::Zero(kRows, 1)));
    for (int k = 0; k < free; ++k) add(random_matrix(kRows, 1, random_));
    shuffle();
  }

  void check() const {
    const auto result = diagnose(input_of(names_, p_, dp_dx_, {J_.topRows(9), J_.bottomRows(9)}));
    std::set<std::string> found_inert;
    std::set<std::set<std::string>> found_groups;
    for (const Finding& f : result.findings) {
      const std::set<std::string> who(f.parameters.begin(), f.parameters.end());
      if (f.kind == Finding::Kind::kNoInfluence) {
        found_inert.insert(f.parameters[0]);
      } else {
        ASSERT_EQ(f.kind, Finding::Kind::kCombination) << f.text;
        found_groups.insert(who);
        ASSERT_EQ(f.determined.size(), 1u) << f.text;
        EXPECT_EQ(f.determined[0].find('*') != std::string::npos, products_.count(who) == 1)
            << f.text;
        EXPECT_EQ(f.directions.cols(), static_cast<Index>(who.size()) - 1);
      }
      for (const std::string& name : who) EXPECT_NE(f.text.find(name), std::string::npos);
    }
    EXPECT_EQ(found_inert, inert_);
    EXPECT_EQ(found_groups, groups_);
  }

 private:
  static constexpr int kRows = 18;

  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  double number() { return std::uniform_real_distribution<double>(0.2, 9.7)(random_); }

  std::string add(const MatrixXd& column_in_p) {
    std::string name;
    do {
      name.clear();
      for (int k = pick(3, 9); k > 0; --k) name += static_cast<char>('a' + pick(0, 25));
    } while (std::find(names_.begin(), names_.end(), name) != names_.end());
    const Index n = p_.size();
    names_.push_back(name);
    p_.conservativeResize(n + 1);
    dp_dx_.conservativeResize(n + 1);
    J_.conservativeResize(kRows, n + 1);
    if (next_p_ == 0) next_p_ = number();
    p_[n] = next_p_;
    next_p_ = 0;
    dp_dx_[n] = std::max(1.0, p_[n]);
    J_.col(n) = dp_dx_[n] * column_in_p;
    return name;
  }

  /// A group of m parameters that enter as their product or their sum only.
  void plant_group() {
    const int m = pick(2, 4);
    const bool product = pick(0, 1) == 1;
    const MatrixXd effect = random_matrix(kRows, 1, random_);
    std::set<std::string> who;
    for (int k = 0; k < m; ++k) {
      next_p_ = number();
      // d(p1 p2 ... pm) = (p1 p2 ... pm) sum dp_i / p_i.
      who.insert(add(product ? MatrixXd(effect / next_p_) : effect));
    }
    groups_.insert(who);
    if (product) products_.insert(who);
  }

  void shuffle() {
    std::vector<int> order(names_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    std::shuffle(order.begin(), order.end(), random_);
    std::vector<std::string> names;
    names.reserve(order.size());
    for (const int i : order) names.push_back(names_[static_cast<std::size_t>(i)]);
    names_ = names;
    p_ = VectorXd(p_(order));
    dp_dx_ = VectorXd(dp_dx_(order));
    J_ = MatrixXd(J_(Eigen::all, order));
  }

  std::mt19937 random_;
  std::vector<std::string> names_;
  VectorXd p_, dp_dx_;
  MatrixXd J_{kRows, 0};
  double next_p_ = 0;
  std::set<std::string> inert_;
  std::set<std::set<std::string>> groups_, products_;
};

TEST(Identifiability, FindsWhatWasPlantedInRandomModelsAndNothingElse) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    PlantedModel(seed).check();
    if (::testing::Test::HasFailure()) break;
  }
}

}  // namespace
}  // namespace parfait::estimate
