#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <memory>

#include "parfait/mechanism/elements/force.h"
#include "parfait/mechanism/elements/registry.h"
#include "testing/random_models.h"

// Discs, tissue and contacts against what can be computed by hand.
namespace parfait::mechanism {
namespace {

using testing_support::Random;

/// An element between two frames that stand still at first.
struct Bench {
  explicit Bench(const char* key) : type(*registry().find_force(key)), element(type.make({})) {
    for (auto& end : ends) {
      end = {};
      end.axis[0].x = end.axis[1].y = end.axis[2].z = 1;
    }
    for (const auto& info : type.constants) constants.push_back(info.fallback.value_or(0.0));
  }
  double& constant(const std::string& name) {
    for (std::size_t i = 0; i < type.constants.size(); ++i) {
      if (type.constants[i].name == name) return constants[i];
    }
    throw std::runtime_error(name);
  }
  ElementPoint<double> at() const { return {ends, constants, {}, 0.0}; }
  double quantity(const std::string& name) const {
    for (std::size_t i = 0; i < type.quantities.size(); ++i) {
      if (type.quantities[i].name == name) return element->quantity(at(), static_cast<int>(i));
    }
    throw std::runtime_error(name);
  }
  void act() { element->act(at(), {forces, {}}); }
  double potential() const { return element->potential(at()); }

  /// Turns the axes of an end by a rotation matrix.
  void set_axes(int end, const Eigen::Matrix3d& R) {
    for (int i = 0; i < 3; ++i) ends[end].axis[i] = {R(0, i), R(1, i), R(2, i)};
  }

  const ForceType& type;
  std::unique_ptr<ForceElement> element;
  EndFrame<double> ends[2];
  EndForce<double> forces[2];
  std::vector<double> constants;
};

Eigen::Matrix3d cardan(double a, double b, double c) {
  return (Eigen::AngleAxisd(a, Eigen::Vector3d::UnitX()) *
          Eigen::AngleAxisd(b, Eigen::Vector3d::UnitY()) *
          Eigen::AngleAxisd(c, Eigen::Vector3d::UnitZ()))
      .toRotationMatrix();
}

Eigen::Vector3d torque(const Bench& bench, int end) {
  const auto tau = torque_of(bench.ends[end], bench.forces[end]);
  return {tau.x, tau.y, tau.z};
}

TEST(BodilyForces, MeasureTheCardanAnglesOfTheRelativeRotation) {
  Bench bench("Spherical");
  Random random(1);
  const Eigen::Matrix3d A = random.rotation();
  bench.set_axes(0, A);
  bench.set_axes(1, A * cardan(0.4, -0.9, 1.3));
  EXPECT_NEAR(bench.quantity("angle.1"), 0.4, 1e-14);
  EXPECT_NEAR(bench.quantity("angle.2"), -0.9, 1e-14);
  EXPECT_NEAR(bench.quantity("angle.3"), 1.3, 1e-14);
}

TEST(BodilyForces, TheTorqueIsConjugateToTheAngles) {
  // omega = A (angle rates) with the columns x, R_x y, R_x R_y z, so tau = -A^-T C x.
  Bench bench("Spherical");
  const Eigen::Vector3d angles(0.5, -0.7, 0.3);
  Eigen::Matrix3d C;
  C << 3, 0.5, -0.2, 0.5, 2, 0.4, -0.2, 0.4, 1;
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j) {
      bench.constant("c" + std::to_string(i + 1) + std::to_string(j + 1)) = C(i, j);
    }
  }
  bench.set_axes(1, cardan(angles[0], angles[1], angles[2]));
  bench.act();
  Eigen::Matrix3d rates;
  rates.col(0) = Eigen::Vector3d::UnitX();
  rates.col(1) = cardan(angles[0], 0, 0).col(1);
  rates.col(2) = cardan(angles[0], angles[1], 0).col(2);
  const Eigen::Vector3d expected = -rates.transpose().inverse() * (C * angles);
  EXPECT_LT((torque(bench, 1) - expected).norm(), 1e-13);
  EXPECT_LT((torque(bench, 0) + expected).norm(), 1e-13);
  EXPECT_NEAR(bench.potential(), 0.5 * angles.dot(C * angles), 1e-14);
}

