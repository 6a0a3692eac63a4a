#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "parfait/integrate/driver/adjoint.h"
#include "parfait/integrate/driver/integrator.h"
#include "parfait/mbs/model.h"

// The gradient of a chain of bodies with springs (dop853, rtol 1e-8): what it costs by the adjoint,
// all states kept and with checkpoints, in runs without tape or directions; beside it forward
// directions and one-sided differences. And one pull-back in right-hand sides.
//
//   bench_adjoint [bodies = 250] [parameters = 1000] [what]
//
// what: all (default), or one of forward, tape, adjoint, checkpoints, evaluate, pull_back: only
// that, for instruction counts (valgrind --tool=callgrind).
namespace {

using namespace parfait;  // NOLINT(google-build-using-namespace): a program
using dynamics::Status;

/// Revolute joints about y, a spring from the middle of each body to the middle of the next (the
/// first: to the ground); parameters: mass, stiffness, rest length, damping of body after body.
mechanism::Description chain(int bodies, int parameters) {
  mechanism::Description d;
  for (int i = 0; i < bodies; ++i) {
    mechanism::Body body;
    body.id = fmt::format("b{}", i);
    body.mass = 2.0;
    body.center_of_mass = {0.5, 0.0, 0.0};
    for (int k = 0; k < 3; ++k) body.inertia[k][k] = k == 0 ? 2.5 : 2.0;
    body.o = {static_cast<double>(i), 0.0, 0.0};
    d.bodies.push_back(body);
    const auto marker = [&](int index, double x) {
      mechanism::Marker m;
      m.body = index < 0 ? std::string(mechanism::kInertial) : fmt::format("b{}", index);
      m.frame.o = {x, 0.0, 0.0};
      m.frame.x = {0.0, 0.0, 1.0};
      m.frame.y = {1.0, 0.0, 0.0};
      m.frame.z = {0.0, 1.0, 0.0};
      m.frame.has_x = m.frame.has_y = m.frame.has_z = true;
      return m;
    };
    mechanism::Joint joint;
    joint.id = fmt::format("j{}", i);
    joint.key = "Revolute";
    joint.begin = marker(i - 1, i == 0 ? 0.0 : 1.0);
    joint.end = marker(i, 0.0);
    d.joints.push_back(joint);
    mechanism::Force spring;
    spring.id = fmt::format("s{}", i);
    spring.key = "Spring_Damper";
    spring.begin = marker(i - 1, i == 0 ? -0.5 : 0.5);
    spring.end = marker(i, 0.5);
    spring.constants = {{"stiffness", 300.0}, {"rest_length", 0.9}, {"damping", 2.0}};
    d.forces.push_back(spring);
  }
  mechanism::Force gravity;
  gravity.id = "Gravitation";
  gravity.key = "Gravitation";
  gravity.constants = {{"g", -9.81}};
  d.forces.push_back(gravity);
  for (int i = 0; i < parameters; ++i) {
    const int body = i / 4;
    const char* const what[] = {"mass", "stiffness", "rest_length", "damping"};
    mechanism::Parameter p;
    p.id = fmt::format("p{}", i);
    p.targets = {fmt::format("{}{}.{}", i % 4 == 0 ? "b" : "s", body, what[i % 4])};
    d.parameters.push_back(p);
  }
  return d;
}

struct Chain {
  Chain(int bodies, int parameters)
      : model(chain(bodies, parameters)), ws(model.make_workspace(math::kLanes)) {
    for (const auto& info : model.parameters()) p.push_back(info.initial);
    model.bind(*ws, p);
    options.rtol = 1e-8;
    options.atol = 1e-10;
  }

  std::size_t observed() const { return std::min<std::size_t>(12 * 5 + 2, model.sizes().nq - 10); }
  integrate::State start() {
    integrate::State state;
    state.y.resize(static_cast<std::size_t>(model.sizes().ny()));
    model.start(*ws, state.y, state.z);
    return state;
  }
  /// J = the height of a body near the wall at the end.
  double run(integrate::Tape* tape) {
    auto state = start();
    const auto result =
        integrate::Integrator(model, *ws, options).run(state, t_end, {}, nullptr, tape);
    if (!result.finished()) std::exit(1);
    steps = static_cast<int>(result.statistics.steps);
    evaluations = static_cast<double>(result.statistics.evaluations);
    return state.y[observed()];
  }
  std::vector<double> gradient(double memory) {
    integrate::Tape tape(memory);
    run(&tape);
    integrate::Adjoint adjoint(model, *ws, options, tape);
    std::vector<double> bar(static_cast<std::size_t>(model.sizes().ny()), 0.0), out(p.size(), 0.0);
    bar[observed()] = 1;
    if (adjoint.run(bar) != Status::kOk) std::exit(1);
    adjoint.add_parameter_gradient(out);
    bytes = tape.bytes();
    return out;
  }
  std::vector<double> forward() {
    const int k = static_cast<int>(p.size());
    auto own = model.make_workspace(k);
    model.bind(*own, p);
    dynamics::Directions dp(k, k);
    for (int i = 0; i < k; ++i) dp(i, i) = 1;
    model.bind_directions(*own, dp);
    auto state = start();
    state.W.resize(model.sizes().ny(), k);
    if (!integrate::Integrator(model, *own, options).run(state, t_end).finished()) std::exit(1);
    std::vector<double> out;
    for (int i = 0; i < k; ++i) out.push_back(state.W(static_cast<int>(observed()), i));
    return out;
  }

