#include <gtest/gtest.h>

#include "parfait/tree/algorithms/algorithms.h"
#include "parfait/tree/algorithms/test_trees.h"

/// The triple pendulum of Felis 2015, Algorithms 4 and 5, with Cardan angles ZYX, at a general
/// state (the printed one hangs still; corrections.md). Nonlinear effects, accelerations and the
/// tip's bias are from Lagrange's equations with 40 digits.
namespace parfait::tree {
namespace {

using Numbers = std::vector<double>;

class TriplePendulum : public ::testing::Test {
 public:
  static Tree make() {
    TestTree tree;
    tree.gravity = {0, 0, -9.81};
    for (int i = 0; i < 3; ++i) {
      Body body;
      body.name = "link_" + std::to_string(i + 1);
      body.parent = i - 1;
      body.joint = Joint::sequence("ZYX");
      if (i > 0) body.X_PJ.p = {0, 0, -1};
      body.mass = 0.1;
      body.center = {0, 0, -1};
      body.Theta = {0.1, 0.1, 0.1, 0, 0, 0};
      tree.bodies.push_back(body);
    }
    return tree.build();
  }

  const Tree tree = make();
  Workspace ws{tree};
  const Numbers q{-0.829, -0.526, 0.603, 0.164, -0.812, -0.134, -0.042, -0.681, 0.469};
  const Numbers v{-0.773, -0.218, 0.033, -0.139, 0.174, 0.476, 0.913, -0.432, 0.297};
  const Numbers tau{0.392, -0.415, -0.997, 0.947, -0.403, -0.372, 0.783, 0.17, -0.057};
  const Vec3<double> tip{0, 0, -1};

  static void expect_near(const Numbers& a, const Numbers& b, double tolerance) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance) << i;
  }
  static void expect_near(const Vec3<double>& a, const Numbers& b, double tolerance) {
    expect_near(Numbers{a.x, a.y, a.z}, b, tolerance);
  }
};

TEST_F(TriplePendulum, NonlinearEffects) {
  Numbers c(9);
  nonlinear_effects(tree, q, v, ws, c);
  expect_near(
      c,
      {0.06882324463738, -3.4035399937004, 2.2342356544113, 0.91859476350959, -2.2892188568748,
       1.0367654287259, -0.079640983567903, -0.58514415394953, 0.22039722463934},
      1e-13);
}

TEST_F(TriplePendulum, ForwardDynamics) {
  const Numbers expected{5.3090475754679, 4.3828208608416,  -4.487302319326,
                         11.200282658131, -6.8517100682013, -8.3627060508464,
                         4.8445783772825, 3.8167480375118,  -10.883261700566};
  Numbers vdot(9);
  forward_dynamics(tree, q, v, tau, {}, ws, vdot);
  expect_near(vdot, expected, 1e-12);
  forward_dynamics_by_mass_matrix(tree, q, v, tau, {}, ws, vdot);
  expect_near(vdot, expected, 1e-12);
}

TEST_F(TriplePendulum, HangsStillWhenItIsTurnedAboutTheVertical) {
  Numbers vdot(9), turned(9, 0.0);
  turned[0] = 1.2;
  forward_dynamics(tree, turned, Numbers(9, 0.0), Numbers(9, 0.0), {}, ws, vdot);
  expect_near(vdot, Numbers(9, 0.0), 1e-14);
  turned[0] = 0;
  turned[1] = 1.2;
  forward_dynamics(tree, turned, Numbers(9, 0.0), Numbers(9, 0.0), {}, ws, vdot);
  expect_near(vdot, {0, -5.62664826667, 0, 0, 3.516655166669, 0, 0, 1.406662066667, 0}, 1e-11);
}

TEST_F(TriplePendulum, MassMatrixAtRest) {
  compute_mass_matrix(tree, Numbers(9, 0.0), ws);
  const double blocks[3][3][2] = {{{0.3, 1.7}, {0.2, 1.0}, {0.1, 0.4}},
                                  {{0.2, 1.0}, {0.2, 0.7}, {0.1, 0.3}},
                                  {{0.1, 0.4}, {0.1, 0.3}, {0.1, 0.2}}};
  for (int i = 0; i < 9; ++i) {
    for (int j = 0; j < 9; ++j) {
      const double* block = blocks[i / 3][j / 3];
      const double expected = i % 3 != j % 3 ? 0 : block[i % 3 > 0];
      EXPECT_NEAR(ws.H[i * 9 + j], expected, 1e-15) << i << ' ' << j;
    }
  }
}

