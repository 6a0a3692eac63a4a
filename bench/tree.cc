// The algorithms of joint coordinates, system by system: microseconds per call, every call at
// another state than the one before, so that nothing is reused. Checked against the laws of
// mechanics first.
//
//   bench_tree [rounds]

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>

#include "laws.h"
#include "models.h"
#include "parfait/base/error.h"
#include "parfait/tree/algorithms/derivatives.h"
#include "parfait/tree/build/mechanism_tree.h"
#include "parfait/tree/contacts/contact_derivatives.h"
#include "parfait/tree/model.h"
#include "stopwatch.h"

namespace parfait::bench {
namespace {

constexpr int kStates = 16;
constexpr int kDirections = 16;

struct System {
  explicit System(mechanism::Description (*build)(double phase))
      : joints(build(0)), model(build(0)) {
    for (int i = 0; i < kStates; ++i) {
      const tree::MechanismTree other(build(0.37 * i));
      q.push_back(other.q());
      v.push_back(other.v());
      y.push_back(other.q());
      y.back().insert(y.back().end(), other.v().begin(), other.v().end());
    }
    check(build(0));
  }

  const tree::Tree& tree() const { return joints.tree(); }

  void check(const mechanism::Description& description) {
    tree::forward_dynamics(tree(), q[0], v[0], tau, {}, ws, vdot);
    Accelerations found;
    for (std::size_t b = 0; b < description.bodies.size(); ++b) {
      const auto& c = description.bodies[b].center_of_mass;
      const auto a =
          tree::point_acceleration(tree(), q[0], v[0], vdot, joints.tree_body(static_cast<int>(b)),
                                   {c[0].number, c[1].number, c[2].number}, ws);
      found.center.push_back({a.v.x, a.v.y, a.v.z});
      found.angular.push_back({a.omega.x, a.omega.y, a.omega.z});
    }
    const Residuals r = residuals(description, found);
    if (!(r.constraints < 1e-9 && r.forces < 1e-9)) {
      throw base::InputError(fmt::format("model \"{}\": wrong accelerations, {:.1e} and {:.1e}.",
                                         description.id, r.constraints, r.forces));
    }
  }

  void evaluate(std::size_t i) {
    dynamics::Point point;
    point.y = y[i];
    model.evaluate(*room, point, dydt, {});
  }

