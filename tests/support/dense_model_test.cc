#include "testing/dense_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "testing/differences.h"
#include "testing/model_gallery.h"
#include "testing/random_models.h"

namespace parfait::testing_support {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

double largest(const VectorXd& x) {
  return x.size() ? x.lpNorm<Eigen::Infinity>() : 0.0;
}

void set_inertia_about_origin(mechanism::Description& d) {
  for (auto& body : d.bodies) body.about = mechanism::InertiaPoint::kOrigin;
}

// Ten digits computed independently in joint angles for Kraus's chain at rest along x.
TEST(DenseModel, ChainsAtRestStartWithTheTabulatedAccelerations) {
  const std::map<int, std::vector<double>> center_reading = {
      {1, {-1.962}},
      {2, {-3.110487805, -6.938780488}},
      {3, {-3.252082192, -7.552356164, -8.842438356}},
      {5, {-3.269778493, -7.629040135, -9.080355292, -9.558810838, -9.702347502}}};
  const std::map<int, std::vector<double>> origin_reading = {
      {1, {-2.4525}},
      {2, {-3.503571429, -7.707857143}},
      {3, {-3.584423077, -8.112115385, -9.244038462}},
      {5, {-3.590676796, -8.143383978, -9.362859116, -9.688052486, -9.769350829}}};
  for (const bool about_origin : {false, true}) {
    for (const auto& [n, expected] : about_origin ? origin_reading : center_reading) {
      for (auto description : {revolute_chain(n), spherical_chain(n)}) {
        if (about_origin) set_inertia_about_origin(description);
        const DenseModel model(description);
        const Solution s = model.solve(model.initial_state());
        for (int i = 0; i < n; ++i) {
          const Vector3d a = model.center(i, s.a);
          EXPECT_NEAR(a[0], 0, 1e-13);
          EXPECT_NEAR(a[2], expected[i], 5.01e-10) << "n = " << n << ", body " << i;
        }
      }
    }
  }
}

/// Kraus's double pendulum with angles measured from +x downwards.
mechanism::Description moving_double_pendulum() {
  Chain chain;
  for (int i = 0; i < 2; ++i) {
    ChainLink link;
    link.mass = 2;
    link.center = {0.5, 0, 0};
    link.inertia = Vector3d(2.5, 2, 2).asDiagonal();
    link.joint_in_parent = {i ? 1.0 : 0.0, 0, 0};
    chain.links.push_back(link);
  }
  return describe(chain, VectorXd{{0.4, -1.1}}, VectorXd{{1.1, -1.7}});
}

TEST(DenseModel, TheMovingDoublePendulumHasTheTabulatedAccelerations) {
  const DenseModel model(moving_double_pendulum());
  const Solution s = model.solve(model.initial_state());
  EXPECT_NEAR(model.center(0, s.a)[0], -1.669203814, 5.01e-10);
  EXPECT_NEAR(model.center(0, s.a)[2], -2.394439150, 5.01e-10);
  EXPECT_NEAR(model.center(1, s.a)[0], -2.704174118, 5.01e-10);
  EXPECT_NEAR(model.center(1, s.a)[2], -5.821275513, 5.01e-10);
}

TEST(DenseModel, TheSinglePendulumReachesTheTabulatedPositions) {
  const DenseModel model(revolute_chain(1));
  const State y = dense_motion(model, model.initial_state(), 0.5, 100);
  EXPECT_NEAR(model.center(0, y.q)[0], 0.441960904, 2e-9);
  EXPECT_NEAR(model.center(0, y.q)[2], -0.233817363, 2e-9);
}

TEST(DenseModel, TheDoublePendulumWithSpringDamperReachesTheTabulatedPositions) {
  auto description = revolute_chain(2);
  mechanism::Force force;
  force.key = "Spring_Damper";
  force.id = "spring";
  force.begin = marker("body_2", frame({0.5, 0, 0}));
  force.end = marker(mechanism::kInertial, frame({1.5, 0, 1}));
  force.constants = {{"rest_length", 1.0}, {"stiffness", 10.0}, {"damping", 10.0}};
  description.forces.push_back(force);
  const DenseModel model(description);
  const State y = dense_motion(model, model.initial_state(), 0.5, 100);
  EXPECT_NEAR(model.center(1, y.q)[0], 1.356763423, 2e-9);
  EXPECT_NEAR(model.center(1, y.q)[2], -0.538926141, 2e-9);
}

// IFToMM A04, recomputed in joint angles; redundant in a way that changes with the position.
TEST(DenseModel, TheBricardMechanismReachesThePublishedPosition) {
  const DenseModel model(bricard(), {}, {.rank_tolerance = 1e-6});
  const Solution s = model.solve(model.initial_state());
  EXPECT_EQ(s.rank, model.num_rows() - 1);
  const State y = dense_motion(model, model.initial_state(), 0.5, 100);
  const Vector3d P3 = model.point(2, {1, 0, 0}, y.q);
  EXPECT_NEAR(P3[0], 0.9682836791068, 1e-8);
  EXPECT_NEAR(P3[1], -1.224625159436, 1e-8);
  EXPECT_NEAR(P3[2], 0.7501466094378, 1e-8);
}

TEST(DenseModel, AccelerationsOfChainsAgreeWithEulerLagrange) {
  double difference = 0, size = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Random random(100 + seed);
    const int n = 1 + static_cast<int>(seed) % 4;
    const Chain chain = random_chain(seed, n);
    const VectorXd theta = random.vector(chain.num_angles(), 1.2);
    const VectorXd rate = random.vector(chain.num_angles(), 2);
    const ChainMotion expected = euler_lagrange(chain, theta, rate);
    const DenseModel model(describe(chain, theta, rate));
    const Solution s = model.solve(model.initial_state());
    for (int i = 0; i < n; ++i) {
      const Vector3d& a = expected.center_acceleration[i];
      difference = std::max(difference, (model.center(i, s.a) - a).norm() / (1 + a.norm()));
      size = std::max(size, a.norm());
    }
  }
  EXPECT_GT(size, 10);
  EXPECT_LT(difference, 1e-12);  // measured 4e-14
}