TEST_F(TriplePendulum, TipAndItsDerivatives) {
  expect_near(point_position(tree, q, 2, tip, ws), {2.3668821476, -0.5265091998, -0.2290932196},
              1e-10);
  expect_near(point_velocity(tree, q, v, 2, tip, ws), {-0.0868405707, -0.35439607, 0.650092795},
              1e-10);
  const Numbers bias{-0.33314062377081, 0.54074624283733, -1.0161317659739};
  expect_near(point_acceleration(tree, q, v, {}, 2, tip, ws).v, bias, 1e-13);
  Numbers J(54), Jdot(54);
  point_jacobian(tree, q, 2, tip, ws, J);
  point_jacobian_rate(tree, q, v, 2, tip, ws, Jdot);
  Numbers velocity(3), rate(3);
  for (int row = 0; row < 3; ++row) {
    for (int k = 0; k < 9; ++k) {
      velocity[row] += J[(3 + row) * 9 + k] * v[k];
      rate[row] += Jdot[(3 + row) * 9 + k] * v[k];
    }
  }
  expect_near(velocity, {-0.0868405707, -0.35439607, 0.650092795}, 1e-10);
  expect_near(rate, bias, 1e-13);
}

TEST_F(TriplePendulum, HeldAtItsTip) {
  // [H -G^T; G 0] (vdot, lambda) = (tau - c, -G' v), from the room's own H, c, G.
  Numbers free(9), J(54);
  forward_dynamics(tree, q, v, tau, {}, ws, free);
  point_jacobian(tree, q, 2, tip, ws, J);
  const Vec3<double> bias = point_acceleration(tree, q, v, free, 2, tip, ws).v;
  double delassus[3][3] = {}, right[3] = {-bias.x, -bias.y, -bias.z};
  Numbers columns[3];
  for (int c = 0; c < 3; ++c) {
    columns[c].assign(J.begin() + (3 + c) * 9, J.begin() + (4 + c) * 9);
    solve_mass_matrix(tree, q, ws, columns[c]);
    for (int r = 0; r < 3; ++r) {
      for (int k = 0; k < 9; ++k) delassus[r][c] += J[(3 + r) * 9 + k] * columns[c][k];
    }
  }
  for (int k = 0; k < 3; ++k) {  // Gauss, positive definite
    for (int i = k + 1; i < 3; ++i) {
      const double factor = delassus[i][k] / delassus[k][k];
      for (int j = k; j < 3; ++j) delassus[i][j] -= factor * delassus[k][j];
      right[i] -= factor * right[k];
    }
  }
  for (int k = 2; k >= 0; --k) {
    for (int j = k + 1; j < 3; ++j) right[k] -= delassus[k][j] * right[j];
    right[k] /= delassus[k][k];
  }
  expect_near(Numbers(right, right + 3), {0.8189888149, -0.3729435486, 1.9240768535}, 1e-9);
  // The same force as a wrench on the last link gives the held motion.
  const Transform<double> X = body_frame(tree, q, 2, ws);
  const Vec3<double> force{right[0], right[1], right[2]};
  std::vector<Force<double>> wrenches(3);
  wrenches[2] = {cross(X.R * tip, force), force};
  const Numbers expected{3.4200131514,  2.0101840631, -2.3253318556, 12.724654807,  -7.6788070554,
                         -7.9031168589, 4.6709316759, 4.5943695332,  -12.5930919372};
  Numbers held(9);
  forward_dynamics(tree, q, v, tau, wrenches, ws, held);
  expect_near(held, expected, 1e-9);
  forward_dynamics_by_mass_matrix(tree, q, v, tau, wrenches, ws, held);
  expect_near(held, expected, 1e-9);
}

TEST_F(TriplePendulum, CenterOfMassAndMomentum) {
  const CenterOfMass center = center_of_mass(tree, q, v, ws);
  EXPECT_DOUBLE_EQ(center.mass, 0.3);
  expect_near(center.position, {1.5529380834, -0.2646359593, -0.5930920224}, 1e-10);
  expect_near(center.velocity, {0.0492189429, -0.642812342, 0.3501378939}, 1e-10);
  expect_near(center.angular_momentum, {-0.1709207588, -0.1062114108, -0.1167779689}, 1e-10);
}

}  // namespace
}  // namespace parfait::tree