TEST(BodilyForces, DoNotFeelACommonMotionOfBothEnds) {
  Random random(3);
  const Eigen::Matrix3d Q = random.rotation(), R = cardan(0.2, 0.3, -0.4);
  for (const char* key : {"Spherical", "Tensorial", "Bushing", "Wobbling"}) {
    Bench bench(key);
    for (double& constant : bench.constants) constant = random.uniform(0.5, 1.5);
    bench.ends[1].point = {0.1, -0.2, 0.05};
    bench.set_axes(1, R);
    const double before = bench.potential();
    const Eigen::Vector3d moved = Q * Eigen::Vector3d(0.1, -0.2, 0.05);
    bench.ends[0].point = {3, 2, 1};
    bench.ends[1].point = {3 + moved[0], 2 + moved[1], 1 + moved[2]};
    bench.set_axes(0, Q);
    bench.set_axes(1, Q * R);
    EXPECT_GT(before, 1e-3) << key;
    EXPECT_NEAR(bench.potential(), before, 1e-13) << key;
  }
}

TEST(BodilyForces, TheDiscIsSymmetricAndPositiveForAllSigns) {
  Bench bench("Bushing");
  const auto load = [&](const Eigen::VectorXd& x) {
    bench.ends[1].point = {x[0], x[1], x[2]};
    bench.set_axes(1, cardan(x[3], x[4], x[5]));
    Eigen::VectorXd F(6);
    int i = 0;
    for (const char* name : {"force.x", "force.y", "force.z", "torque.1", "torque.2", "torque.3"}) {
      F[i++] = bench.quantity(name);
    }
    return F;
  };
  for (int signs = 0; signs < 8; ++signs) {
    Eigen::VectorXd base = Eigen::VectorXd::Zero(6);
    base[0] = signs & 1 ? 0.01 : -0.01;
    base[2] = signs & 2 ? 0.01 : -0.01;
    base[4] = signs & 4 ? 0.01 : -0.01;
    Eigen::MatrixXd C(6, 6);  // the load is linear on either side of a sign
    for (int j = 0; j < 6; ++j) {
      C.col(j) = (load(base + 0.005 * Eigen::VectorXd::Unit(6, j)) - load(base)) / 0.005;
    }
    EXPECT_LT((C - C.transpose()).norm(), 1e-6) << signs;
    const double least = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(C).eigenvalues()[0];
    EXPECT_GT(least, 138) << signs;  // 138.8 to 148.0
    EXPECT_LT(least, 149) << signs;
    EXPECT_NEAR(C(0, 0), signs & 1 ? 140000 : 50000, 1e-5);
    EXPECT_NEAR(C(2, 2), signs & 2 ? 390000 : 1083000, 1e-4);
    EXPECT_NEAR(C(4, 4), signs & 4 ? 151.8 : 185.6, 1e-6);
  }
  bench.constant("scale") = 0.33;
  EXPECT_NEAR(load(Eigen::VectorXd::Unit(6, 1) * 0.01)[1], 0.33 * 1220, 1e-10);
}

TEST(BodilyForces, TissueIsCubicInDisplacementsAndLinearInAngles) {
  Bench bench("Wobbling");
  bench.constant("stiffness") = 1e7;
  bench.constant("damping") = 100;
  bench.constant("rotational_stiffness") = 40;
  bench.constant("rotational_damping") = 2;
  bench.ends[1].point = {0.01, -0.02, 0};
  bench.ends[1].velocity = {0.3, 0, -0.1};
  bench.set_axes(1, cardan(0.1, 0, 0));
  EXPECT_NEAR(bench.quantity("force.x"), 10 + 30, 1e-12);
  EXPECT_NEAR(bench.quantity("force.y"), -80, 1e-12);
  EXPECT_NEAR(bench.quantity("force.z"), -10, 1e-12);
  EXPECT_NEAR(bench.quantity("torque.1"), 4, 1e-12);
  EXPECT_NEAR(bench.element->dissipation(bench.at()), 100 * (0.09 + 0.01), 1e-12);
}

