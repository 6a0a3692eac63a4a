#include "parfait/motion/poses/pose_solver.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <Eigen/Dense>
#include <cmath>
#include <cstring>

#include "parfait/motion/poses/test_skeletons.h"

namespace parfait::motion::pose_solver_test {
namespace {

class PoseSolverTest : public testing::Test {
 public:
  PoseSolverTest() : skeleton(make_walker()), plan(skeleton) {
    Geometry described(skeleton);
    bind(skeleton, described, geometry);
    weights.assign(skeleton.markers.size(), 1.0);
  }
  FramePose solve(const std::vector<double>& measured, const std::vector<double>& start,
                  const PoseOptions& options = {}) {
    PoseSolver solver(skeleton, plan, options);
    solver.bind(geometry);
    FramePose pose;
    pose.q = start;
    solver.solve(measured, weights, pose);
    return pose;
  }
  double objective(const std::vector<double>& measured, const std::vector<double>& q) const {
    const auto x = marker_places(skeleton, geometry, q);
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (!std::isnan(measured[i]))
        sum += weights[i / 3] * (x[i] - measured[i]) * (x[i] - measured[i]);
    }
    return sum;
  }
  /// J of the visible rows, by differences of positions (h = 1e-6: error 1e-10).
  Eigen::MatrixXd jacobian(const std::vector<double>& q) const {
    const auto n = static_cast<Eigen::Index>(skeleton.num_coordinates());
    Eigen::MatrixXd J(3 * static_cast<Eigen::Index>(skeleton.markers.size()), n);
    for (Eigen::Index j = 0; j < n; ++j) {
      auto plus = q, minus = q;
      plus[static_cast<std::size_t>(j)] += 1e-6;
      minus[static_cast<std::size_t>(j)] -= 1e-6;
      const auto a = marker_places(skeleton, geometry, plus),
                 b = marker_places(skeleton, geometry, minus);
      for (Eigen::Index i = 0; i < J.rows(); ++i) {
        J(i, j) = (a[static_cast<std::size_t>(i)] - b[static_cast<std::size_t>(i)]) / 2e-6;
      }
    }
    return J;
  }

