#include "parfait/tree/algorithms/derivatives.h"

#include <gtest/gtest.h>

#include "parfait/tree/algorithms/test_trees.h"

namespace parfait::tree {
namespace {

using math::Dual;
using math::Lane;
using Numbers = std::vector<double>;

struct DerivativeCase {
  const char* name;
  TestTree (*make)();
  bool with_wrenches;
};

class Derivatives : public ::testing::TestWithParam<DerivativeCase> {
 public:
  Derivatives() {
    if (!GetParam().with_wrenches) return;
    for (int b = 0; b < tree.num_bodies(); ++b) {
      wrenches.push_back({{0.3, -0.2 * b, 0.4}, {std::sin(b), 1.0, -0.5}});
    }
  }
  const Tree tree = GetParam().make().build();
  std::vector<Force<double>> wrenches;
  Workspace ws{tree};
  DerivativeWorkspace room{tree};
  const TestState state = test_state(tree, 21);

  /// Columns of the derivative of f with respect to displacements of q, or with respect to v, by
  /// central differences along the manifold. Truncation h^2 and rounding 1e-15 / h meet near 1e-9.
  template <class F>
  Numbers differences(bool of_q, const F& f) const {
    const double h = 3e-6;
    const int n = tree.nv;
    Numbers out(n * n);
    for (int k = 0; k < n; ++k) {
      const auto at = [&](double step) {
        Numbers q = state.q, v = state.v, delta(n, 0.0);
        delta[k] = step;
        if (of_q) {
          displace(tree, state.q, delta, q);
        } else {
          v[k] += step;
        }
        return f(q, v);
      };
      const Numbers plus = at(h), minus = at(-h);
      for (int i = 0; i < n; ++i) out[i * n + k] = (plus[i] - minus[i]) / (2 * h);
    }
    return out;
  }
  void expect_close(const Numbers& a, const Numbers& b, double tolerance) const {
    double scale = 0;
    for (const double x : b) scale = std::max(scale, std::abs(x));
    EXPECT_GT(scale, 0.1);
    EXPECT_LT(largest_difference(a, b), tolerance * scale);
  }
};

INSTANTIATE_TEST_SUITE_P(
    Trees, Derivatives,
    ::testing::Values(DerivativeCase{"plain", tree_of_plain_joints, false},
                      DerivativeCase{"driven", tree_of_driven_joints, false},
                      DerivativeCase{"plain_with_wrenches", tree_of_plain_joints, true},
                      DerivativeCase{"driven_with_wrenches", tree_of_driven_joints, true}),
    [](const auto& chosen) { return chosen.param.name; });

TEST_P(Derivatives, OfInverseDynamicsAreThoseOfDifferences) {
  inverse_dynamics_derivatives(tree, state.q, state.v, state.vdot, wrenches, ws, room);
  const auto inverse = [&](const Numbers& q, const Numbers& v) {
    Workspace fresh(tree);
    Numbers tau(tree.nv);
    inverse_dynamics(tree, q, v, state.vdot, wrenches, fresh, tau);
    return tau;
  };
  expect_close(room.dtau_dq, differences(true, inverse), 1e-8);  // measured 4e-10
  expect_close(room.dtau_dv, differences(false, inverse), 1e-8);
  Workspace other(tree);
  compute_mass_matrix(tree, state.q, other);
  EXPECT_LT(largest_difference(ws.H, other.H), 1e-13);
}

TEST_P(Derivatives, OfForwardDynamicsAreThoseOfDifferences) {
  Numbers tau(tree.nv), vdot(tree.nv);
  for (int k = 0; k < tree.nv; ++k) tau[k] = std::sin(k);
  forward_dynamics_derivatives(tree, state.q, state.v, tau, wrenches, ws, room, vdot);
  const auto forward = [&](const Numbers& q, const Numbers& v) {
    Workspace fresh(tree);
    Numbers out(tree.nv);
    forward_dynamics(tree, q, v, tau, wrenches, fresh, out);
    return out;
  };
  EXPECT_EQ(vdot, forward(state.q, state.v));
  expect_close(room.dvdot_dq, differences(true, forward), 1e-8);
  expect_close(room.dvdot_dv, differences(false, forward), 1e-8);
  const int n = tree.nv;
  compute_mass_matrix(tree, state.q, ws);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      double product = 0;
      for (int k = 0; k < n; ++k) product += ws.H[i * n + k] * room.dvdot_dtau[k * n + j];
      EXPECT_NEAR(product, i == j ? 1 : 0, 1e-11);
    }
  }
}