  tree::MechanismTree joints;
  tree::Model model;
  std::unique_ptr<dynamics::Workspace> room = model.make_workspace(kDirections);
  std::vector<std::vector<double>> q, v, y;
  std::vector<double> dydt = std::vector<double>(model.sizes().ny());
  dynamics::Directions dy{model.sizes().ny(), kDirections}, ddydt{model.sizes().ny(), kDirections};
  tree::Workspace ws{joints.tree()};
  tree::DerivativeWorkspace derivatives{joints.tree()};
  std::vector<double> vdot = std::vector<double>(joints.tree().nv),
                      tau = std::vector<double>(joints.tree().nv);
};

int body_of(const System& s, const std::string& name) {
  for (int b = 0; b < s.tree().num_bodies(); ++b) {
    if (s.tree().bodies[b].name == name) return b;
  }
  throw base::InputError(fmt::format("there is no body \"{}\".", name));
}

void print_row(const char* name, mechanism::Description (*build)(double phase), int rounds) {
  System s(build);
  const tree::Tree& tree = s.tree();
  const auto at = [](long call) { return static_cast<std::size_t>(call % kStates); };
  const auto timings = time_together(
      {[&](long i) { s.evaluate(at(i)); },
       [&](long i) {
         s.evaluate(at(i));
         dynamics::PointDirections d;
         d.dy = &s.dy;
         s.model.directions(*s.room, d, s.ddydt, nullptr);
       },
       [&](long i) {
         tree::forward_dynamics(tree, s.q[at(i)], s.v[at(i)], s.tau, {}, s.ws, s.vdot);
       },
       [&](long i) {
         tree::forward_dynamics_by_mass_matrix(tree, s.q[at(i)], s.v[at(i)], s.tau, {}, s.ws,
                                               s.vdot);
       },
       [&](long i) {
         tree::inverse_dynamics(tree, s.q[at(i)], s.v[at(i)], s.tau, {}, s.ws, s.vdot);
       },
       [&](long i) { tree::compute_mass_matrix(tree, s.q[at(i)], s.ws); },
       [&](long i) {
         tree::inverse_dynamics_derivatives(tree, s.q[at(i)], s.v[at(i)], s.tau, {}, s.ws,
                                            s.derivatives);
       },
       [&](long i) {
         tree::forward_dynamics_derivatives(tree, s.q[at(i)], s.v[at(i)], s.tau, {}, s.ws,
                                            s.derivatives, s.vdot);
       }},
      rounds);
  fmt::print("{:<20}{:>6}{:>6}", name, tree.num_bodies(), tree.nv);
  for (const auto& t : timings) fmt::print("{:>9.2f}", 1e6 * t.seconds);
  fmt::print("   {:.0f} %\n", 100 * timings[0].spread);
}

/// Both feet of the human held at two points each: twelve rows, two of which follow from the
/// others.
mechanism::Description standing_human(double phase) {
  mechanism::Description d = human(phase);
  for (const char* foot : {"LeftFoot", "RightFoot"}) {
    const auto& body = *std::find_if(d.bodies.begin(), d.bodies.end(),
                                     [&](const auto& b) { return b.id == foot; });
    for (const double ahead : {-0.05, 0.15}) {
      for (const char* key : {"B0_x", "B0_y", "B0_z"}) {
        mechanism::Constraint c;
        c.key = key;
        c.id = fmt::format("{}_{}_{}", foot, ahead < 0 ? "heel" : "toe", key);
        c.begin.body = foot;
        c.begin.frame.o[0] = ahead;
        c.end.body = mechanism::kInertial;
        for (std::size_t k = 0; k < 3; ++k) c.end.frame.o[k] = body.o[k] + ahead * body.x[k];
        d.constraints.push_back(c);
      }
    }
  }
  return d;
}

/// Right-hand sides with contacts, as rows of a System and by a view of a ContactSet.
void print_contacts(int rounds) {
  System s([](double phase) { return human(phase); });
  const tree::Model standing(standing_human(0));
  const auto room = standing.make_workspace(0);
  std::vector<double> dydt(standing.sizes().ny());
  const int feet[2] = {body_of(s, "LeftFoot"), body_of(s, "RightFoot")};
  const tree::Vec3<double> axes[3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
  tree::ContactSet set;
  for (int i = 0; i < 4; ++i) {
    set.add_point(fmt::format("point {}", i), {feet[i / 2], {i % 2 == 0 ? -0.05 : 0.15, 0, 0}},
                  {0, 0, 0}, axes);
  }
  const auto view = set.all();
  tree::ContactWorkspace contacts(s.tree(), set);
  tree::ContactDerivatives derivatives(s.tree(), set);
  const auto at = [](long call) { return static_cast<std::size_t>(call % kStates); };
  const auto timings = time_together(
      {[&](long i) {
         dynamics::Point point;
         point.y = s.y[at(i)];
         standing.evaluate(*room, point, dydt, {});
       },
       [&](long i) {
         tree::forward_dynamics_with_contacts(s.tree(), set, view, s.q[at(i)], s.v[at(i)], s.tau,
                                              {}, s.ws, contacts, s.vdot);
       },
       [&](long i) {
         tree::contact_dynamics_derivatives(s.tree(), set, view, s.q[at(i)], s.v[at(i)], s.tau, {},
                                            s.ws, contacts, derivatives, s.vdot);
       }},
      rounds);
  fmt::print(
      "\nhuman, 12 contact rows   {:.2f} as a System   {:.2f} by a contact set   {:.2f} with all "
      "derivatives\n",
      1e6 * timings[0].seconds, 1e6 * timings[1].seconds, 1e6 * timings[2].seconds);
}

template <int kBodies>
mechanism::Description revolute(double phase) {
  return revolute_chain(kBodies, phase);
}
template <int kBodies>
mechanism::Description spherical(double phase) {
  return spherical_chain(kBodies, phase);
}

void run(int rounds) {
  fmt::print("{:<20}{:>6}{:>6}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}   spread\n", "microseconds",
             "bodies", "nv", "rhs", "+16 dir", "ABA", "CRBA+LTL", "RNEA", "CRBA", "dRNEA", "dABA");
  print_row(
      "human", [](double phase) { return human(phase); }, rounds);
  print_row("revolute_chain", revolute<3>, rounds);
  print_row("revolute_chain", revolute<10>, rounds);
  print_row("revolute_chain", revolute<30>, rounds);
  print_row("revolute_chain", revolute<100>, rounds);
  print_row("revolute_chain", revolute<300>, rounds);
  print_row("spherical_chain", spherical<10>, rounds);
  print_row("spherical_chain", spherical<30>, rounds);
  print_row(
      "tree", [](double phase) { return bench::tree(5, phase); }, rounds);
  print_contacts(rounds);
}

}  // namespace
}  // namespace parfait::bench

int main(int argc, char** argv) {
  try {
    parfait::bench::run(argc > 1 ? std::atoi(argv[1]) : 20);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