  Skeleton skeleton;
  MarkerPlan plan;
  BoundGeometry geometry;
  std::vector<double> weights;
};

TEST_F(PoseSolverTest, JacobiansAreThoseOfDifferences) {
  MarkerKinematics kinematics(skeleton, plan);
  kinematics.bind(geometry);
  const auto q = walking_pose(skeleton, 1.3);
  kinematics.place(q);
  kinematics.differentiate();
  const Eigen::MatrixXd J = jacobian(q);
  double largest = 0, error = 0;
  for (int m = 0; m < skeleton.num_markers(); ++m) {
    const auto& columns = kinematics.columns(m);
    const double* rows = kinematics.jacobian(m);
    Eigen::MatrixXd own = Eigen::MatrixXd::Zero(3, J.cols());
    for (int k = 0; k < 3; ++k) {
      for (std::size_t c = 0; c < columns.size(); ++c) {
        own(k, columns[c]) = rows[static_cast<std::size_t>(k) * columns.size() + c];
      }
    }
    error = std::max(error, (own - J.middleRows(3 * m, 3)).cwiseAbs().maxCoeff());
    largest = std::max(largest, own.cwiseAbs().maxCoeff());
  }
  EXPECT_GT(largest, 0.5);
  EXPECT_LT(error, 2e-9);  // measured 2e-10
}

TEST_F(PoseSolverTest, ExactMarkersGiveTheirPoseBack) {
  const auto truth = walking_pose(skeleton, 0.4);
  const auto pose = solve(marker_places(skeleton, geometry, truth), walking_pose(skeleton, 0.9));
  ASSERT_TRUE(pose.converged);
  for (std::size_t j = 0; j < truth.size(); ++j) EXPECT_NEAR(pose.q[j], truth[j], 1e-9);
  EXPECT_LE(pose.iterations, 10);
}

TEST_F(PoseSolverTest, CoordinatesNoMarkerSeesKeepTheirValueAndAreNamed) {
  auto start = walking_pose(skeleton, 0.9);
  const auto toe = static_cast<std::size_t>(skeleton.find_coordinate("toe_angle_l"));
  start[toe] = 0.37;
  const auto pose = solve(marker_places(skeleton, geometry, walking_pose(skeleton, 0.4)), start);
  EXPECT_EQ(pose.states[toe], CoordinateState::kUnseen);
  EXPECT_EQ(pose.q[toe], 0.37);
  EXPECT_EQ(pose.num_free(), skeleton.num_coordinates() - 2);
}

TEST_F(PoseSolverTest, AGapOnlyTakesItsOwnRowsAway) {
  const auto truth = walking_pose(skeleton, 0.4);
  auto measured = marker_places(skeleton, geometry, truth);
  // Nothing of the left foot: the ankle is not seen, everything else is found as before.
  for (int m = 0; m < skeleton.num_markers(); ++m) {
    if (skeleton.markers[m].name.starts_with("foot_l")) measured[3 * m + 1] = std::nan("");
  }
  auto start = walking_pose(skeleton, 0.6);
  const auto ankle = static_cast<std::size_t>(skeleton.find_coordinate("ankle_l"));
  const double kept = start[ankle];
  const auto pose = solve(measured, start);
  EXPECT_EQ(pose.num_visible, skeleton.num_markers() - 4);
  EXPECT_EQ(pose.states[ankle], CoordinateState::kUnseen);
  EXPECT_EQ(pose.q[ankle], kept);
  for (std::size_t j = 0; j < truth.size(); ++j) {
    if (j == ankle) continue;
    EXPECT_NEAR(pose.q[j], truth[j], 1e-9) << skeleton.coordinates[j].name;
  }
}

TEST_F(PoseSolverTest, LimitsHoldAsAtTheMinimumOfTheConstrainedProblem) {
  // Knees bent backwards and a hip beyond its limit: the pose must rest on limits.
  auto outside = walking_pose(skeleton, 0.4);
  const auto at = [&](const char* name) {
    return static_cast<std::size_t>(skeleton.find_coordinate(name));
  };
  outside[at("knee_r")] = -0.4;
  outside[at("hip_rotation_l")] = 1.1;
  const auto measured = marker_places(skeleton, geometry, outside);
  const auto pose = solve(measured, walking_pose(skeleton, 0.9));
  ASSERT_TRUE(pose.converged);
  EXPECT_EQ(pose.states[at("knee_r")], CoordinateState::kAtLower);
  EXPECT_EQ(pose.q[at("knee_r")], 0);
  EXPECT_EQ(pose.states[at("hip_rotation_l")], CoordinateState::kAtUpper);
  EXPECT_EQ(pose.q[at("hip_rotation_l")], 0.8);
  // First-order conditions, by differences of the objective itself.
  const double f = objective(measured, pose.q);
  EXPECT_GT(f, 1e-3);
  int num_active = 0;
  for (std::size_t j = 0; j < pose.q.size(); ++j) {
    auto plus = pose.q, minus = pose.q;
    plus[j] += 1e-5;
    minus[j] -= 1e-5;
    const double slope = (objective(measured, plus) - objective(measured, minus)) / 2e-5;
    if (pose.states[j] == CoordinateState::kFree) {
      EXPECT_NEAR(slope, 0, 1e-7) << skeleton.coordinates[j].name;
    } else if (pose.states[j] == CoordinateState::kAtLower) {
      EXPECT_GT(slope, 1e-4);
      ++num_active;
    } else if (pose.states[j] == CoordinateState::kAtUpper) {
      EXPECT_LT(slope, -1e-4);
      ++num_active;
    }
  }
  EXPECT_GE(num_active, 2);
  PoseOptions unlimited;
  unlimited.limits = false;
  EXPECT_LT(solve(measured, walking_pose(skeleton, 0.9), unlimited).objective, 1e-16);
}

TEST_F(PoseSolverTest, ALimitIsLeftAgainWhenTheMarkersLeaveIt) {
  const auto truth = walking_pose(skeleton, 0.4);
  const auto knee = static_cast<std::size_t>(skeleton.find_coordinate("knee_r"));
  auto start = truth;
  start[knee] = 0;
  PoseSolver solver(skeleton, plan, {});
  solver.bind(geometry);
  FramePose pose;
  pose.q = start;
  pose.states.assign(start.size(), CoordinateState::kFree);
  pose.states[knee] = CoordinateState::kAtLower;
  solver.solve(marker_places(skeleton, geometry, truth), weights, pose);
  EXPECT_EQ(pose.states[knee], CoordinateState::kFree);
  EXPECT_NEAR(pose.q[knee], truth[knee], 1e-8);  // the tolerance of increments
}

TEST_F(PoseSolverTest, VariancesAreTheDiagonalOfTheInverseNormalMatrix) {
  weights[3] = 4;
  weights[9] = 0.25;
  const auto truth = walking_pose(skeleton, 2.2);
  PoseSolver solver(skeleton, plan, {});
  solver.bind(geometry);
  FramePose pose;
  pose.q = truth;
  solver.solve(marker_places(skeleton, geometry, truth), weights, pose);
  std::vector<double> diagonal(truth.size());
  solver.inverse_diagonal(diagonal);
  Eigen::MatrixXd J = jacobian(pose.q);
  for (Eigen::Index i = 0; i < J.rows(); ++i)
    J.row(i) *= std::sqrt(weights[static_cast<std::size_t>(i / 3)]);
  std::vector<Eigen::Index> seen;
  for (Eigen::Index j = 0; j < J.cols(); ++j) {
    if (pose.states[static_cast<std::size_t>(j)] == CoordinateState::kFree) seen.push_back(j);
  }
  const Eigen::MatrixXd own = J(Eigen::all, seen);
  const Eigen::MatrixXd inverse = (own.transpose() * own).inverse();
  for (std::size_t k = 0; k < seen.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    EXPECT_NEAR(diagonal[static_cast<std::size_t>(seen[k])], inverse(i, i), 1e-6 * inverse(i, i));
  }
  EXPECT_TRUE(
      std::isnan(diagonal[static_cast<std::size_t>(skeleton.find_coordinate("toe_angle_r"))]));
}

TEST_F(PoseSolverTest, MarkersOfDifferentVarianceSpreadIntoTheCoordinates) {
  weights[3] = 4;
  weights[9] = 0.25;
  const auto truth = walking_pose(skeleton, 2.2);
  auto measured = marker_places(skeleton, geometry, truth);
  measured[5] = std::nan("");  // marker 1 is missing
  PoseSolver solver(skeleton, plan, {});
  solver.bind(geometry);
  FramePose pose;
  pose.q = truth;
  solver.solve(measured, weights, pose);
  std::vector<double> units, leverages(weights.size()), variances(truth.size()),
      diagonal(truth.size());
  for (std::size_t m = 0; m < weights.size(); ++m)
    units.push_back(1 + 0.3 * static_cast<double>(m % 5));
  solver.stand_at(measured, weights, pose);
  solver.spread(measured, weights, units, leverages, variances);
  // H^-1 J^T W C W J H^-1 with C = diag(u / w), dense.
  const Eigen::MatrixXd J = jacobian(pose.q);
  std::vector<Eigen::Index> seen;
  for (Eigen::Index j = 0; j < J.cols(); ++j) {
    if (pose.states[static_cast<std::size_t>(j)] == CoordinateState::kFree) seen.push_back(j);
  }
  Eigen::VectorXd w(J.rows()), middle(J.rows());
  for (Eigen::Index i = 0; i < J.rows(); ++i) {
    const auto m = static_cast<std::size_t>(i / 3);
    w[i] = m == 1 ? 0 : weights[m];
    middle[i] = w[i] * units[m];
  }
  const Eigen::MatrixXd own = J(Eigen::all, seen);
  const Eigen::MatrixXd inverse = (own.transpose() * w.asDiagonal() * own).inverse();
  const Eigen::MatrixXd expected =
      inverse * (own.transpose() * middle.asDiagonal() * own) * inverse;
  for (std::size_t k = 0; k < seen.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    EXPECT_NEAR(variances[static_cast<std::size_t>(seen[k])], expected(i, i),
                1e-6 * expected(i, i));
  }
  // Leverages add up to the number of coordinates that were found.
  double sum = 0;
  for (std::size_t m = 0; m < leverages.size(); ++m) {
    if (m != 1) sum += leverages[m];
  }
  EXPECT_TRUE(std::isnan(leverages[1]));
  EXPECT_NEAR(sum, static_cast<double>(seen.size()), 1e-6);
  // Equal units are the plain inverse.
  std::fill(units.begin(), units.end(), 1.0);
  solver.spread(measured, weights, units, leverages, variances);
  solver.inverse_diagonal(diagonal);
  for (const Eigen::Index j : seen) {
    const auto i = static_cast<std::size_t>(j);
    EXPECT_NEAR(variances[i], diagonal[i], 1e-9 * diagonal[i]);
  }
}

TEST_F(PoseSolverTest, TheDampedMethodFindsTheSameMinimumSlowly) {
  auto measured = marker_places(skeleton, geometry, walking_pose(skeleton, 0.4));
  measured[4] += 0.02;
  measured[40] -= 0.03;
  PoseOptions damped;
  damped.method = PoseMethod::kDamped;
  damped.max_iterations = 2000;
  const auto start = walking_pose(skeleton, 0.6);
  const auto by_damping = solve(measured, start, damped), by_steps = solve(measured, start);
  ASSERT_TRUE(by_damping.converged);
  EXPECT_GT(by_damping.iterations, by_steps.iterations);
  for (std::size_t j = 0; j < start.size(); ++j) {
    if (by_steps.states[j] != CoordinateState::kFree) continue;
    EXPECT_NEAR(by_damping.q[j], by_steps.q[j], 1e-5);
  }
}

// Markers far off their places: Gauss-Newton shrinks the way by the size of the residuals times the
// curvature of paths, Newton squares it. With any term of the curvature wrong it would not.
TEST_F(PoseSolverTest, AFrameThatFitsBadlyIsSolvedInFewSteps) {
  for (const double phase : {0.1, 0.4, 0.7}) {
    for (const double error : {0.05, 0.15}) {
      auto measured = marker_places(skeleton, geometry, walking_pose(skeleton, phase));
      for (std::size_t i = 0; i < measured.size(); ++i) {
        measured[i] += error * std::sin(2.0 * static_cast<double>(i) + 9 * phase);
      }
      PoseOptions options;
      options.limits = false;
      const auto pose = solve(measured, walking_pose(skeleton, phase + 0.05), options);
      ASSERT_TRUE(pose.converged) << phase << ' ' << error;  // Gauss-Newton: not in 200 steps
      EXPECT_LE(pose.iterations, error < 0.1 ? 8 : 40);      // measured 7 and 25
      EXPECT_GT(pose.objective, 0.04);                       // it does fit badly
      const auto J = jacobian(pose.q);
      const auto x = marker_places(skeleton, geometry, pose.q);
      Eigen::VectorXd r(J.rows());
      for (Eigen::Index i = 0; i < r.size(); ++i) {
        r[i] = x[static_cast<std::size_t>(i)] - measured[static_cast<std::size_t>(i)];
      }
      EXPECT_LT((J.transpose() * r).cwiseAbs().maxCoeff(), 1e-7);  // differences: 1e-9
    }
  }
}

TEST_F(PoseSolverTest, ATurnedSubjectIsFoundFromAfar) {
  auto truth = walking_pose(skeleton, 0.4);
  for (const double turn : {3.0, -2.2, 1.6}) {
    truth[5] = turn;
    truth[0] = 4;
    PoseSolver solver(skeleton, plan, {});
    solver.bind(geometry);
    FramePose pose;
    pose.q = skeleton.initial_position();
    solver.solve_from_afar(marker_places(skeleton, geometry, truth), weights, pose);
    EXPECT_LT(pose.objective, 1e-15) << "turned by " << turn;
  }
}

TEST_F(PoseSolverTest, AQuaternionRootIsSolvedLikeAnyOther) {
  tree::TreeBuilder builder;
  tree::Body body;
  body.name = "body";
  body.joint = tree::Joint::floating();
  body.mass = 1;
  builder.add(body);
  tree::Body arm;
  arm.name = "arm";
  arm.parent = 0;
  arm.joint = tree::Joint::spherical();
  arm.X_PJ.p = {0, 0.3, 0};
  arm.mass = 1;
  builder.add(arm);
  Skeleton free;
  free.tree = builder.build();
  for (int j = 0; j < free.tree.nv; ++j) {
    Coordinate c;
    c.name = "v" + std::to_string(j);
    c.q = j < 3 ? j : -1;
    free.coordinates.push_back(c);
  }
  for (int b = 0; b < 2; ++b) {
    for (const Vec3<double>& p : {Vec3<double>{0.1, 0, 0}, {0, 0.2, 0.05}, {0, 0.1, 0.2}}) {
      free.markers.push_back({"m" + std::to_string(free.markers.size()), b, p, true});
    }
  }
  find_scaled_steps(free);
  BoundGeometry bound;
  bind(free, Geometry(free), bound);
  std::vector<double> truth{0.5, -0.3, 0.2, 0.5, 0.5, -0.5, 0.5, 0.8, 0, 0.6, 0};
  const auto measured = marker_places(free, bound, truth);
  const MarkerPlan own(free);
  PoseSolver solver(free, own, {});
  solver.bind(bound);
  FramePose pose;
  pose.q = free.initial_position();
  const std::vector<double> ones(free.markers.size(), 1.0);
  solver.solve_from_afar(measured, ones, pose);
  ASSERT_TRUE(pose.converged);
  const auto found = marker_places(free, bound, pose.q);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], measured[i], 1e-9);
}