TEST_P(Derivatives, AreTheSameByDualNumbers) {
  Numbers tau(tree.nv), vdot(tree.nv);
  for (int k = 0; k < tree.nv; ++k) tau[k] = std::cos(k);
  forward_dynamics_derivatives(tree, state.q, state.v, tau, wrenches, ws, room, vdot);
  std::vector<Force<Dual>> lifted;
  for (const auto& w : wrenches) {
    lifted.push_back(
        {{Dual(w.n.x), Dual(w.n.y), Dual(w.n.z)}, {Dual(w.f.x), Dual(w.f.y), Dual(w.f.z)}});
  }
  DirectionWorkspace directions(tree);
  const int n = tree.nv;
  Numbers dq(n * n), dv(n * n), qdot(tree.nq);
  std::vector<Lane> out(n);
  for (int first = 0; first < n; first += math::kLanes / 2) {  // half the lanes each
    for (int i = 0; i < tree.nq; ++i) directions.q[i] = Dual(state.q[i]);
    for (int i = 0; i < n; ++i) directions.v[i] = Dual(state.v[i]);
    for (int lane = 0; lane < math::kLanes / 2 && first + lane < n; ++lane) {
      Numbers unit(n, 0.0);
      unit[first + lane] = 1;
      position_rates(tree, state.q, unit, qdot);
      for (int i = 0; i < tree.nq; ++i) directions.q[i].d[lane] = qdot[i];
      directions.v[first + lane].d[math::kLanes / 2 + lane] = 1;
    }
    forward_dynamics_directions(tree, vdot, lifted.empty() ? nullptr : lifted.data(), nullptr, ws,
                                directions, out.data());
    for (int lane = 0; lane < math::kLanes / 2 && first + lane < n; ++lane) {
      for (int i = 0; i < n; ++i) {
        dq[i * n + first + lane] = out[i][lane];
        dv[i * n + first + lane] = out[i][math::kLanes / 2 + lane];
      }
    }
  }
  expect_close(room.dvdot_dq, dq, 1e-12);
  expect_close(room.dvdot_dv, dv, 1e-12);
}

/// A constant of the tree with its name, for numbers and for duals.
template <class S>
std::vector<std::pair<std::string, S*>> every_constant(Constants<S>& c) {
  std::vector<std::pair<std::string, S*>> all;
  const auto vector = [&](const std::string& name, Vec3<S>& a) {
    all.emplace_back(name + ".x", &a.x);
    all.emplace_back(name + ".y", &a.y);
    all.emplace_back(name + ".z", &a.z);
  };
  vector("gravity", c.gravity);
  for (std::size_t b = 0; b < c.bodies.size(); ++b) {
    const std::string name = "body " + std::to_string(b);
    BodyConstants<S>& body = c.bodies[b];
    all.emplace_back(name + " mass", &body.mass);
    vector(name + " center", body.center);
    vector(name + " X_PJ.p", body.X_PJ.p);
    vector(name + " X_BJ.p", body.X_BJ.p);
    for (S* x : {&body.Theta.xx, &body.Theta.yy, &body.Theta.zz, &body.Theta.xy, &body.Theta.xz,
                 &body.Theta.yz}) {
      all.emplace_back(name + " Theta", x);
    }
    for (auto& axis : body.axes) vector(name + " axis", axis);
  }
  for (std::size_t f = 0; f < c.functions.size(); ++f) {
    for (S& x : c.functions[f]) all.emplace_back("function " + std::to_string(f), &x);
  }
  return all;
}

