#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "parfait/mbs/build/test_state.h"
#include "parfait/mbs/model.h"
#include "testing/dense_model.h"
#include "testing/model_gallery.h"
#include "testing/random_models.h"

// Redundant constraints: how many, which, and that nobody notices when the choice changes.
namespace parfait::mbs {
namespace {

using Eigen::VectorXd;
using testing_support::DenseModel;

struct Count {
  std::string name;
  Description description;
  int dof, redundant;
};

std::vector<Count> counts() {
  return {{"four-bar", testing_support::four_bar(), 1, 3},
          {"Bricard", testing_support::bricard(), 1, 1},
          // In the plane: 5 n angles, two conditions close the polygon.
          {"loop(1)", testing_support::loop(1), 3, 3},
          {"loop(2)", testing_support::loop(2), 8, 3},
          {"hexapod", testing_support::hexapod(), 6, 0},
          {"chain", testing_support::revolute_chain(7), 7, 0},
          {"ball chain", testing_support::spherical_chain(5), 15, 0},
          {"tree", testing_support::tree(3), 9, 0},
          {"skate", testing_support::skate(), 2, 0},
          {"constant speed", testing_support::constant_speed_pair(), 11, 0}};
}

TEST(Partition, CountsDegreesOfFreedomAndRedundantRows) {
  for (const auto& c : counts()) {
    const Model model(c.description);
    EXPECT_EQ(model.degrees_of_freedom(), c.dof) << c.name;
    EXPECT_EQ(static_cast<int>(model.redundant_rows().size()), c.redundant) << c.name;
  }
}

TEST(Partition, CountsAsTheRankOfTheDenseJacobianDoes) {
  for (const auto& c : counts()) {
    const Model model(c.description);
    const DenseModel dense(c.description);
    const VectorXd y = start_state(model);
    const auto n = dense.nq();
    const auto rank =
        testing_support::independent_rows(dense.G(0, y.head(n), y.segment(n, n)), 1e-8).size();
    EXPECT_EQ(model.degrees_of_freedom(), n - static_cast<int>(rank)) << c.name;
  }
}

TEST(Partition, ReportsTheDroppedRowsByIndexAndName) {
  const Model model(testing_support::four_bar());
  auto ws = model.make_workspace(0);
  rates(model, *ws, 0, start_state(model));
  const auto partition = model.partition(*ws);
  ASSERT_EQ(partition.dropped.size(), 3u);
  EXPECT_GT(partition.smallest_kept_pivot, 1e-5);
  std::vector<std::string> names;
  for (int row : partition.dropped) names.push_back(model.row_name(row));
  EXPECT_EQ(names, model.redundant_rows());
  for (const auto& row : names) {
    // Everything out of the plane is said more than once: y of the pivots and the axes.
    EXPECT_TRUE(row.ends_with(".B0_y") || row.find(".DDX(") != std::string::npos) << row;
  }
}

/// Where the choice of dropped rows changed while a mechanism moved.
struct Journey {
  int changes = 0;
  double worst_bend = 0;        ///< largest second difference of the accelerations / h^2
  double worst_bend_there = 0;  ///< likewise where the choice changed
  double worst_residual = 0;    ///< of dropped rows
  double worst_difference = 0;  ///< of accelerations from the dense ones where the choice changed
};

Journey travel(const Description& d, double rank_tolerance, double h, int steps) {
  const Model model(d);
  const DenseModel dense(d);
  const int nq = model.sizes().nq;
  auto ws = model.make_workspace(0);
  Model::set_rank_tolerance(*ws, rank_tolerance);
  VectorXd y = start_state(model);
  Journey out;
  std::vector<VectorXd> a;
  std::vector<std::vector<int>> dropped;
  for (int i = 0; i < steps; ++i) {
    a.push_back(rates(model, *ws, i * h, y).segment(nq, nq));
    const auto partition = model.partition(*ws);
    dropped.push_back(partition.dropped);
    out.worst_residual = std::max(out.worst_residual, partition.largest_residual);
    const std::size_t n = a.size();
    const bool changed = n >= 2 && dropped[n - 1] != dropped[n - 2];
    if (changed) {
      ++out.changes;
      const testing_support::State s{0, y.head(nq), y.segment(nq, nq), VectorXd()};
      out.worst_difference =
          std::max(out.worst_difference, relative_difference(a.back(), dense.solve(s).a));
    }
    if (n >= 3) {
      const double bend = (a[n - 1] - 2 * a[n - 2] + a[n - 3]).cwiseAbs().maxCoeff() / (h * h);
      out.worst_bend = std::max(out.worst_bend, bend);
      if (changed || dropped[n - 2] != dropped[n - 3]) {
        out.worst_bend_there = std::max(out.worst_bend_there, bend);
      }
    }
    y = runge_kutta_step(model, *ws, i * h, h, y);
  }
  return out;
}

/// The four-bar on a platform that turns about z: the row its plane makes redundant is B0_y of the
/// closing joint, except where the plane's normal passes the world's x, where it is B0_x.
Description turning_four_bar(double rate) {
  auto d = testing_support::four_bar();
  Body platform;
  platform.id = "platform";
  for (int i = 0; i < 3; ++i) platform.inertia[i][i] = 20.0;
  d.bodies.push_back(platform);
  for (auto& body : d.bodies) {
    const Number3 v = body.v.value_or(Number3{0, 0, 0});
    const Number3 w = body.omega.value_or(Number3{0, 0, 0});
    body.v = Number3{v[0] - rate * body.o[1], v[1] + rate * body.o[0], v[2]};
    body.omega = Number3{w[0], w[1], w[2] + rate};
  }
  for (auto& joint : d.joints) {
    for (Marker* marker : {&joint.begin, &joint.end}) {
      if (marker->body == kInertial) marker->body = "platform";
    }
  }
  Joint axle;
  axle.key = "Revolute";
  axle.id = "axle";
  axle.begin =
      testing_support::marker(kInertial, testing_support::axis_frame({0, 0, 0}, {0, 0, 1}));
  axle.end = testing_support::marker("platform", testing_support::axis_frame({0, 0, 0}, {0, 0, 1}));
  d.joints.push_back(axle);
  return d;
}

TEST(Partition, ChangesWhileAPlaneTurnsAndTheAccelerationsStaySmooth) {
  const auto journey = travel(turning_four_bar(2.0), 1e-3, 2e-3, 500);  // half a radian past x
  EXPECT_GE(journey.changes, 2);
  EXPECT_LT(journey.worst_residual, 1e-8);
  EXPECT_LT(journey.worst_difference, 1e-9);
  // A jump of size J would bend by J / h^2 = 2.5e5 J; measured 306, elsewhere the linkage whips.
  EXPECT_GT(journey.worst_bend_there, 0);
  EXPECT_LT(journey.worst_bend_there, 400);
}

TEST(Partition, BricardKeepsItsPartitionForTenSeconds) {
  const auto journey = travel(testing_support::bricard(), 1e-3, 4e-3,
                              2500);  // tolerance of Kraus 2006, section 12.3
  EXPECT_LT(journey.worst_residual, 1e-8);
  EXPECT_LT(journey.worst_bend, 100);
}

/// Parallelogram 1, 2, 1 on pivots 2 m apart, stretched on the x axis; the cranks turn with the
/// given rates about -y. Any two rates fit the velocities there, only equal ones the motion.
Description stretched(double first, double second, double angle = 0) {
  auto d = testing_support::four_bar();
  const double lengths[] = {1, 2, 1};
  const double c = std::cos(angle), s = std::sin(angle);
  // Coupler from the tip of the first crank; the third body from there back to the second pivot.
  const Number3 o[] = {{0, 0, 0}, {c, 0, s}, {2 + c, 0, s}};
  const double phi[] = {angle, 0, angle + M_PI};
  const double rate[] = {first, (second - first) / 2, second};
  const Number3 v[] = {{0, 0, 0}, {-first * s, 0, first * c}, {-second * s, 0, second * c}};
  for (int k = 0; k < 3; ++k) {
    Body& body = d.bodies[k];
    body.o = o[k];
    body.x = {std::cos(phi[k]), 0, std::sin(phi[k])};
    body.z = {-std::sin(phi[k]), 0, std::cos(phi[k])};
    body.v = v[k];
    body.omega = Number3{0, -rate[k], 0};
    body.center_of_mass = {0.5 * lengths[k], 0.0, 0.0};
    d.joints[k + 1].begin.frame.o = {lengths[k], 0.0, 0.0};
  }
  return d;
}

TEST(Partition, ReportsAContradictionAtASingularPosition) {
  for (double second : {1.0, 0.3}) {
    const Model model(stretched(1, second));
    EXPECT_LT(model.assembly().velocity_change, 1e-12);
    EXPECT_EQ(model.degrees_of_freedom(), 2);  // one more than anywhere else
    auto ws = model.make_workspace(0);
    rates(model, *ws, 0, start_state(model));
    const auto partition = model.partition(*ws);
    EXPECT_EQ(partition.dropped.size(), 4u);
    if (second == 1.0) {
      EXPECT_LT(partition.largest_residual, 1e-10);  // the parallelogram passes
    } else {
      EXPECT_GT(partition.largest_residual, 0.1);
    }
  }
}

TEST(Partition, DropsWhatTheRankToleranceSays) {
  const Model model(stretched(1, 1)), bent(stretched(1, 1, 0.02));
  auto ws = model.make_workspace(0);
  const VectorXd y = start_state(bent);
  EXPECT_LT(bent.assembly().moved, 1e-12);
  Model::set_rank_tolerance(*ws, 1e-9);
  rates(model, *ws, 0, y);
  const auto fine = model.partition(*ws);
  EXPECT_EQ(fine.dropped.size(), 3u);
  EXPECT_LT(fine.smallest_kept_pivot, 1e-2);
  Model::set_rank_tolerance(*ws, 2 * fine.smallest_kept_pivot);
  rates(model, *ws, 0, y);
  const auto coarse = model.partition(*ws);
  EXPECT_EQ(coarse.dropped.size(), 4u);
  EXPECT_GT(coarse.smallest_kept_pivot, fine.smallest_kept_pivot);
}

TEST(Partition, KeepsTheRowOfASingularPositionUntilRoundingForbidsIt) {
  const Model model(stretched(1, 1, 0.5));  // assembled where three rows are redundant
  auto ws = model.make_workspace(0);
  const int nq = model.sizes().nq;
  for (double angle : {5e-4, 1e-4}) {  // pivots 6 angle^2: below the tolerance of 1e-5
    const auto d = stretched(1, 1, angle);
    const VectorXd y = start_state(Model(d));
    const VectorXd a = rates(model, *ws, 0, y).segment(nq, nq);
    const auto partition = model.partition(*ws);
    EXPECT_EQ(partition.dropped.size(), 3u);
    EXPECT_LT(partition.smallest_kept_pivot, 1e-5);
    const DenseModel dense(d, {}, {.rank_tolerance = 1e-6});
    const testing_support::State s{0, y.head(nq), y.segment(nq, nq), VectorXd()};
    EXPECT_LT(relative_difference(a, dense.solve(s).a), 1e-9);
  }
  rates(model, *ws, 0, start_state(Model(stretched(1, 1, 1e-5))));
  EXPECT_EQ(model.partition(*ws).dropped.size(), 4u);
}

TEST(Partition, RowOfASingularPositionIsLeftOutAndItsResidualReported) {
  const Model model(stretched(1, 1, 0.5));
  auto ws = model.make_workspace(0);
  const auto project = [&](double second_rate, VectorXd y) {
    const int nq = model.sizes().nq;
    y.tail(nq) = start_state(Model(stretched(1, second_rate))).tail(nq);
    return model.project(*ws, 0, view(y), dynamics::Norm::kMass, 1e-12);
  };
  const VectorXd y = start_state(Model(stretched(1, 1, 1e-5)));
  const auto close = project(1.001, y);  // measured 1e-8: angle times the difference of the rates
  EXPECT_EQ(close.status, dynamics::Status::kOk);
  EXPECT_GT(close.residual, 1e-10);
  EXPECT_LT(close.residual, 6e-8);
  EXPECT_EQ(project(2, y).status, dynamics::Status::kProjectionFailed);
  // Where the row is kept it is corrected, however small its pivot.
  const auto kept = project(1.001, start_state(Model(stretched(1, 1, 1e-3))));
  EXPECT_EQ(kept.status, dynamics::Status::kOk);
  EXPECT_LE(kept.residual, 1e-12);
}

TEST(Partition, ReportsAContradictionInInconsistentVelocities) {
  const Model model(testing_support::bricard());
  auto ws = model.make_workspace(0);
  VectorXd y = start_state(model);
  rates(model, *ws, 0, y);
  EXPECT_LT(model.partition(*ws).largest_residual, 1e-10);
  y.tail(model.sizes().nv).setConstant(0.5);  // nothing moves like this
  rates(model, *ws, 0, y);
  EXPECT_GT(model.partition(*ws).largest_residual, 1e-2);
}

TEST(Partition, ReportsNothingForATree) {
  const Model model(testing_support::tree(2));
  auto ws = model.make_workspace(0);
  rates(model, *ws, 0, start_state(model));
  const auto partition = model.partition(*ws);
  EXPECT_TRUE(partition.dropped.empty());
  EXPECT_EQ(partition.largest_residual, 0);
  EXPECT_TRUE(model.redundant_rows().empty());
}

}  // namespace
}  // namespace parfait::mbs
