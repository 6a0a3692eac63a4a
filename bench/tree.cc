// The algorithms of joint coordinates, system by system: microseconds per call, every call at
// another state than the one before, so that nothing is reused. Checked against the laws of
// mechanics first.
//
//   bench_tree [rounds]

#include <fmt/core.h>

#include <cstdlib>

#include "laws.h"
#include "models.h"
#include "parfait/base/error.h"
#include "parfait/tree/algorithms/derivatives.h"
#include "parfait/tree/build/mechanism_tree.h"
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