// What may vary without changing the physics: axes, coordinates, reference point of the inertia.
TEST(DenseModel, RandomModelsStartConsistentInEveryVariant) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const RandomModelOptions options{.bodies = 6,
                                     .tree = seed % 2 == 0,
                                     .free_root = seed % 5 == 0,
                                     .general_frames = seed % 3 == 0,
                                     .mixed_coordinates = seed % 4 < 2,
                                     .forces = 8,
                                     .general_laws = true};
    const TestModel m = random_model(seed, options);
    const DenseModel model(m.description, m.functions);
    const State y = model.initial_state();
    EXPECT_LT(largest(model.g(y.t, y.q)), 1e-14 * 10) << "seed " << seed;
    EXPECT_LT(largest(model.g_velocity(y.t, y.q, y.v)), 1e-13) << "seed " << seed;
    const Solution s = model.solve(y);
    EXPECT_EQ(s.rank, model.num_rows()) << "seed " << seed;
    EXPECT_LT(s.residual, 1e-10);
    EXPECT_GT(largest(y.v), 0.1);
  }
}

TEST(DenseModel, GalleryModelsStartConsistentWithTheExpectedRedundancy) {
  struct Case {
    const char* name;
    TestModel model;
    int bodies, freedom, redundant;
  };
  const std::vector<Case> cases = {
      {"tree", {tree(2)}, 6, 6, 0},        {"loop", {loop(2)}, 10, 8, 3},
      {"four-bar", {four_bar()}, 3, 1, 3}, {"bricard", {bricard()}, 5, 1, 1},
      {"hexapod", {hexapod()}, 13, 6, 0},  {"driven", driven_pendulum(), 2, 2, 0},
      {"skate", {skate()}, 1, 2, 0},       {"speed", {constant_speed_pair()}, 2, 11, 0}};
  for (const auto& c : cases) {
    const DenseModel model(c.model.description, c.model.functions);
    const State y = model.initial_state();
    EXPECT_EQ(model.num_bodies(), c.bodies) << c.name;
    EXPECT_LT(largest(model.g(0, y.q)), 1e-14) << c.name;
    EXPECT_LT(largest(model.g_velocity(0, y.q, y.v)), 1e-14) << c.name;
    const Solution s = model.solve(y);
    EXPECT_EQ(model.num_rows() - s.rank, c.redundant) << c.name;
    EXPECT_EQ(model.nq() - s.rank, c.freedom) << c.name;
    EXPECT_LT(s.residual, 1e-11) << c.name;
  }
}