TEST_P(Derivatives, WithRespectToEveryConstantAreThoseOfDifferences) {
  Numbers tau(tree.nv), vdot(tree.nv);
  for (int k = 0; k < tree.nv; ++k) tau[k] = std::cos(k);
  forward_dynamics(tree, state.q, state.v, tau, {}, ws, vdot);
  Constants<double> numbers = tree.constants;
  Constants<Dual> duals = without_directions(tree.constants);
  const auto names = every_constant(numbers);
  const auto with_directions = every_constant(duals);
  ASSERT_EQ(names.size(), with_directions.size());
  DirectionWorkspace directions(tree);
  std::vector<Lane> out(tree.nv);
  const double h = 1e-6;
  int moving = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    with_directions[i].second->d[3] = 1;
    directions.bind(tree, duals);
    with_directions[i].second->d[3] = 0;
    for (int k = 0; k < tree.nq; ++k) directions.q[k] = Dual(state.q[k]);
    for (int k = 0; k < tree.nv; ++k) directions.v[k] = Dual(state.v[k]);
    forward_dynamics_directions(tree, vdot, nullptr, nullptr, ws, directions, out.data());
    const double value = *names[i].second;
    const auto at = [&](double step) {
      *names[i].second = value + step;
      Workspace fresh(tree);
      fresh.bind(tree, numbers);
      *names[i].second = value;
      Numbers result(tree.nv);
      forward_dynamics(tree, state.q, state.v, tau, {}, fresh, result);
      return result;
    };
    const Numbers plus = at(h), minus = at(-h);
    double scale = 1, size = 0, worst = 0;
    for (int k = 0; k < tree.nv; ++k) {
      const double slope = (plus[k] - minus[k]) / (2 * h);
      scale = std::max(scale, std::abs(slope));
      size = std::max(size, std::abs(slope));
      worst = std::max(worst, std::abs(slope - out[k][3]));
    }
    EXPECT_LT(worst, 1e-7 * scale) << names[i].first;
    moving += size > 1e-3;
  }
  EXPECT_GT(moving, static_cast<int>(names.size()) / 2);
}

TEST_P(Derivatives, WithRespectToRotationsOfJointFramesAreThoseOfDifferences) {
  Numbers tau(tree.nv, 0.3), vdot(tree.nv);
  forward_dynamics(tree, state.q, state.v, tau, {}, ws, vdot);
  DirectionWorkspace directions(tree);
  std::vector<Lane> out(tree.nv);
  const double h = 1e-6;
  for (int b = 0; b < tree.num_bodies(); ++b) {
    for (int which = 0; which < 6; ++which) {
      const Vec3<double> axis{which % 3 == 0 ? 1.0 : 0, which % 3 == 1 ? 1.0 : 0,
                              which % 3 == 2 ? 1.0 : 0};
      const auto turned = [&](const Mat3<double>& R, double angle) {
        const double c = std::cos(angle), s = std::sin(angle);
        const auto turn = [&](const Vec3<double>& a) {
          return c * a + s * cross(axis, a) + ((1 - c) * dot(axis, a)) * axis;
        };
        return Mat3<double>{turn(R.x), turn(R.y), turn(R.z)};
      };
      const auto at = [&](double step) {
        Constants<double> numbers = tree.constants;
        auto& X = which < 3 ? numbers.bodies[b].X_PJ : numbers.bodies[b].X_BJ;
        X.R = turned(X.R, step);
        Workspace fresh(tree);
        fresh.bind(tree, numbers);
        Numbers result(tree.nv);
        forward_dynamics(tree, state.q, state.v, tau, {}, fresh, result);
        return result;
      };
      Constants<Dual> duals = without_directions(tree.constants);
      auto& X = which < 3 ? duals.bodies[b].X_PJ : duals.bodies[b].X_BJ;
      for (Vec3<Dual>* column : {&X.R.x, &X.R.y, &X.R.z}) {
        const Vec3<double> rate = cross(axis, Vec3<double>{column->x.v, column->y.v, column->z.v});
        column->x.d[0] = rate.x;
        column->y.d[0] = rate.y;
        column->z.d[0] = rate.z;
      }
      directions.bind(tree, duals);
      for (int k = 0; k < tree.nq; ++k) directions.q[k] = Dual(state.q[k]);
      for (int k = 0; k < tree.nv; ++k) directions.v[k] = Dual(state.v[k]);
      forward_dynamics_directions(tree, vdot, nullptr, nullptr, ws, directions, out.data());
      const Numbers plus = at(h), minus = at(-h);
      double scale = 1, worst = 0;
      for (int k = 0; k < tree.nv; ++k) {
        const double slope = (plus[k] - minus[k]) / (2 * h);
        scale = std::max(scale, std::abs(slope));
        worst = std::max(worst, std::abs(slope - out[k][0]));
      }
      EXPECT_LT(worst, 1e-7 * scale) << "body " << b << " rotation " << which;
    }
  }
}

}  // namespace
}  // namespace parfait::tree
