#include "parfait/integrate/driver/adjoint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "parfait/base/error.h"
#include "parfait/integrate/driver/test_adjoint.h"
#include "parfait/integrate/driver/test_formulas.h"
#include "parfait/mbs/model.h"
#include "testing/model_gallery.h"

// The discrete adjoint is the transpose of the directions that run along the same steps: a number J
// of states inside steps and at the end has the same gradient by both, to rounding.
namespace parfait::integrate::adjoint_test {
namespace {

using dynamics::System;
using test_adjoint::Comparison;
using test_adjoint::difference;
using test_adjoint::Gradients;
using test_adjoint::tolerance;

class Adjoints : public testing::TestWithParam<Method> {};
INSTANTIATE_TEST_SUITE_P(Methods, Adjoints,
                         testing::Values(Method::kDop853, Method::kDopri5, Method::kAbm),
                         [](const auto& instance) { return std::string(text(instance.param)); });

dynamics::FormulaModel lotka_volterra() {
  dynamics::FormulaModel m;
  m.state("x", 1, "a*x - b*x*y");
  m.state("y", 1, "-c*y + d*x*y + 0.1*sin(t)");
  m.parameter("a", 1.5);
  m.parameter("b", 1);
  m.parameter("c", 3);
  m.parameter("d", 1);
  return m;
}

TEST_P(Adjoints, EqualForwardDirectionsOfFormulaModels) {
  const auto system = dynamics::make_formula_system(lotka_volterra());
  for (const double rtol : {1e-4, 1e-9}) {
    const auto g = Comparison(*system, tolerance(GetParam(), rtol), 6, 13).run();
    EXPECT_LT(difference(g), 1e-12);
    EXPECT_GT(std::abs(g.forward[2]), 1e-2);
  }
}

/// A ball that bounces off a moving floor, with a kinked drag and a kick at a time p.
dynamics::FormulaModel ball() {
  dynamics::FormulaModel m;
  m.state("h", 1, "v");
  m.state("v", 0.2, "-g - drag*v*abs(v)");
  m.parameter("g", 9.81);
  m.parameter("e", 0.8);
  m.parameter("drag", 0.05);
  m.parameter("kick", 0.73);
  m.parameter("floor", 0.1);
  dynamics::Event bounce;
  bounce.id = "bounce";
  bounce.when = "h - floor*sin(3*t)";
  bounce.on(dynamics::Passage::kFalling);
  bounce.set("v", "-e*(v - 3*floor*cos(3*t)) + 3*floor*cos(3*t)");
  m.events.push_back(bounce);
  dynamics::Event kick;
  kick.id = "push";
  kick.at = "kick";
  kick.set("v", "v + 0.5*e");
  m.events.push_back(kick);
  return m;
}

TEST_P(Adjoints, EqualForwardDirectionsAcrossEvents) {
  const auto system = dynamics::make_formula_system(ball());
  const auto g = Comparison(*system, tolerance(GetParam(), 1e-8), 2.0, 17).run();
  EXPECT_GT(g.num_events, 5u);
  EXPECT_LT(difference(g), 1e-12);
}

mechanism::Parameter parameter(const std::string& id, const std::string& target) {
  mechanism::Parameter p;
  p.id = id;
  p.targets = {target};
  return p;
}

TEST_P(Adjoints, EqualForwardDirectionsOfMechanisms) {
  auto chain = testing_support::revolute_chain(2);
  chain.parameters = {parameter("m", "body_1.mass"), parameter("c", "body_2.com.x"),
                      parameter("J", "body_2.inertia.yy"), parameter("L", "joint_2.begin.o.x"),
                      parameter("g", "Gravitation.g")};
  auto four_bar = testing_support::four_bar();
  four_bar.parameters = {parameter("m", "body_2.mass")};
  auto driven = testing_support::driven_pendulum().description;
  driven.parameters = {parameter("m", "body_1.mass")};
  for (const auto& d : {chain, four_bar, driven, testing_support::skate(),
                        testing_support::constant_speed_pair(), testing_support::bricard()}) {
    const mbs::Model model(d);
    const auto g = Comparison(model, tolerance(GetParam(), 1e-7), 0.7, 5).run();
    EXPECT_LT(difference(g), 1e-11) << d.bodies.size();
  }
}

TEST_P(Adjoints, EqualForwardDirectionsAcrossImpacts) {
  // The pendulum hits a wall at x = 0.3 three times.
  auto d = testing_support::revolute_chain(1);
  d.bodies[0].v = mechanism::Number3{0, 0, 0};
  mechanism::Event hit;
  hit.id = "Hit";
  hit.key = "Impact";
  hit.begin = testing_support::marker(mechanism::kInertial,
                                      testing_support::axis_frame({-0.3, 0, 0}, {1, 0, 0}));
  hit.end = testing_support::marker("body_1", testing_support::frame({1, 0, 0}));
  hit.constants = {{"restitution", 0.8}};
  d.events = {hit};
  d.parameters = {parameter("m", "body_1.mass"), parameter("J", "body_1.inertia.yy"),
                  parameter("c", "body_1.com.x"), parameter("e", "Hit.restitution"),
                  parameter("wall", "Hit.begin.o.x")};
  const mbs::Model model(d);
  const auto g = Comparison(model, tolerance(GetParam(), 1e-8), 5.0, 9).run();
  EXPECT_GE(g.num_events, 2u);
  EXPECT_LT(difference(g), 1e-11);
}

/// Checkpoints: the same bits, in the memory asked for.
TEST_P(Adjoints, AreTheSameBitsWithCheckpoints) {
  if (GetParam() == Method::kAbm) return;  // keeps all between two restarts
  const mbs::Model chain(testing_support::revolute_chain(2));
  const auto formulas = dynamics::make_formula_system(ball());
  for (const System* system : std::initializer_list<const System*>{&chain, formulas.get()}) {
    auto options = tolerance(GetParam(), 1e-9);
    options.max_step = 0.01;
    const auto all = Comparison(*system, options, 2, 5).run();
    EXPECT_EQ(all.stride, 1);
    const double memory =
        8.0 * system->sizes().ny() * 2 * (std::sqrt(2.0 * static_cast<double>(all.num_steps)) + 2);
    const auto few = Comparison(*system, options, 2, 5).run(memory);
    EXPECT_GT(few.stride, 1);
    EXPECT_LE(few.bytes, memory);
    EXPECT_EQ(few.adjoint, all.adjoint);
    EXPECT_THROW(Comparison(*system, options, 2, 5).run(8.0 * system->sizes().ny() * 4),
                 base::InputError);
  }
}

TEST(AdjointMethods, HhtEqualsForwardDirectionsForEveryDamping) {
  auto four_bar = testing_support::four_bar();
  four_bar.parameters = {parameter("m", "body_2.mass")};
  auto driven = testing_support::driven_pendulum().description;
  driven.parameters = {parameter("m", "body_1.mass")};
  for (const auto& d :
       {testing_support::revolute_chain(3), four_bar, driven, testing_support::bricard()}) {
    const mbs::Model model(d);
    for (const double alpha : {-0.05, 0.0, -0.3}) {
      auto options = tolerance(Method::kHht, 1e-5);
      options.hht_alpha = alpha;
      // The trapezoidal rule keeps what the first step leaves across the constraints, with
      // alternating signs: rounding / (beta h^2). After the 1e-6 s with which a motion from rest
      // begins by itself that is 1e-3, and 2e-10 of the gradient remains.
      if (alpha == 0) options.first_step = 3e-3;
      const auto g = Comparison(model, options, 0.7, 5).run();
      EXPECT_GT(g.num_steps, 20u);
      EXPECT_LT(difference(g), 1e-10) << d.bodies.size() << " " << alpha;
    }
  }
}

TEST(AdjointMethods, AbmNeedsMemoryForThePastOfItsSteps) {
  const auto system = dynamics::make_formula_system(lotka_volterra());
  EXPECT_THROW(Comparison(*system, tolerance(Method::kAbm, 1e-8), 6, 3).run(10e3),
               base::InputError);
}

/// The largest error of the gradient by the adjoint of bdf, relative to that of the solution.
double error_of_bdf(const System& system, const Gradients& exact, double rtol, double t_end,
                    int num_samples) {
  Gradients g = Comparison(system, tolerance(Method::kBdf, rtol), t_end, num_samples).run_adjoint();
  g.forward = exact.forward;
  g.magnitude = exact.magnitude;
  g.num_states = exact.num_states;
  return difference(g);
}

/// The adjoint of bdf solves differential equations: its error follows the tolerance, on average
/// over four decades at least fivefold with each. Single decades vary, as orders and steps do.
void expect_that_error_falls(const System& system, const System& same, double t_end,
                             int num_samples) {
  const auto exact =
      Comparison(same, tolerance(Method::kDop853, 1e-13), t_end, num_samples).run_forward();
  const double coarse = error_of_bdf(system, exact, 1e-4, t_end, num_samples);
  const double fine = error_of_bdf(system, exact, 1e-8, t_end, num_samples);
  // Measured: 8e-5 ... 3e-3 and 7e-8 ... 2e-6; forward directions of bdf 2e-8 ... 4e-7 at 1e-8.
  EXPECT_LT(coarse, 0.01);
  EXPECT_LT(fine, coarse / 625);
  EXPECT_GT(fine, 1e-12);
}

/// Two fast states that follow a slow one.
dynamics::FormulaModel stiff() {
  dynamics::FormulaModel m;
  m.state("x", 1, "-k*(x - cos(w*t)*y)");
  m.state("y", 0.5, "-0.3*y + b*u");
  m.state("u", 0, "-2*k*(u - sin(x))");
  m.parameter("k", 1000);
  m.parameter("w", 2);
  m.parameter("b", 0.7);
  return m;
}

TEST(AdjointMethods, BdfConvergesWithItsTolerance) {
  for (const auto& model : {lotka_volterra(), stiff(), ball()}) {
    const auto system = dynamics::make_formula_system(model);
    expect_that_error_falls(*system, *system, 2, 5);
  }
}

TEST(AdjointMethods, BdfConvergesForMechanisms) {
  auto chain = testing_support::revolute_chain(2);
  chain.parameters = {parameter("m", "body_1.mass"), parameter("c", "body_2.com.x"),
                      parameter("J", "body_2.inertia.yy"), parameter("L", "joint_2.begin.o.x"),
                      parameter("g", "Gravitation.g")};
  const mbs::Model model(chain);
  expect_that_error_falls(model, model, 0.7, 3);
}

/// Against the ODE that is left when z is eliminated.
TEST(AdjointMethods, BdfConvergesForAlgebraicStates) {
  dynamics::FormulaModel dae;
  dae.state("x", 1, "-a*x + z");
  dae.state("y", 0.5, "b*x*z - y");
  dae.algebraic("z", 0.3);
  dae.equation("0 = z*(1 + c*x^2) - b*y*x");
  dae.parameter("a", 1);
  dae.parameter("b", 0.8);
  dae.parameter("c", 0.4);
  dynamics::FormulaModel ode;
  ode.state("x", 1, "-a*x + b*y*x/(1 + c*x^2)");
  ode.state("y", 0.5, "b*x*b*y*x/(1 + c*x^2) - y");
  ode.parameter("a", 1);
  ode.parameter("b", 0.8);
  ode.parameter("c", 0.4);
  expect_that_error_falls(*dynamics::make_formula_system(dae), *dynamics::make_formula_system(ode),
                          3, 4);
}

TEST(AdjointMethods, SayWhichAreExact) {
  EXPECT_TRUE(has_exact_adjoint(Method::kDop853));
  EXPECT_FALSE(has_exact_adjoint(Method::kBdf));
}

}  // namespace
}  // namespace parfait::integrate::adjoint_test