// Constraint forces of scleronomic ideal joints do no work, so power comes from forces alone.
TEST(DenseModel, EnergyChangesWithThePowerOfNonconservativeForces) {
  double moved_power = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const TestModel m = random_model(seed, {.bodies = 4, .general_frames = true, .forces = 6});
    const DenseModel model(m.description, m.functions);
    const State y = model.initial_state();
    const Solution s = model.solve(y);
    const double kinetic = y.v.dot(model.M() * s.a);
    const double power = y.v.dot(model.f(0, y.q, y.v, y.e));
    EXPECT_NEAR(kinetic, power, 1e-10 * (1 + std::abs(power))) << "seed " << seed;
    moved_power = std::max(moved_power, std::abs(power));

    // Springs and gravity alone: the force is minus the gradient of the potential.
    auto conservative = m.description;
    std::erase_if(conservative.forces, [](const mechanism::Force& f) {
      return f.key.find("Spring") == std::string::npos && f.key != "Gravitation";
    });
    for (auto& force : conservative.forces) {
      for (auto& c : force.constants) {
        if (c.name == "damping") c.value = 0.0;
      }
    }
    const DenseModel springs(conservative);
    const Derivative dV = differentiate([&](double h) {
      return VectorXd::Constant(1, springs.potential_energy(y.q + h * y.v)).eval();
    });
    EXPECT_NEAR(dV.value[0], -y.v.dot(springs.f(0, y.q, y.v, y.e)), 1e-9 * (1 + moved_power));
  }
  EXPECT_GT(moved_power, 1);
}

TEST(DenseModel, InternalForcesKeepBothMomentaOfAFreeSystem) {
  double spin = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    TestModel m =
        random_model(seed, {.bodies = 4, .free_root = true, .forces = 12, .gravity = false});
    std::erase_if(m.description.forces, [](const mechanism::Force& f) {
      // Z-forces act along the world's z and so do not come in pairs on one line.
      return f.begin->body == mechanism::kInertial || f.end->body == mechanism::kInertial ||
             f.key.starts_with("Z_");
    });
    const DenseModel model(m.description);
    const State y = model.initial_state();
    const VectorXd a = model.solve(y).a;
    EXPECT_LT(model.momentum(a).norm(), 1e-10) << "seed " << seed;
    EXPECT_LT(model.angular_momentum(y.q, a).norm(), 1e-10) << "seed " << seed;
    spin = std::max(spin, largest(a));
  }
  EXPECT_GT(spin, 10);
}

