#pragma once

#include <random>
#include <string>
#include <vector>

#include "parfait/tree/algorithms/algorithms.h"

/// Trees that the tests of this room share.
namespace parfait::tree {

inline Mat3<double> test_rotation(double a, double b, double c) {
  const double ca = std::cos(a), sa = std::sin(a), cb = std::cos(b), sb = std::sin(b),
               cc = std::cos(c), sc = std::sin(c);
  const Mat3<double> X{{1, 0, 0}, {0, ca, sa}, {0, -sa, ca}};
  const Mat3<double> Y{{cb, 0, -sb}, {0, 1, 0}, {sb, 0, cb}};
  const Mat3<double> Z{{cc, sc, 0}, {-sc, cc, 0}, {0, 0, 1}};
  return X * Y * Z;
}

struct TestCoupling {
  int body = 0, coordinate = 0, to_body = 0, to_coordinate = 0;
  Function f;
};

/// What a tree is built from, kept for independent witnesses.
struct TestTree {
  std::vector<Body> bodies;
  std::vector<TestCoupling> couplings;
  Vec3<double> gravity{0.7, -0.4, -9.81};

  Tree build() const {
    TreeBuilder builder;
    builder.set_gravity(gravity);
    for (const Body& body : bodies) builder.add(body);
    for (const TestCoupling& c : couplings) {
      builder.couple(c.body, c.coordinate, c.to_body, c.to_coordinate, c.f);
    }
    return builder.build();
  }
};

/// A body of general shape, hung in general frames; `i` varies the numbers.
inline Body test_body(int i, int parent, const Joint& joint) {
  const auto wave = [&](double k) { return std::sin(1.3 * i + k); };
  Body body;
  body.name = "body_" + std::to_string(i);
  body.parent = parent;
  body.joint = joint;
  body.X_PJ = {test_rotation(0.4 * wave(1), 0.3 * wave(2), 0.5 * wave(3)),
               {0.3 * wave(4), 0.2 * wave(5), 0.5 + 0.2 * wave(6)}};
  body.X_BJ = {test_rotation(0.3 * wave(7), 0.5 * wave(8), 0.2 * wave(9)),
               {0.1 * wave(10), -0.2 * wave(11), 0.15 * wave(12)}};
  body.mass = 1.2 + 0.5 * wave(13);
  body.center = {0.2 * wave(14), 0.1 * wave(15), 0.25 * wave(16)};
  body.Theta = {0.35 + 0.1 * wave(17), 0.4 + 0.1 * wave(18), 0.3 + 0.1 * wave(19),
                0.05 * wave(20),       0.04 * wave(21),      0.06 * wave(22)};
  return body;
}

/// Every joint whose elementary motions have coordinates of their own.
inline TestTree tree_of_plain_joints() {
  const Vec3<double> a{0.3, -0.5, 0.8}, b{0.9, 0.1, -0.2};
  const std::vector<std::pair<int, Joint>> joints = {{-1, Joint::floating()},
                                                     {0, Joint::revolute(a)},
                                                     {1, Joint::spherical()},
                                                     {2, Joint::prismatic(b)},
                                                     {0, Joint::universal(a, b)},
                                                     {4, Joint::cylindrical(b)},
                                                     {5, Joint::fixed()},
                                                     {6, Joint::planar()},
                                                     {0, Joint::sequence("ZYX")},
                                                     {8, Joint::sequence("YXZ")},
                                                     {-1, Joint::sequence("xyzYXZ")},
                                                     {10, Joint::sequence("XYZ")},
                                                     {10, Joint::sequence("ZXY")},
                                                     {12, Joint::spherical()},
                                                     {-1, Joint::fixed()},
                                                     {14, Joint::sequence("zXyYxZ")}};
  TestTree tree;
  for (std::size_t i = 0; i < joints.size(); ++i) {
    tree.bodies.push_back(test_body(static_cast<int>(i), joints[i].first, joints[i].second));
  }
  return tree;
}

/// Joints in which one coordinate drives several motions, every kind of function, and coordinates
/// coupled across branches.
inline TestTree tree_of_driven_joints() {
  const Function natural = Function::spline(FunctionKind::kNaturalSpline, {-1, -0.4, 0.2, 0.9, 1.5},
                                            {0.1, 0.3, -0.2, 0.4, 0.5});
  const Function simm = Function::spline(FunctionKind::kSimmSpline, {-1.2, -0.5, 0.1, 0.8, 1.4},
                                         {0.2, -0.1, 0.3, 0.35, 0.1});
  const Function polygon =
      Function::spline(FunctionKind::kPiecewiseLinear, {-2, 0.1, 2}, {0.1, 0.2, 0.6});
  const Function line = Function::linear(0.8, 0.1);
  const Function cubic = Function::polynomial({0.3, -0.2, 0.5, 0.05});
  const Function formula = Function::of_formula("a*sin(b*q)+q^2/4", {"a", "b"}, {0.4, 1.3});
  const Vec3<double> x{1, 0.1, 0}, y{0, 1, 0.2}, z{-0.1, 0, 1};
  TestTree tree;
  const auto add = [&](int parent, const Joint& joint) {
    tree.bodies.push_back(test_body(static_cast<int>(tree.bodies.size()), parent, joint));
  };
  add(-1, Joint::revolute({0.2, 0.9, 0.1}));
  add(0, Joint::helical({0.3, 0.2, 0.9}, 0.15));
  add(1, Joint::of_functions({{{z, 0, line}, {x, 0, natural}, {y, 1, simm}}},
                             {{{x, 0, cubic}, {y, 1, polygon}, {z, 0, formula}}}));
  add(2, Joint::spherical());
  add(0, Joint::revolute({0.8, 0.1, -0.3}));
  add(4, Joint::universal({1, 0, 0}, {0, 1, 0}));
  add(-1, Joint::prismatic({0.1, 0.2, 0.9}));
  add(6, Joint::of_functions({{{x, 1, cubic}, {y, 0, line}, {z, 1, line}}},
                             {{{x, 1, line}, {y, 0, line}, {z, 0, Function::linear(0, 0.3)}}}));
  tree.couplings.push_back({4, 0, 0, 0, cubic});     // a revolute joint follows its parent's
  tree.couplings.push_back({5, 1, 3 - 2, 0, line});  // one across branches: the helical joint
  tree.couplings.push_back({7, 1, 6, 0, simm});      // a function of a function
  return tree;
}

struct TestState {
  std::vector<double> q, v, vdot;
};

/// A general state with quaternions of unit length.
inline TestState test_state(const Tree& tree, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-0.9, 0.9);
  TestState state;
  for (int i = 0; i < tree.nq; ++i) state.q.push_back(uniform(random));
  for (int i = 0; i < tree.nv; ++i) state.v.push_back(uniform(random));
  for (int i = 0; i < tree.nv; ++i) state.vdot.push_back(uniform(random));
  normalize(tree, state.q);
  return state;
}

inline double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

}  // namespace parfait::tree
