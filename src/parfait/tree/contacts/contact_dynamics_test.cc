#include "parfait/tree/contacts/contact_dynamics.h"

#include <gtest/gtest.h>

#include "parfait/base/error.h"
#include "parfait/math/dense_solves.h"
#include "parfait/tree/algorithms/test_trees.h"
#include "parfait/tree/contacts/contact_derivatives.h"

/// Contacts: published values of the triple pendulum, four methods against each other, redundant
/// rows, rolling, impulses, and directions against differences.
namespace parfait::tree {
namespace {

using Numbers = std::vector<double>;
using math::Dual;
using math::Lane;

constexpr ContactMethod kMethods[] = {ContactMethod::kRangeSpace, ContactMethod::kDirect,
                                      ContactMethod::kNullSpace, ContactMethod::kKokkevis};

void expect_near(const Numbers& a, const Numbers& b, double tolerance, const char* what = "") {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance) << what << i;
}

/// The triple pendulum of Felis 2015, Algorithm 4, with Cardan angles ZYX.
struct Pendulum {
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
  const Numbers q{-0.829, -0.526, 0.603, 0.164, -0.812, -0.134, -0.042, -0.681, 0.469};
  const Numbers v{-0.773, -0.218, 0.033, -0.139, 0.174, 0.476, 0.913, -0.432, 0.297};
  const Numbers tau{0.392, -0.415, -0.997, 0.947, -0.403, -0.372, 0.783, 0.17, -0.057};
  const Vec3<double> axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
};

TEST(Contacts, HoldTheTipOfTheTriplePendulum) {
  Pendulum p;
  ContactSet set;
  set.add_point("tip", {2, {0, 0, -1}}, {0, 0, 0}, p.axes);
  const auto view = set.all();
  Workspace ws(p.tree);
  ContactWorkspace room(p.tree, set);
  for (const ContactMethod method : kMethods) {
    SCOPED_TRACE(text(method));
    Numbers vdot(9);
    ContactOptions options;
    options.method = method;
    forward_dynamics_with_contacts(p.tree, set, view, p.q, p.v, p.tau, options, ws, room, vdot);
    expect_near(vdot,
                {3.4200131514, 2.0101840631, -2.3253318556, 12.724654807, -7.6788070554,
                 -7.9031168589, 4.6709316759, 4.5943695332, -12.5930919372},
                1e-9);
    expect_near(room.lambda, {0.8189888149, -0.3729435486, 1.9240768535}, 1e-10);
    EXPECT_EQ(room.rank, 3);
  }
}

TEST(Contacts, StopTheTipOfTheTriplePendulum) {
  Pendulum p;
  Workspace ws(p.tree);
  for (const double e : {0.0, 0.5}) {
    ContactSet set;
    set.add_point("tip", {2, {0, 0, -1}}, {0, 0, 0}, p.axes, e, false);
    ContactWorkspace room(p.tree, set);
    for (const ContactMethod method : kMethods) {
      SCOPED_TRACE(text(method));
      ContactOptions options;
      options.method = method;
      Numbers after(9);
      contact_impulses(p.tree, set, set.all(), p.q, p.v, options, ws, room, after);
      const Numbers impulse = e == 0 ? Numbers{-0.02788787, 0.0688758828, -0.1344536412}
                                     : Numbers{-0.0418318051, 0.1033138243, -0.2016804618};
      expect_near(room.impulse, impulse, 1e-10);
      if (e == 0) {
        expect_near(after,
                    {-0.6479090626, -0.0608851495, -0.0763168235, -0.2138770656, 0.281013283,
                     0.4778692715, 1.0455821909, -0.4376924715, 0.4471172858},
                    1e-10);
      }
    }
  }
}

TEST(Contacts, RestitutionActsOnTheNormalAloneOrOnAll) {
  Pendulum p;
  Workspace ws(p.tree);
  const Vec3<double> normal_first[3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
  for (const bool normal_only : {true, false}) {
    ContactSet set;
    set.add_point("tip", {2, {0, 0, -1}}, {0, 0, 0}, normal_first, 0.4, normal_only);
    ContactWorkspace room(p.tree, set);
    Numbers after(9), before(3), rates(3);
    contact_velocities(p.tree, set, set.all(), p.q, p.v, ws, before);
    contact_impulses(p.tree, set, set.all(), p.q, p.v, {}, ws, room, after);
    contact_velocities(p.tree, set, set.all(), p.q, after, ws, rates);
    expect_near(
        rates,
        {-0.4 * before[0], normal_only ? 0 : -0.4 * before[1], normal_only ? 0 : -0.4 * before[2]},
        1e-13);
  }
}

/// A floating trunk with two legs of three joints each.
Tree walker() {
  TestTree tree;
  tree.bodies.push_back(test_body(0, -1, Joint::sequence("xyzYXZ")));
  for (int leg = 0; leg < 2; ++leg) {
    const int first = 1 + 3 * leg;
    tree.bodies.push_back(test_body(first, 0, Joint::sequence("YX")));
    tree.bodies.push_back(test_body(first + 1, first, Joint::revolute({0, 1, 0})));
    tree.bodies.push_back(test_body(first + 2, first + 1, Joint::universal({0, 1, 0}, {1, 0, 0})));
  }
  return tree.build();
}

/// Two points per foot, three rows each: one of six follows from the others.
ContactSet feet() {
  const Vec3<double> axes[3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
  ContactSet set;
  set.add_point("left heel", {3, {-0.1, 0, -0.1}}, {0, 0, 0}, axes);
  set.add_point("left toe", {3, {0.2, 0.05, -0.1}}, {0, 0, 0}, axes);
  set.add_point("right heel", {6, {-0.1, 0, -0.1}}, {0, 0, 0}, axes);
  set.add_point("right toe", {6, {0.2, -0.05, -0.1}}, {0, 0, 0}, axes);
  set.add_plane("belly", {0, {0, 0, -0.2}}, {-1, {0, 0, 0}}, {0.1, 0, 1});
  set.add_line("rail", {5, {0.1, 0, 0}}, {0, {0, 0.3, 0}}, {0, 0, 1});
  Transform<double> X_B, X_O;
  X_B.p = {0.1, 0.2, 0};
  X_O.p = {0, 0.1, -0.3};
  set.add_loop("brace", 2, X_B, 5, X_O, {true, false, true, false, true, false});
  return set;
}

struct Walk {
  Tree tree = walker();
  Numbers q, v, tau;
  Walk() {
    for (int i = 0; i < tree.nq; ++i) q.push_back(0.4 * std::sin(1.7 * i + 0.3));
    for (int i = 0; i < tree.nv; ++i) {
      v.push_back(0.8 * std::cos(2.1 * i));
      tau.push_back(3 * std::sin(0.9 * i + 1));
    }
  }
};

TEST(Contacts, FourMethodsAgreeForEveryViewAlsoWithRedundantRows) {
  Walk w;
  const ContactSet set = feet();
  Workspace ws(w.tree);
  ContactWorkspace room(w.tree, set);
  const std::vector<std::vector<std::string>> views = {
      {"left heel"},
      {"left heel", "left toe"},
      {"left heel", "left toe", "right heel", "right toe"},
      {"belly", "rail"},
      {"brace", "right toe"},
      {"left toe", "belly", "brace"}};
  const std::vector<int> redundant = {0, 1, 2, 0, 0, 0};
  for (std::size_t k = 0; k < views.size(); ++k) {
    const auto view = set.view(views[k]);
    Numbers expected(w.tree.nv), vdot(w.tree.nv), forces, rows(view.rows.size());
    ContactOptions options;
    options.alpha = 2;
    options.beta = 3;
    forward_dynamics_with_contacts(w.tree, set, view, w.q, w.v, w.tau, options, ws, room, expected);
    forces = room.lambda;
    EXPECT_EQ(static_cast<int>(room.redundant.size()), redundant[k]) << k;
    for (const ContactMethod method : kMethods) {
      SCOPED_TRACE(text(method) + std::string(" ") + std::to_string(k));
      options.method = method;
      forward_dynamics_with_contacts(w.tree, set, view, w.q, w.v, w.tau, options, ws, room, vdot);
      double size = 1;
      for (const double x : expected) size = std::max(size, std::abs(x));
      for (const double x : forces) size = std::max(size, std::abs(x));
      expect_near(vdot, expected, 1e-10 * size, "vdot ");
      expect_near(room.lambda, forces, 1e-10 * size, "lambda ");
    }
    // What holds: H vdot + c = tau + G^T lambda and (where rows are not at odds) g'' as asked.
    Numbers needed(w.tree.nv), G(view.rows.size() * w.tree.nv);
    inverse_dynamics(w.tree, w.q, w.v, expected, {}, ws, needed);
    contact_jacobian(w.tree, set, view, w.q, ws, G);
    for (int i = 0; i < w.tree.nv; ++i) {
      double sum = w.tau[i];
      for (std::size_t r = 0; r < view.rows.size(); ++r) sum += G[r * w.tree.nv + i] * forces[r];
      EXPECT_NEAR(needed[i], sum, 1e-9);
    }
    // The shortest forces are those along the rows: lambda = G x.
    const Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>> rows_of(
        G.data(), static_cast<Eigen::Index>(view.rows.size()), w.tree.nv);
    const Eigen::MatrixXd dense = rows_of;
    const Eigen::VectorXd lambda = Eigen::Map<const Eigen::VectorXd>(forces.data(), dense.rows());
    const Eigen::VectorXd x = math::solve_least_squares(dense, lambda);
    EXPECT_LT((dense * x - lambda).norm(), 1e-10 * (1 + lambda.norm())) << k;
  }
}

TEST(Contacts, RedundantForcesAreTheShortest) {
  // Two equal points share their force.
  Pendulum p;
  const Vec3<double> up[1] = {{0, 0, 1}};
  ContactSet one, two;
  one.add_point("a", {2, {0, 0, -1}}, {0, 0, 0}, up);
  two.add_point("a", {2, {0, 0, -1}}, {0, 0, 0}, up);
  two.add_point("b", {2, {0, 0, -1}}, {0, 0, 0}, up);
  Workspace ws(p.tree);
  ContactWorkspace room_1(p.tree, one), room_2(p.tree, two);
  Numbers vdot_1(9), vdot_2(9);
  forward_dynamics_with_contacts(p.tree, one, one.all(), p.q, p.v, p.tau, {}, ws, room_1, vdot_1);
  forward_dynamics_with_contacts(p.tree, two, two.all(), p.q, p.v, p.tau, {}, ws, room_2, vdot_2);
  expect_near(vdot_2, vdot_1, 1e-11);
  expect_near(room_2.lambda, {room_1.lambda[0] / 2, room_1.lambda[0] / 2}, 1e-12);
  EXPECT_EQ(room_2.redundant.size(), 1u);
}

TEST(Contacts, ASphereThatSpinsAndRollsDoesNotAccelerate) {
  TestTree described;
  described.gravity = {0, 0, -9.81};
  Body ball;
  ball.name = "ball";
  ball.joint = Joint::floating();
  ball.mass = 2;
  ball.Theta = {0.05, 0.05, 0.05, 0, 0, 0};
  described.bodies.push_back(ball);
  const Tree tree = described.build();
  const double r = 0.25;
  ContactSet set;
  set.add_rolling_sphere("floor", {0, {0, 0, 0}}, r, {0, 0, 0}, {0, 0, 1});
  Workspace ws(tree);
  ContactWorkspace room(tree, set);
  // Rolling about an axis that is neither upright nor level: v = omega x r n, and a spin about n.
  Numbers q{0.1, -0.2, r, 1, 0, 0, 0}, v{0, 0, 0, 3, -2, 5};
  v[0] = r * v[4];
  v[1] = -r * v[3];
  Numbers rates(3), vdot(6);
  contact_velocities(tree, set, set.all(), q, v, ws, rates);
  expect_near(rates, {0, 0, 0}, 1e-14);
  forward_dynamics_with_contacts(tree, set, set.all(), q, v, Numbers(6, 0.0), {}, ws, room, vdot);
  expect_near(vdot, Numbers(6, 0.0), 1e-13);
  EXPECT_NEAR(room.lambda[0], 2 * 9.81, 1e-12);
  // On an incline it accelerates by g sin / (1 + I / (m r^2)).
  ContactSet slope;
  const double angle = 0.3;
  const Vec3<double> n{std::sin(angle), 0, std::cos(angle)};
  slope.add_rolling_sphere("slope", {0, {0, 0, 0}}, r, {0, 0, 0}, n);
  ContactWorkspace tilted(tree, slope);
  forward_dynamics_with_contacts(tree, slope, slope.all(), q, Numbers(6, 0.0), Numbers(6, 0.0), {},
                                 ws, tilted, vdot);
  const double along = vdot[0] * std::cos(angle) - vdot[2] * std::sin(angle);
  EXPECT_NEAR(along, 9.81 * std::sin(angle) / (1 + 0.05 / (2 * r * r)), 1e-12);
}

TEST(Contacts, ACylinderRollsStraightOn) {
  TestTree described;
  described.gravity = {0, 0, -9.81};
  Body roller;
  roller.name = "roller";
  roller.joint = Joint::floating();
  roller.mass = 3;
  roller.Theta = {0.2, 0.06, 0.2, 0, 0, 0};
  described.bodies.push_back(roller);
  const Tree tree = described.build();
  const double r = 0.2, angle = 0.25;
  ContactSet set;
  const Vec3<double> n{std::sin(angle), 0, std::cos(angle)};
  set.add_rolling_cylinder("slope", {0, {0, 0, 0}}, {0, 1, 0}, r, {0, 0, 0}, n);
  Workspace ws(tree);
  ContactWorkspace room(tree, set);
  const Numbers q{0, 0, 0, 1, 0, 0, 0};
  Numbers vdot(6);
  forward_dynamics_with_contacts(tree, set, set.all(), q, Numbers(6, 0.0), Numbers(6, 0.0), {}, ws,
                                 room, vdot);
  const double along = vdot[0] * std::cos(angle) - vdot[2] * std::sin(angle);
  EXPECT_NEAR(along, 9.81 * std::sin(angle) / (1 + 0.06 / (3 * r * r)), 1e-12);
  EXPECT_NEAR(vdot[3], 0, 1e-13);
  EXPECT_NEAR(vdot[5], 0, 1e-13);
}

TEST(Contacts, DirectionsAreDerivatives) {
  Walk w;
  const ContactSet set = feet();
  Workspace ws(w.tree);
  ContactWorkspace room(w.tree, set);
  const std::vector<std::string> names = {"left heel", "right toe", "belly", "brace"};
  const auto view = set.view(names);
  ContactOptions options;
  options.alpha = 1;
  options.beta = 2;
  const int n = w.tree.nv, rows = static_cast<int>(view.rows.size());
  Numbers vdot(n);
  std::vector<Lane> dvdot(n), dlambda(rows), dtau(n);
  DirectionWorkspace lanes(w.tree);
  // Eight general directions of q, v and tau.
  const auto wave = [](int i, int lane) { return std::sin(0.7 * i + 1.1 * lane + 0.2); };
  for (int i = 0; i < n; ++i) {
    lanes.q[i] = Dual(w.q[i]);
    lanes.v[i] = Dual(w.v[i]);
    for (int lane = 0; lane < math::kLanes; ++lane) {
      lanes.q[i].d[lane] = wave(i, lane);
      lanes.v[i].d[lane] = wave(i + 50, lane);
      dtau[i][lane] = wave(i + 90, lane);
    }
  }
  forward_dynamics_with_contacts(w.tree, set, view, w.q, w.v, w.tau, options, ws, room, vdot);
  contact_dynamics_directions(w.tree, set, view, vdot, options, dtau.data(), room, lanes,
                              dvdot.data(), dlambda.data());
  for (int lane = 0; lane < math::kLanes; ++lane) {
    const double h = 1e-5;
    Numbers ends[2], forces[2];
    for (int side = 0; side < 2; ++side) {
      Numbers q = w.q, v = w.v, tau = w.tau;
      const double step = side == 0 ? -h : h;
      for (int i = 0; i < n; ++i) {
        q[i] += step * wave(i, lane);
        v[i] += step * wave(i + 50, lane);
        tau[i] += step * wave(i + 90, lane);
      }
      ends[side].resize(n);
      ContactWorkspace other(w.tree, set);
      forward_dynamics_with_contacts(w.tree, set, view, q, v, tau, options, ws, other, ends[side]);
      forces[side] = other.lambda;
    }
    for (int i = 0; i < n; ++i) {
      const double fd = (ends[1][i] - ends[0][i]) / (2 * h);
      EXPECT_NEAR(dvdot[i][lane], fd, 1e-7 * (1 + std::abs(fd))) << i << ' ' << lane;
    }
    for (int i = 0; i < rows; ++i) {
      const double fd = (forces[1][i] - forces[0][i]) / (2 * h);
      EXPECT_NEAR(dlambda[i][lane], fd, 1e-7 * (1 + std::abs(fd))) << i << ' ' << lane;
    }
  }
}

/// The analytic derivatives beside directions through every sweep, which share no formula.
void expect_derivatives(const Tree& tree, const ContactSet& set, const ContactView& view,
                        const TestState& at) {
  const int n = tree.nv, rows = static_cast<int>(view.rows.size());
  ContactOptions options;
  options.alpha = 1;
  options.beta = 2;
  Workspace ws(tree);
  ContactWorkspace room(tree, set);
  ContactDerivatives found(tree, set);
  DirectionWorkspace lanes(tree);
  Numbers vdot(n), unit(n), rates(tree.nq);
  contact_dynamics_derivatives(tree, set, view, at.q, at.v, at.vdot, options, ws, room, found,
                               vdot);
  const Numbers* by[3] = {&found.dvdot_dq, &found.dvdot_dv, &found.dvdot_dtau};
  const Numbers* forces_by[3] = {&found.dlambda_dq, &found.dlambda_dv, &found.dlambda_dtau};
  std::vector<Lane> dvdot(n), dlambda(rows), dtau(n);
  double size = 1;
  for (int kind = 0; kind < 3; ++kind) {
    for (const double x : *by[kind]) size = std::max(size, std::abs(x));
    for (const double x : *forces_by[kind]) size = std::max(size, std::abs(x));
    for (int k = 0; k < n; ++k) {
      for (int i = 0; i < tree.nq; ++i) lanes.q[i] = Dual(at.q[i]);
      for (int i = 0; i < n; ++i) lanes.v[i] = Dual(at.v[i]);
      std::fill(dtau.begin(), dtau.end(), Lane());
      std::fill(unit.begin(), unit.end(), 0.0);
      unit[k] = 1;
      position_rates(tree, at.q, unit, rates);
      for (int i = 0; kind == 0 && i < tree.nq; ++i) lanes.q[i].d[0] = rates[i];
      if (kind == 1) lanes.v[k].d[0] = 1;
      if (kind == 2) dtau[k][0] = 1;
      contact_dynamics_directions(tree, set, view, vdot, options, dtau.data(), room, lanes,
                                  dvdot.data(), dlambda.data());
      for (int i = 0; i < n; ++i) {
        EXPECT_NEAR((*by[kind])[i * n + k], dvdot[i][0], 1e-11 * size)
            << kind << ": " << i << ' ' << k;
      }
      for (int i = 0; i < rows; ++i) {
        EXPECT_NEAR((*forces_by[kind])[i * n + k], dlambda[i][0], 1e-11 * size)
            << kind << ", force: " << i << ' ' << k;
      }
    }
  }
}

TEST(Contacts, AnalyticDerivativesAreThoseOfDirections) {
  const Walk w;
  const ContactSet set = feet();
  const std::vector<std::vector<std::string>> views = {
      {},
      {"left heel"},
      {"left heel", "left toe", "right heel", "right toe"},
      {"belly", "rail"},
      {"left heel", "right toe", "belly", "brace"}};
  for (const auto& names : views) {
    SCOPED_TRACE(names.size());
    expect_derivatives(w.tree, set, set.view(names), {w.q, w.v, w.tau});
  }
}

TEST(Contacts, AnalyticDerivativesKnowQuaternionsRollingAndDrivenJoints) {
  const Vec3<double> axes[2] = {{0, 0.6, 0.8}, {1, 0, 0}};
  for (const TestTree& described : {tree_of_plain_joints(), tree_of_driven_joints()}) {
    const Tree tree = described.build();
    ContactSet set;
    set.add_rolling_sphere("wheel", {3, {0.1, 0.2, 0}}, 0.3, {0, 0, 0}, {0.2, 0.1, 1});
    set.add_point("point", {5, {0.1, 0, -0.3}}, {0.1, 0.2, 0}, axes);
    set.add_plane("plane", {2, {0, 0.1, 0}}, {7, {0.2, 0, 0.1}}, {1, 0.5, 0});
    set.add_loop("loop", 5, {test_rotation(0.1, 0.2, 0.3), {0.1, 0, 0}}, 7,
                 {test_rotation(0.3, -0.2, 0.1), {0, 0.2, 0}},
                 {false, false, true, true, false, false});
    expect_derivatives(tree, set, set.all(), test_state(tree, 5));
  }
}

TEST(Contacts, AreFoundByName) {
  const ContactSet set = feet();
  const std::vector<std::string> wrong = {"left hel"};
  try {
    set.view(wrong);
    FAIL();
  } catch (const base::InputError& error) {
    EXPECT_NE(std::string(error.what()).find("Did you mean \"left heel\"?"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace parfait::tree