TEST(BodilyForces, ContactIsContinuouslyDifferentiableInItsDepth) {
  Bench bench("Hertz_Plane");
  const double a = bench.constant("stiffness") = 1e5, r = bench.constant("radius") = 0.02;
  const auto force = [&](double p) {
    bench.ends[1].point = {0.3, -0.4, p};
    return bench.quantity("force");
  };
  EXPECT_EQ(force(0.001), 0);
  EXPECT_NEAR(force(-r), 2.0 / 3 * a * r, 1e-9);
  EXPECT_NEAR(force(-0.5 * r), a * r * (0.25 - 0.125 / 3), 1e-9);
  EXPECT_NEAR(force(-3 * r), a * (3 - 1.0 / 3) * r, 1e-9);
  const double h = 1e-7;
  EXPECT_NEAR((force(-r + h) - force(-r - h)) / (2 * h), -a, 1e-2);
  EXPECT_NEAR((force(-r) - force(-r - h)) / h, (force(-r + h) - force(-r)) / h, 1.0);
  EXPECT_LT(force(-h) / h, 1e-5 * a);
}

TEST(BodilyForces, FrictionOpposesTheSlipOnATurningSphere) {
  // The sphere turns about its centre, the point stands still on its top: it slips back.
  Bench bench("Hertz_Sphere");
  bench.constant("stiffness") = 1e4;
  bench.constant("radius") = 0.01;
  bench.constant("friction") = 2;
  bench.constant("sphere_radius") = 0.1;
  bench.ends[1].point = {0, 0, 0.095};
  const Vec3<double> omega{0, 3, 0};
  for (int i = 0; i < 3; ++i) bench.ends[0].axis_rate[i] = cross(omega, bench.ends[0].axis[i]);
  const double f = 1e4 * 0.01 * (0.25 - 0.125 / 3);
  EXPECT_NEAR(bench.quantity("force"), f, 1e-12);
  EXPECT_NEAR(bench.quantity("slip"), 3 * 0.095, 1e-14);
  bench.act();
  EXPECT_NEAR(bench.forces[1].force.z, f, 1e-12);
  EXPECT_NEAR(bench.forces[1].force.x, f * 2 * 3 * 0.095, 1e-12);  // dragged along
}

TEST(BodilyForces, AFaceEndsAtItsEdges) {
  Bench bench("Hertz_Face");
  bench.constant("stiffness") = 1e4;
  bench.constant("radius") = 0.01;
  bench.constant("width") = 0.4;
  bench.constant("height") = 0.2;
  const auto force = [&](double x, double y) {
    bench.ends[1].point = {x, y, -0.02};
    return bench.quantity("force");
  };
  EXPECT_GT(force(0.199, 0.099), 100);
  EXPECT_EQ(force(0.201, 0), 0);
  EXPECT_EQ(force(0, -0.101), 0);
}

TEST(BodilyForces, DampedContactNeverPulls) {
  Bench bench("Hertz_Plane");
  bench.constant("stiffness") = 1e4;
  bench.constant("radius") = 0.01;
  bench.constant("damping") = 0.5;
  bench.ends[1].point = {0, 0, -0.005};
  const double still = bench.quantity("force");
  bench.ends[1].velocity.z = -1;
  EXPECT_NEAR(bench.quantity("force"), 1.5 * still, 1e-12);
  bench.ends[1].velocity.z = 3;
  EXPECT_EQ(bench.quantity("force"), 0);
  EXPECT_GE(bench.element->dissipation(bench.at()), 0);
}

TEST(BodilyForces, StopsActBeyondTheirAnglesOnly) {
  Bench bench("Joint_Limit");
  bench.constant("lower") = -0.2;
  bench.constant("upper") = 0.5;
  bench.constant("stiffness") = 100;
  const auto torque_at = [&](double angle) {
    bench.set_axes(1, cardan(0, 0, angle));
    return bench.quantity("force");
  };
  EXPECT_EQ(torque_at(0.49), 0);
  EXPECT_NEAR(torque_at(0.6), 10, 1e-12);
  EXPECT_NEAR(torque_at(-0.4), -20, 1e-12);
}

}  // namespace
}  // namespace parfait::mechanism