TEST_F(PoseSolverTest, ATrialHasTheSameBitsWithAnyNumberOfThreads) {
  auto data = walking_data(skeleton, geometry, 200, 0.004, 3);
  for (std::size_t i = 1000; i < 1600; ++i) data.xyz[i] = std::nan("");  // a gap of many markers
  const auto markers = match_markers(skeleton, data);
  const auto run = [&](int threads) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism,
                                      static_cast<std::size_t>(threads));
    return solve_poses(skeleton, geometry, markers, weights, {});
  };
  const auto one = run(1), four = run(4);
  ASSERT_EQ(one.q.size(), four.q.size());
  EXPECT_EQ(std::memcmp(one.q.data(), four.q.data(), one.q.size() * sizeof(double)), 0);
  EXPECT_EQ(std::memcmp(one.sd.data(), four.sd.data(), one.sd.size() * sizeof(double)), 0);
  // The noise that was put in comes out as the standard deviation of a coordinate.
  EXPECT_NEAR(std::sqrt(one.variance), 0.004, 0.0001);
  ASSERT_EQ(one.unseen.size(), 2U);
  EXPECT_EQ(skeleton.coordinates[one.unseen[0]].name, "toe_angle_r");
}

TEST_F(PoseSolverTest, IntervalsOfAnglesCoverTheTruth) {
  const auto data = walking_data(skeleton, geometry, 300, 0.003, 11);
  const auto markers = match_markers(skeleton, data);
  const auto poses = solve_poses(skeleton, geometry, markers, weights, {});
  int covered = 0, count = 0;
  const auto nv = static_cast<std::size_t>(skeleton.num_coordinates());
  for (int f = 0; f < poses.num_frames; ++f) {
    const auto truth = walking_pose(skeleton, 0.06 * f);
    for (std::size_t j = 0; j < nv; ++j) {
      const double sd = poses.sd[static_cast<std::size_t>(f) * nv + j];
      if (std::isnan(sd)) continue;
      ++count;
      covered += std::abs(poses.q[static_cast<std::size_t>(f) * nv + j] - truth[j]) < 1.96 * sd;
    }
  }
  EXPECT_GT(count, 4000);
  EXPECT_NEAR(static_cast<double>(covered) / count, 0.95, 0.01);
}