// The same physical model in other axes and other coordinates moves in the same way.
TEST(DenseModel, AxesAndCoordinatesDoNotChangeTheMotion) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const TestModel m = random_model(seed, {.bodies = 3, .forces = 4});
    mechanism::Description other = m.description;
    Random random(seed);
    for (auto& body : other.bodies) {
      Matrix3d U;
      U << 1.3, 0.2, -0.3, 0, 0.8, 0.4, 0, 0, 0.7;
      const auto columns_times_U = [&](mechanism::Number3& x, mechanism::Number3& y,
                                       mechanism::Number3& z) {
        Matrix3d X;
        for (int k = 0; k < 3; ++k) X.row(k) << x[k], y[k], z[k];
        const Matrix3d Y = X * U;
        for (int k = 0; k < 3; ++k) x[k] = Y(k, 0), y[k] = Y(k, 1), z[k] = Y(k, 2);
      };
      columns_times_U(body.x, body.y, body.z);
      columns_times_U(body.x_rate, body.y_rate, body.z_rate);
      const Matrix3d to_user = U.inverse();
      const auto convert = [&](mechanism::Value3& r) {
        const Vector3d s = to_user * Vector3d(r[0].number, r[1].number, r[2].number);
        for (int k = 0; k < 3; ++k) r[k] = s[k];
      };
      const auto convert_frame = [&](mechanism::Frame& f) {
        for (auto* r : {&f.o, &f.x, &f.y, &f.z}) convert(*r);
      };
      convert(body.center_of_mass);
      for (auto& named : body.markers) convert_frame(named.frame);
      for (auto& joint : other.joints) {
        if (joint.begin.body == body.id) convert_frame(joint.begin.frame);
        if (joint.end.body == body.id) convert_frame(joint.end.frame);
      }
      for (auto& force : other.forces) {
        if (force.begin && force.begin->body == body.id) convert_frame(force.begin->frame);
        if (force.end && force.end->body == body.id) convert_frame(force.end->frame);
      }
      other.natural.bodies[body.id].coordinates =
          random.coin() ? mechanism::BodyCoordinates::kFourPoints
                        : mechanism::BodyCoordinates::kTwoPointsTwoVectors;
    }
    const DenseModel one(m.description), two(other);
    const VectorXd a = one.solve(one.initial_state()).a, b = two.solve(two.initial_state()).a;
    for (int i = 0; i < 3; ++i) {
      EXPECT_LT((one.center(i, a) - two.center(i, b)).norm(), 1e-10 * (1 + a.norm())) << seed;
    }
  }
}

// Along an exact motion of the constraints: g(t + h, q + h v + h^2 a / 2) = O(h^3).
TEST(DenseModel, AccelerationsKeepDrivenAndNonholonomicRows) {
  for (const TestModel& m :
       {driven_pendulum(), TestModel{skate()}, TestModel{constant_speed_pair()}}) {
    const DenseModel model(m.description, m.functions);
    const State y = model.initial_state();
    const VectorXd a = model.solve(y).a;
    EXPECT_GT(largest(a), 0.5);
    const auto rows = [&](double h) -> VectorXd {
      return model.g_velocity(y.t + h, y.q + h * y.v + 0.5 * h * h * a, y.v + h * a);
    };
    EXPECT_LT(largest(differentiate(rows).value), 1e-10);
  }
}

TEST(DenseModel, AnAdditionToGammaAppearsInTheConstraintAcceleration) {
  const DenseModel model(revolute_chain(2));
  Random random(3);
  State y = model.initial_state();
  y.v = random.vector(model.nq(), 1);
  const VectorXd addition = random.vector(model.num_rows(), 1);
  const VectorXd difference = model.solve(y, addition).a - model.solve(y).a;
  EXPECT_LT(largest(model.G(0, y.q, y.v) * difference - addition), 1e-12);
}

// The law of motion itself, with the sign of the multipliers that everything else assumes.
TEST(DenseModel, TheMultiplierOfAHangingBodyIsItsWeight) {
  auto d = spherical_chain(1);
  d.bodies[0].x = {0, 0, -1};
  d.bodies[0].z = {1, 0, 0};
  const DenseModel model(d);
  const Solution s = model.solve(model.initial_state());
  EXPECT_LT(largest(s.a), 1e-13);
  // g = r_ground - r_body and M a + G^T lambda = f: the body feels +lambda, upwards.
  EXPECT_NEAR(s.lambda[8], 2 * 9.81, 1e-12);
  EXPECT_EQ(model.row_names()[8], "joint_1.B0_z");
}