  mbs::Model model;
  std::unique_ptr<dynamics::Workspace> ws;
  std::vector<double> p;
  integrate::Options options;
  double t_end = 2.0, bytes = 0, evaluations = 0;
  int steps = 0;
};

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// The shortest of three.
template <class Work>
double seconds(const Work& work) {
  double best = 1e300;
  for (int i = 0; i < 3; ++i) {
    const double begin = cpu_seconds();
    work();
    best = std::min(best, cpu_seconds() - begin);
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  const int bodies = argc > 1 ? std::atoi(argv[1]) : 250;
  const int parameters = argc > 2 ? std::atoi(argv[2]) : 1000;
  const std::string what = argc > 3 ? argv[3] : "all";
  Chain c(bodies, parameters);
  const double all = 1e300;
  const double J = c.run(nullptr);
  const double few = 8.0 * c.model.sizes().ny() * 2.5 * (std::sqrt(2.0 * c.steps) + 2);
  const auto y = c.start().y;
  std::vector<double> dydt(y.size()), bar(y.size(), 0.1), sums(y.size(), 0.0);
  const auto evaluate = [&](int n) {
    for (int i = 0; i < n; ++i) {
      c.model.evaluate(*c.ws, {.t = 0, .y = y, .z = {}, .mode = {}, .offset = {}}, dydt, {});
    }
  };
  const auto pull_back = [&](int n) {
    dynamics::Pulled to{.t = 0, .y = sums, .z = {}};
    for (int i = 0; i < n; ++i) c.model.pull_back(*c.ws, bar, {}, to);
  };
  if (what == "forward") return c.run(nullptr) == J ? 0 : 1;
  if (what == "tape" || what == "adjoint") return c.gradient(all).empty() ? 1 : 0;
  if (what == "checkpoints") return c.gradient(few).empty() ? 1 : 0;
  if (what == "evaluate") return evaluate(200), 0;
  if (what == "pull_back") return evaluate(1), pull_back(200), 0;

  const double run = seconds([&] { c.run(nullptr); });
  std::vector<double> kept, checked;
  const double adjoint = seconds([&] { kept = c.gradient(all); });
  const double kept_bytes = c.bytes;
  const double checkpoints = seconds([&] { checked = c.gradient(few); });
  const double evaluation = seconds([&] { evaluate(1000); });
  evaluate(1);
  const double pulled = seconds([&] { pull_back(1000); });
  fmt::print("{} bodies, {} parameters, {} steps, J = {:.12g}\n", bodies, parameters, c.steps, J);
  fmt::print("run {:.4f} s of CPU, {:.0f} evaluations\n", run, c.evaluations);
  fmt::print("adjoint, all states ({:.3g} MB): {:.2f} runs\n", kept_bytes / 1e6, adjoint / run);
  fmt::print("adjoint, checkpoints ({:.3g} of {:.3g} MB): {:.2f} runs; the same bits: {}\n",
             c.bytes / 1e6, few / 1e6, checkpoints / run, kept == checked ? "yes" : "NO");
  fmt::print("pull-back: {:.2f} right-hand sides ({:.1f} and {:.1f} ns per body)\n",
             pulled / evaluation, 1e6 * pulled / bodies, 1e6 * evaluation / bodies);
  if (parameters <= 100) {
    std::vector<double> by_directions;
    const double begin = cpu_seconds();
    by_directions = c.forward();
    const double directions = cpu_seconds() - begin;
    double largest = 0, apart = 0;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      largest = std::max(largest, std::abs(by_directions[i]));
      apart = std::max(apart, std::abs(by_directions[i] - kept[i]));
    }
    fmt::print("forward directions: {:.2f} runs; largest difference {:.1e} of the largest\n",
               directions / run, apart / largest);
  }
  fmt::print("one-sided differences would be {} runs\n", parameters + 1);
  return kept == checked ? 0 : 1;
}
