#include "parfait/tree/algorithms/algorithms.h"

#include <gtest/gtest.h>

#include "parfait/base/error.h"
#include "parfait/tree/algorithms/test_trees.h"

namespace parfait::tree {
namespace {

using Numbers = std::vector<double>;

struct Case {
  const char* name;
  TestTree (*make)();
};

class Algorithms : public ::testing::TestWithParam<Case> {
 public:
  const Tree tree = GetParam().make().build();
  Workspace ws{tree};
  const TestState state = test_state(tree, 7);
  Numbers numbers(int n) const { return Numbers(static_cast<std::size_t>(n), 0.0); }
};

INSTANTIATE_TEST_SUITE_P(Trees, Algorithms,
                         ::testing::Values(Case{"plain", tree_of_plain_joints},
                                           Case{"driven", tree_of_driven_joints}),
                         [](const auto& chosen) { return chosen.param.name; });

TEST_P(Algorithms, TreesHaveTheExpectedSizes) {
  const bool plain = std::string(GetParam().name) == "plain";
  EXPECT_EQ(tree.plain, plain);
  EXPECT_EQ(tree.nv, plain ? 6 + 1 + 3 + 1 + 2 + 2 + 0 + 3 + 3 + 3 + 6 + 3 + 3 + 3 + 0 + 6
                           : 1 + 1 + 2 + 3 + 0 + 1 + 1 + 1);
  EXPECT_EQ(tree.nq, tree.nv + (plain ? 3 : 1));
}

TEST_P(Algorithms, ForwardUndoesInverseDynamics) {
  Numbers tau = numbers(tree.nv), vdot = tau;
  std::vector<Force<double>> wrenches(tree.bodies.size());
  for (std::size_t b = 0; b < wrenches.size(); ++b) {
    const double x = static_cast<double>(b);
    wrenches[b] = {{0.3, -0.2 * x, 0.4}, {std::sin(x), 1.0, -0.5}};
  }
  inverse_dynamics(tree, state.q, state.v, state.vdot, wrenches, ws, tau);
  forward_dynamics(tree, state.q, state.v, tau, wrenches, ws, vdot);
  EXPECT_LT(largest_difference(vdot, state.vdot), 1e-11);  // measured 3e-13
  forward_dynamics_by_mass_matrix(tree, state.q, state.v, tau, wrenches, ws, vdot);
  EXPECT_LT(largest_difference(vdot, state.vdot), 1e-11);
}

TEST_P(Algorithms, MassMatrixIsTheLinearPartOfInverseDynamics) {
  Numbers tau = numbers(tree.nv), c = tau;
  compute_mass_matrix(tree, state.q, ws);
  inverse_dynamics(tree, state.q, state.v, state.vdot, {}, ws, tau);
  nonlinear_effects(tree, state.q, state.v, ws, c);
  Numbers product = c;
  for (int i = 0; i < tree.nv; ++i) {
    for (int j = 0; j < tree.nv; ++j) {
      product[i] += ws.H[i * tree.nv + j] * state.vdot[j];
      EXPECT_EQ(ws.H[i * tree.nv + j], ws.H[j * tree.nv + i]);
    }
  }
  EXPECT_LT(largest_difference(product, tau), 1e-12);
}

TEST_P(Algorithms, SolvesWithTheMassMatrixAgree) {
  compute_mass_matrix(tree, state.q, ws);
  Numbers b = numbers(tree.nv);
  for (int i = 0; i < tree.nv; ++i) {
    for (int j = 0; j < tree.nv; ++j) b[i] += ws.H[i * tree.nv + j] * state.vdot[j];
  }
  Numbers x = b;
  solve_mass_matrix(tree, state.q, ws, x);
  EXPECT_LT(largest_difference(x, state.vdot), 1e-12);
  if (!tree.plain) return;
  x = b;
  solve_by_articulated_bodies(tree, state.q, ws, x);
  EXPECT_LT(largest_difference(x, state.vdot), 1e-12);
}

/// Central difference of f(position displaced by h v) at h = 0.
template <class F>
auto rate_along_motion(const Tree& tree, const TestState& state, const F& f) {
  const double h = 1e-5;  // truncation h^2, rounding 1e-16 / h
  Numbers step = state.v, q = state.q;
  for (double& x : step) x *= h;
  displace(tree, state.q, step, q);
  auto plus = f(q);
  for (double& x : step) x = -x;
  displace(tree, state.q, step, q);
  const auto minus = f(q);
  for (std::size_t i = 0; i < plus.size(); ++i) plus[i] = (plus[i] - minus[i]) / (2 * h);
  return plus;
}

TEST_P(Algorithms, RatesOfPositionsAreThoseOfTheMotion) {
  Numbers qdot = numbers(tree.nq);
  position_rates(tree, state.q, state.v, qdot);
  const Numbers expected = rate_along_motion(tree, state, [](const Numbers& q) { return q; });
  EXPECT_LT(largest_difference(qdot, expected), 1e-9);
}

TEST_P(Algorithms, JacobiansAreDerivativesOfPoints) {
  const Vec3<double> point{0.3, -0.2, 0.5};
  for (int body = 0; body < tree.num_bodies(); ++body) {
    Numbers J = numbers(6 * tree.nv), Jdot = J;
    point_jacobian(tree, state.q, body, point, ws, J);
    point_jacobian_rate(tree, state.q, state.v, body, point, ws, Jdot);
    const Vec3<double> velocity = point_velocity(tree, state.q, state.v, body, point, ws);
    const Motion<double> motion = body_velocity(tree, state.q, state.v, body, ws);
    const Motion<double> bias = point_acceleration(tree, state.q, state.v, {}, body, point, ws);
    const Motion<double> full =
        point_acceleration(tree, state.q, state.v, state.vdot, body, point, ws);
    Numbers product = numbers(6), rate = numbers(6), acceleration = numbers(6);
    for (int row = 0; row < 6; ++row) {
      for (int k = 0; k < tree.nv; ++k) {
        product[row] += J[row * tree.nv + k] * state.v[k];
        rate[row] += Jdot[row * tree.nv + k] * state.v[k];
        acceleration[row] += J[row * tree.nv + k] * state.vdot[k];
      }
      acceleration[row] += rate[row];
    }
    const auto six = [](const Vec3<double>& a, const Vec3<double>& b) {
      return Numbers{a.x, a.y, a.z, b.x, b.y, b.z};
    };
    EXPECT_LT(largest_difference(product, six(motion.omega, velocity)), 1e-13) << body;
    EXPECT_LT(largest_difference(rate, six(bias.omega, bias.v)), 1e-12) << body;
    EXPECT_LT(largest_difference(acceleration, six(full.omega, full.v)), 1e-12) << body;
    const Numbers moved = rate_along_motion(tree, state, [&](const Numbers& q) {
      const Vec3<double> p = point_position(tree, q, body, point, ws);
      return Numbers{p.x, p.y, p.z};
    });
    EXPECT_LT(largest_difference(moved, {velocity.x, velocity.y, velocity.z}), 1e-8) << body;
    const Numbers difference = rate_along_motion(tree, state, [&](const Numbers& q) {
      Numbers at = numbers(6 * tree.nv);
      point_jacobian(tree, q, body, point, ws, at);
      return at;
    });
    EXPECT_LT(largest_difference(difference, Jdot), 1e-8) << body;
  }
}

TEST_P(Algorithms, PowerOfForcesIsTheRateOfEnergy) {
  Numbers tau = numbers(tree.nv);
  inverse_dynamics(tree, state.q, state.v, state.vdot, {}, ws, tau);
  double power = 0;
  for (int k = 0; k < tree.nv; ++k) power += tau[k] * state.v[k];
  const double h = 1e-5;
  const auto energy = [&](double step) {
    Numbers delta = state.v, q = state.q, v = state.v;
    // Displacements with the curvature of the motion: delta = h v + h^2 vdot / 2.
    for (int k = 0; k < tree.nv; ++k) {
      delta[k] = step * state.v[k] + step * step / 2 * state.vdot[k];
      v[k] += step * state.vdot[k];
    }
    displace(tree, state.q, delta, q);
    const Energies e = energies(tree, q, v, ws);
    return e.kinetic + e.potential;
  };
  ASSERT_GT(std::abs(power), 0.1);
  EXPECT_NEAR((energy(h) - energy(-h)) / (2 * h), power, 1e-7 * (1 + std::abs(power)));
}

TEST_P(Algorithms, MomentumChangesByOuterForcesOnly) {
  // The ground carries whole trees: its reaction is what is missing. So look at the momentum about
  // the centre of mass through its matrix, and at its rate through forces of the ground.
  const CenterOfMass center = center_of_mass(tree, state.q, state.v, ws);
  Numbers A = numbers(6 * tree.nv);
  centroidal_momentum_matrix(tree, state.q, ws, A);
  Numbers product = numbers(6);
  for (int row = 0; row < 6; ++row) {
    for (int k = 0; k < tree.nv; ++k) product[row] += A[row * tree.nv + k] * state.v[k];
  }
  const Vec3<double> linear = center.mass * center.velocity;
  EXPECT_LT(largest_difference(product, {center.angular_momentum.x, center.angular_momentum.y,
                                         center.angular_momentum.z, linear.x, linear.y, linear.z}),
            1e-13);
  const Force<double> spatial = spatial_momentum(tree, state.q, state.v, ws);
  const Vec3<double> moment = center.angular_momentum + cross(center.position, linear);
  EXPECT_NEAR(spatial.n.x, moment.x, 1e-12);
  EXPECT_NEAR(spatial.n.y, moment.y, 1e-12);
  EXPECT_NEAR(spatial.n.z, moment.z, 1e-12);
  EXPECT_NEAR(spatial.f.z, linear.z, 1e-13);
}

TEST(FloatingTree, MomentumOfAFreeTreeChangesByItsWeightOnly) {
  TestTree free = tree_of_plain_joints();
  free.bodies.resize(10);  // all on the floating body
  const Tree tree = free.build();
  Workspace ws(tree);
  TestState state = test_state(tree, 5);
  Numbers tau(static_cast<std::size_t>(tree.nv), 0.0), vdot = tau;
  for (int k = 6; k < tree.nv; ++k) tau[k] = 0.3 * std::sin(k);  // inner forces
  forward_dynamics(tree, state.q, state.v, tau, {}, ws, vdot);
  const double h = 1e-5;
  const auto momentum = [&](double step) {
    Numbers delta = state.v, q = state.q, v = state.v;
    for (int k = 0; k < tree.nv; ++k) {
      delta[k] = step * state.v[k] + step * step / 2 * vdot[k];
      v[k] += step * vdot[k];
    }
    displace(tree, state.q, delta, q);
    return center_of_mass(tree, q, v, ws);
  };
  const CenterOfMass plus = momentum(h), minus = momentum(-h);
  const Vec3<double> a = (1 / (2 * h)) * (plus.velocity - minus.velocity);
  const Vec3<double> d = (1 / (2 * h)) * (plus.angular_momentum - minus.angular_momentum);
  EXPECT_NEAR(a.x, 0.7, 1e-8);
  EXPECT_NEAR(a.y, -0.4, 1e-8);
  EXPECT_NEAR(a.z, -9.81, 1e-8);
  EXPECT_LT(std::sqrt(dot(d, d)), 1e-7);
  ASSERT_GT(std::sqrt(dot(plus.angular_momentum, plus.angular_momentum)), 0.1);
}

TEST_P(Algorithms, AWorkspaceKnowsWhatIsCurrent) {
  // Whatever was asked before, at the same or another state, the answer is that of a fresh one.
  const TestState other = test_state(tree, 11);
  Numbers warm = numbers(tree.nv), fresh = warm;
  const auto forward = [&](const Numbers& q, const Numbers& v, Workspace& room, Numbers& out) {
    forward_dynamics(tree, q, v, state.vdot, {}, room, out);
  };
  forward(state.q, state.v, ws, warm);
  for (const auto& [q, v] : {std::pair(state.q, other.v), std::pair(other.q, other.v),
                             std::pair(other.q, state.v), std::pair(state.q, state.v)}) {
    compute_mass_matrix(tree, q, ws);
    point_position(tree, q, 0, {0, 0, 0}, ws);
    forward(q, v, ws, warm);
    Workspace room(tree);
    forward(q, v, room, fresh);
    EXPECT_EQ(warm, fresh);
  }
  Constants<double> heavier = tree.constants;
  heavier.bodies[0].mass += 1;
  ws.bind(tree, heavier);
  Numbers changed = warm;
  forward(state.q, state.v, ws, changed);
  EXPECT_GT(largest_difference(changed, warm), 1e-3);
}

TEST(TreeBuilder, RefusesWhatIsNoTree) {
  TreeBuilder builder;
  Body body;
  body.name = "arm";
  body.mass = 1;
  body.parent = 0;
  EXPECT_THROW(builder.add(body), base::InputError);
  body.parent = -1;
  body.joint = Joint::revolute({0, 0, 0});
  EXPECT_THROW(builder.add(body), base::InputError);
  body.joint = Joint::revolute({0, 0, 1});
  body.mass = -1;
  EXPECT_THROW(builder.add(body), base::InputError);
  body.mass = 1;
  builder.add(body);
  EXPECT_THROW(builder.couple(0, 0, 0, 0, Function::linear(1, 0)), base::InputError);
  EXPECT_THROW(builder.couple(0, 1, 0, 0, Function::linear(1, 0)), base::InputError);
  EXPECT_THROW(Joint::sequence("XQ"), base::InputError);
}

}  // namespace
}  // namespace parfait::tree