// A body that gave up the length of its x axis, with a spring along it: J_xx l'' = -F for the
// second moment J_xx = (Theta_yy + Theta_zz - Theta_xx) / 2.
TEST(DenseModel, AReleasedAxisStretchesLikeAMassOnASpring) {
  mechanism::Description d;
  mechanism::Body body;
  body.id = "rod";
  body.mass = 3.0;
  body.inertia[0][0] = 0.5;
  body.inertia[1][1] = 0.7;
  body.inertia[2][2] = 0.9;
  d.natural.bodies["rod"].released.xx = true;
  body.x_rate = {0.4, 0, 0};
  d.bodies.push_back(body);
  mechanism::Force force;
  force.key = "Spring_Damper";
  force.id = "spring";
  force.begin = marker("rod", frame({1, 0, 0}));
  force.end = marker("rod", frame({0, 0, 0}));
  force.constants = {{"Constant_0", 0.8}, {"Constant_1", 10.0}, {"Constant_2", 2.0}};
  d.forces.push_back(force);
  const DenseModel model(d);
  const Solution s = model.solve(model.initial_state());
  const VectorXd expected = VectorXd::Unit(12, 3) * (-(10 * 0.2 + 2 * 0.4) / 0.55);
  EXPECT_LT(largest(s.a - expected), 1e-13);
}

/// Measure s of one element, read off the energy of a spring of stiffness 2 and rest length 0.
double measure(const std::string& prefix, const mechanism::Marker& begin,
               const mechanism::Marker& end, const mechanism::Body& body) {
  mechanism::Description d;
  d.bodies.push_back(body);
  mechanism::Force force;
  force.key = prefix + "Spring";
  force.id = "spring";
  force.begin = begin;
  force.end = end;
  force.constants = {{"Constant_0", 0.0}, {"stiffness", 2.0}};
  d.forces.push_back(force);
  const DenseModel model(d);
  const double above = std::sqrt(model.potential_energy(model.initial_state().q));
  d.forces[0].constants[0].value = 100.0;  // the sign shows in the mixed term of (s - 100)^2
  const DenseModel far(d);
  return std::sqrt(far.potential_energy(model.initial_state().q)) < 100 ? above : -above;
}

TEST(DenseModel, MeasuresOfForcesAreDistanceHeightProjectionAndAngle) {
  mechanism::Body body;
  body.id = "body";
  body.o = {1, 2, 3};
  const double phi = 0.6;  // turned about z
  body.x = {std::cos(phi), std::sin(phi), 0};
  body.y = {-std::sin(phi), std::cos(phi), 0};
  const auto own = marker("body", axis_frame(Vector3d(0, 0, 1), Vector3d(3, 0, 0)));
  const auto ground = marker(mechanism::kInertial, frame({1, 0, 1}));
  EXPECT_NEAR(measure("", own, ground, body), std::sqrt(4.0 + 9.0), 1e-14);
  EXPECT_NEAR(measure("Z_", own, ground, body), 3, 1e-14);
  EXPECT_NEAR(measure("Z_", ground, own, body), -3, 1e-14);
  EXPECT_NEAR(measure("Direction_", own, ground, body), 2 * std::sin(phi), 1e-14);
  const auto turned = marker("body", axes_frame({0, 0, 0}, Matrix3d::Identity()));
  const auto fixed = marker(mechanism::kInertial, axes_frame({0, 0, 0}, Matrix3d::Identity()));
  EXPECT_NEAR(measure("Rotational_", fixed, turned, body), phi, 1e-14);
  EXPECT_NEAR(measure("Rotational_", turned, fixed, body), -phi, 1e-14);
}