TEST_F(PoseSolverTest, IntervalsKnowWhichMarkersAreWorse) {
  // The markers of one leg have four times the error: its angles have wider intervals, and all
  // cover.
  auto data = walking_data(skeleton, geometry, 300, 0, 11);
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  for (std::size_t i = 0; i < data.xyz.size(); ++i) {
    const std::size_t m = i / 3 % data.labels.size();
    const auto& body =
        skeleton.tree.bodies[static_cast<std::size_t>(skeleton.markers[m].body)].name;
    data.xyz[i] += (body.ends_with("_l") ? 0.008 : 0.002) * normal(random);
  }
  const auto poses = solve_poses(skeleton, geometry, match_markers(skeleton, data), weights, {});
  const auto nv = static_cast<std::size_t>(skeleton.num_coordinates());
  const auto share = [&](const std::string& name) {
    const auto j = static_cast<std::size_t>(skeleton.find_coordinate(name));
    int covered = 0, count = 0;
    for (int f = 0; f < poses.num_frames; ++f) {
      const auto at = static_cast<std::size_t>(f) * nv + j;
      if (std::isnan(poses.sd[at])) continue;
      ++count;
      covered += std::abs(poses.q[at] - walking_pose(skeleton, 0.06 * f)[j]) < 1.96 * poses.sd[at];
    }
    EXPECT_GT(count, 200);
    return static_cast<double>(covered) / count;
  };
  // One variance for all would give 0.8 and 1.0.
  EXPECT_NEAR(share("knee_l"), 0.95, 0.035);
  EXPECT_NEAR(share("knee_r"), 0.95, 0.035);
}

TEST_F(PoseSolverTest, LabelsOfModelAndDataAreCompared) {
  MarkerData data;
  data.labels = {"pelvis1", "stick", "femur_r0"};
  data.t = {0};
  data.xyz = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const auto markers = match_markers(skeleton, data);
  EXPECT_EQ(markers.on_both, (std::vector<std::string>{"pelvis1", "femur_r0"}));
  EXPECT_EQ(markers.only_data, std::vector<std::string>{"stick"});
  EXPECT_EQ(markers.only_model.size(), skeleton.markers.size() - 2);
  const int m = skeleton.find_marker("femur_r0");
  EXPECT_EQ(markers.frame(0)[static_cast<std::size_t>(3 * m) + 1], 8);
  EXPECT_TRUE(markers.is_missing(0, 0));
}

}  // namespace
}  // namespace parfait::motion::pose_solver_test