// Kraus (2006, appendix C.1) in numbers: r_a - r_b = (1, 2, 3), d_a = x axis (0, 2, 0), d_b = (0,
// 0.6, 0.8), rates of the points apart (0.5, -1, 2); offset 0.25.
TEST(DenseModel, ConstraintRowsHaveTheirDefinedValues) {
  mechanism::Description d;
  for (const char* id : {"a", "b"}) {
    mechanism::Body body;
    body.id = id;
    for (int k = 0; k < 3; ++k) body.inertia[k][k] = 1.0;
    d.bodies.push_back(body);
  }
  d.bodies[0].o = {4, 2, 3};
  d.bodies[0].o_rate = {0.5, 0, 2};
  d.bodies[1].o = {2, 0, 0};
  d.bodies[1].o_rate = {0, 1, 0};
  mechanism::Constraint c;
  c.begin = marker("a", axes_frame({0, 0, 0}, Eigen::Vector3d(1, 1, 1).asDiagonal()));
  c.begin.frame.x = {0.0, 2.0, 0.0};
  c.end = marker("b", axes_frame({1, 0, 0}, Matrix3d::Identity()));
  c.end.frame.y = {0.0, 0.6, 0.8};
  c.begin_axis = 'x';
  c.end_axis = 'y';
  c.offset = 0.25;
  const std::map<std::string, double> expected = {{"B0_x", 0.75},
                                                  {"B0_y", 1.75},
                                                  {"B0_z", 2.75},
                                                  {"DDX", 0.95},
                                                  {"BBDX", 3.75},
                                                  {"BBX", 0.5 * (14 - 0.0625)},
                                                  {"V0_x", 0.25},
                                                  {"V0_y", -1.25},
                                                  {"V0_z", 1.75},
                                                  {"VVDX", -2.25},
                                                  {"VVX", 0.5 * (5.25 - 0.0625)}};
  for (const auto& [key, value] : expected) {
    c.key = c.id = key;
    d.constraints = {c};
    const DenseModel model(d);
    const State y = model.initial_state();
    const bool of_position = model.num_position_rows() == 13;
    const double found = of_position ? model.g(0, y.q)[12] : model.g_velocity(0, y.q, y.v)[12];
    EXPECT_NEAR(found, value, 1e-15) << key;
    EXPECT_EQ(of_position, key[0] != 'V') << key;
  }
}

// Second derivatives, which only the speed of the projections shows otherwise.
TEST(DenseModel, HessiansAreTheDerivativesOfTheJacobians) {
  for (const TestModel& m :
       {random_model(3, {.bodies = 3, .general_frames = true}), driven_pendulum(),
        TestModel{skate()}, TestModel{constant_speed_pair()}}) {
    const DenseModel model(m.description, m.functions);
    const State y = model.initial_state();
    Random random(8);
    const int np = model.num_position_rows(), n = model.nq();
    const VectorXd weight = random.vector(np + model.num_rows(), 1);
    const State d = random_direction(random, y);
    VectorXd direction(2 * n);
    direction << d.q, d.v;
    const auto gradient_c = [&](double h) -> VectorXd {
      return model.dc_dx(0, y.q + h * d.q, y.v + h * d.v).transpose() * weight;
    };
    const auto gradient_g = [&](double h) -> VectorXd {
      return model.dg_dq(0, y.q + h * d.q).transpose() * weight.head(np);
    };
    const VectorXd Hc = model.hessian_c(0, y.q, y.v, weight) * direction;
    const VectorXd Hg = model.hessian_g(0, y.q, weight.head(np)) * d.q;
    EXPECT_GT(largest(Hg), 0.1);
    EXPECT_LT(largest(Hc - differentiate(gradient_c).value), 1e-10);
    EXPECT_LT(largest(Hg - differentiate(gradient_g).value), 1e-10);
  }
}

TEST(DenseModel, MissingMarkerAxesAreCompletedAroundZ) {
  mechanism::Body body;
  body.id = "body";
  body.x = {0, 2, 0};  // a general frame, turned
  body.y = {-1, 0.5, 0};
  body.z = {0, 0, 0.5};
  // The orthonormal frame of the body is ((0, 1, 0), (-1, 0, 0), (0, 0, 1)); this z is twice its
  // first axis, least aligned with the second and the third: the second is taken.
  const mechanism::Frame only_z = axis_frame({0, 0, 0}, {1, 0, 0});
  mechanism::Frame z_and_y = only_z;
  z_and_y.y = {0.0, 0.0, 1.0};  // world (0, 0, 0.5)
  z_and_y.has_y = true;
  const auto axes = [&](const mechanism::Frame& f) -> Matrix3d {
    mechanism::Description d;
    d.bodies.push_back(body);
    mechanism::Joint joint;
    joint.key = "Free";
    joint.begin = marker("body", f);
    joint.end = marker(mechanism::kInertial, frame({0, 0, 0}));
    d.joints.push_back(joint);
    const DenseModel model(d);
    return model.parts().bodies[0].X0 * model.parts().constraints[1].a.axes;
  };
  Matrix3d expected;
  expected << -1, 0, 0, 0, 0, 2, 0, 1, 0;  // x, y = z x x, z as given
  EXPECT_LT((axes(only_z) - expected).norm(), 1e-15) << axes(only_z);
  expected << -1, 0, 0, 0, 0, 2, 0, 0.5, 0;  // x = y x z, y and z as given
  EXPECT_LT((axes(z_and_y) - expected).norm(), 1e-15) << axes(z_and_y);
}

TEST(Differences, RichardsonReachesTwelveDigitsOfASmoothFunction) {
  const auto f = [](double h) { return VectorXd{{std::exp(std::sin(1 + h)), 1 / (2 + h)}}; };
  const Derivative d = differentiate(f);
  EXPECT_NEAR(d.value[0], std::exp(std::sin(1)) * std::cos(1), 1e-12);
  EXPECT_NEAR(d.value[1], -0.25, 1e-12);
  EXPECT_LT(d.error, 1e-10);
}

// d a / d g of a pendulum at rest along x is a / g.
TEST(Differences, AccelerationChangesInProportionToGravity) {
  const auto at = [](double h) {
    auto d = revolute_chain(3);
    d.forces[0].constants[0].value = -9.81 + h;
    return d;
  };
  const DenseModel model(at(0));
  const State y = model.initial_state();
  const Derivative d = acceleration_derivative(at, y);
  EXPECT_LT(largest(d.value - model.solve(y).a / -9.81), 1e-11);
  EXPECT_GT(largest(d.value), 0.1);
}

// Along motions of the joint angles, against the change of the Euler-Lagrange accelerations.
TEST(Differences, AccelerationDerivativeAgreesWithEulerLagrange) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    Random random(seed);
    const Chain chain = random_chain(seed, 3);
    const int n = chain.num_angles();
    const VectorXd theta = random.vector(n, 1), rate = random.vector(n, 1);
    const VectorXd d_theta = random.vector(n, 1), d_rate = random.vector(n, 1);
    const auto state_at = [&](double h) {
      return DenseModel(describe(chain, theta + h * d_theta, rate + h * d_rate)).initial_state();
    };
    const DenseModel model(describe(chain, theta, rate));
    const State direction{0,
                          differentiate([&](double h) { return state_at(h).q; }).value,
                          differentiate([&](double h) { return state_at(h).v; }).value,
                          {}};
    State y = model.initial_state();
    const VectorXd da = acceleration_derivative(model, y, direction).value;
    const Derivative expected = differentiate([&](double h) {
      VectorXd a(9);
      const auto motion = euler_lagrange(chain, theta + h * d_theta, rate + h * d_rate);
      for (int i = 0; i < 3; ++i) a.segment<3>(3 * i) = motion.center_acceleration[i];
      return a;
    });
    for (int i = 0; i < 3; ++i) {
      const Vector3d found = model.center(i, da);
      EXPECT_LT((found - expected.value.segment<3>(3 * i)).norm(), 1e-7 * (1 + found.norm()));
    }
    EXPECT_GT(largest(da), 1);
  }
}

}  // namespace
}  // namespace parfait::testing_support
