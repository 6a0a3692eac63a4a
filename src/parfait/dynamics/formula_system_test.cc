#include "parfait/dynamics/formula_system.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "testing/system_laws.h"

namespace parfait::dynamics {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing_support::check_system_laws;
using testing_support::LawOptions;
using testing_support::LawPoint;

std::vector<double> rhs(const System& system, double t, const std::vector<double>& y,
                        const std::vector<double>& p) {
  const auto ws = system.make_workspace(0);
  system.bind(*ws, p);
  std::vector<double> dydt(y.size());
  EXPECT_EQ(system.evaluate(*ws, {.t = t, .y = y, .z = {}, .mode = {}, .offset = {}}, dydt, {}),
            Status::kOk);
  return dydt;
}

FormulaModel lotka_volterra() {
  FormulaModel m;
  m.state("prey", "x0", "a*prey - b*prey*predator");
  m.state("predator", 1, "c*prey*predator - d*predator");
  m.parameter("a", 1.5);
  m.parameter("b", 1);
  m.parameter("c", 3);
  m.parameter("d", 1);
  m.parameter("x0", 10);
  return m;
}

FormulaModel robertson() {
  FormulaModel m;
  m.state("y1", 1, "-k1*y1 + k2*y2*y3");
  m.state("y2", 0, "k1*y1 - k2*y2*y3 - k3*y2^2");
  m.algebraic("y3", 0);
  m.equation("y1 + y2 + y3 = 1");
  m.parameter("k1", 0.04);
  m.parameter("k2", 1e4);
  m.parameter("k3", 3e7);
  return m;
}

/// Seven stars in the plane with masses 1 ... 7: IVP test set, problem Pleiades.
FormulaModel pleiades() {
  FormulaModel m;
  const double x[] = {3, 3, -1, -3, 2, -2, 2}, y[] = {3, -3, 2, 0, 0, -4, 4};
  const double vx[] = {0, 0, 0, 0, 0, 1.75, -1.5}, vy[] = {0, 0, 0, -1.25, 1, 0, 0};
  const auto n = [](const std::string& name, int i) { return name + std::to_string(i + 1); };
  for (int i = 0; i < 7; ++i) {
    for (int j = i + 1; j < 7; ++j) {
      const std::string pair = std::to_string(i + 1) + std::to_string(j + 1);
      m.define("r" + pair, "((" + n("x", i) + " - " + n("x", j) + ")^2 + (" + n("y", i) + " - " +
                               n("y", j) + ")^2)^1.5");
    }
  }
  const auto pull = [&](const std::string& axis, int i) {
    std::string sum;
    for (int j = 0; j < 7; ++j) {
      if (j == i) continue;
      const std::string pair =
          std::to_string(std::min(i, j) + 1) + std::to_string(std::max(i, j) + 1);
      sum += " + " + std::to_string(j + 1) + "*(" + n(axis, j) + " - " + n(axis, i) + ")/r" + pair;
    }
    return sum.substr(3);
  };
  for (int i = 0; i < 7; ++i) m.state(n("x", i), x[i], n("vx", i));
  for (int i = 0; i < 7; ++i) m.state(n("y", i), y[i], n("vy", i));
  for (int i = 0; i < 7; ++i) m.state(n("vx", i), vx[i], pull("x", i));
  for (int i = 0; i < 7; ++i) m.state(n("vy", i), vy[i], pull("y", i));
  return m;
}

/// Every kind of thing at once: tables, definitions (one of a definition, one with branches, one
/// unused by the dynamics), branches in derivatives, equations and events, jumps, sets of
/// parameters, a time event.
FormulaModel everything() {
  FormulaModel m;
  m.input("u", {0, 1, 2, 4}, {0, 1, -1, 2}, expr::Interpolation::kCubic);
  m.input("w", {0, 3}, {1, 2});
  m.parameter("k", 2).lower = 0;
  m.parameter("c", 0.3);
  m.parameter("gain", 1.5);
  m.parameter("T", 1.7);
  m.define("r", "sqrt(x*x + v*v)");
  m.define("force", "-k*x - c*abs(v) + r*w");
  m.define("power", "force*v*max(x, 0)");
  m.state("x", "k^2 - c", "v");
  m.state("v", "-1", "force + gain*u + if(x > z, min(x, r), sin(t))");
  m.state("s", 0.5, "min(z*x, v, t) - s");
  m.algebraic("z", "k");
  m.equation("z + 0.1*z^3 = x*gain + abs(s - 2)");
  m.event("bounce", "x - 0.1*abs(v)*z").set("v", "-c*v + t*z").set("x", "min(x, r) + power");
  m.event("rise", "r - 3*gain").on(SwitchInfo::Jump::kRising).set("gain", "gain/2 + c*x");
  m.event_at("kick", "T + c/2").set("v", "v + gain").set("s", "x");
  m.event("", "s - u - 9").on(SwitchInfo::Jump::kBoth).stop();
  return m;
}

LawPoint generic_point() {
  return {.t = 1.3, .y = {0.7, -1.1, 0.4, 1.45}, .z = {0.9}, .p = {2.1, 0.35, 1.6, 1.75}};
}

TEST(FormulaSystem, LotkaVolterraMatchesItsEquations) {
  const auto system = make_formula_system(lotka_volterra());
  EXPECT_THAT(system->initial_state(), ElementsAre(10, 1));
  const double x = 2.5, y = 0.3, a = 1.1, b = 0.7, c = 2.9, d = 1.3;
  EXPECT_THAT(rhs(*system, 0, {x, y}, {a, b, c, d, 10}),
              ElementsAre(a * x - b * x * y, c * x * y - d * y));
}

TEST(FormulaSystem, RobertsonMatchesItsEquationsAndResidual) {
  const auto system = make_formula_system(robertson());
  EXPECT_EQ(system->sizes().nz, 1);
  const auto ws = system->make_workspace(0);
  std::vector<double> y(2), z(1), f(2), h(1);
  system->start(*ws, y, z);
  EXPECT_THAT(y, ElementsAre(1, 0));
  y = {0.9, 2e-5};
  z = {0.2};
  ASSERT_EQ(system->evaluate(*ws, {.t = 0, .y = y, .z = z, .mode = {}, .offset = {}}, f, h),
            Status::kOk);
  const double y1 = 0.9, y2 = 2e-5, y3 = 0.2;
  EXPECT_DOUBLE_EQ(f[0], -0.04 * y1 + 1e4 * y2 * y3);
  EXPECT_DOUBLE_EQ(f[1], 0.04 * y1 - 1e4 * y2 * y3 - 3e7 * y2 * y2);
  EXPECT_DOUBLE_EQ(h[0], y1 + y2 + y3 - 1);
}

TEST(FormulaSystem, PleiadesMatchesNewtonsLawOfGravitation) {
  const auto system = make_formula_system(pleiades());
  auto y = system->initial_state();
  for (int i = 0; i < 28; ++i) y[i] += 0.1 * std::sin(3.0 * i);
  const auto f = rhs(*system, 0, y, {});
  for (int i = 0; i < 7; ++i) {
    double ax = 0, ay = 0;
    for (int j = 0; j < 7; ++j) {
      if (j == i) continue;
      const double dx = y[j] - y[i], dy = y[7 + j] - y[7 + i], r = std::hypot(dx, dy);
      ax += (j + 1) * dx / (r * r * r);
      ay += (j + 1) * dy / (r * r * r);
    }
    EXPECT_EQ(f[i], y[14 + i]);
    EXPECT_EQ(f[7 + i], y[21 + i]);
    EXPECT_NEAR(f[14 + i], ax, 1e-14 * (1 + std::abs(ax)));
    EXPECT_NEAR(f[21 + i], ay, 1e-14 * (1 + std::abs(ay)));
  }
}

TEST(FormulaSystem, DirectionsAreDerivatives) {
  const auto lv = check_system_laws(
      *make_formula_system(lotka_volterra()),
      {.t = 0.2, .y = {2, 0.7}, .z = {}, .p = {1, 2, 3, 4, 5}},
      {.quantities = {"prey*predator", "prey.rate", "t", "a", "predator.rate/prey + t*b"}});
  EXPECT_THAT(lv.violations, IsEmpty());
  EXPECT_GE(lv.num_nonzero, 20);

  const auto stiff = check_system_laws(
      *make_formula_system(robertson()),
      {.t = 0.2, .y = {0.9, 3e-5}, .z = {0.1}, .p = {0.04, 1e4, 3e7}}, {.scale = 1e-5});
  EXPECT_THAT(stiff.violations, IsEmpty());
  EXPECT_GE(stiff.num_nonzero, 12);

  const auto stars = make_formula_system(pleiades());
  auto y = stars->initial_state();
  for (int i = 0; i < 28; ++i) y[i] += 0.1 * std::sin(3.0 * i);  // off the axes of symmetry
  const auto gravity = check_system_laws(*stars, {.t = 0, .y = y, .z = {}, .p = {}});
  EXPECT_THAT(gravity.violations, IsEmpty());
  EXPECT_GE(gravity.num_nonzero, 14 + 14 * 14);
}

TEST(FormulaSystem, DirectionsAreDerivativesWithTablesBranchesEventsAndEquations) {
  const auto system = make_formula_system(everything());
  const LawOptions options{.step = 0.005,
                           .quantities = {"power", "u + w*x", "gain", "k", "v.rate", "s.rate - z",
                                          "force/r", "abs(x) + T"}};
  const auto by_values = check_system_laws(*system, generic_point(), options);
  EXPECT_THAT(by_values.violations, IsEmpty());
  EXPECT_GE(by_values.num_nonzero, 60);

  // In a mode that the values contradict, everything is a smooth continuation.
  for (const int flipped : {0, 1, 2, 3, 4, 5, 6}) {
    LawPoint point = generic_point();
    const auto n = static_cast<std::size_t>(system->sizes().num_switches);
    point.mode.assign(n, 1);
    point.mode[static_cast<std::size_t>(flipped)] = -1;
    EXPECT_THAT(check_system_laws(*system, point, options).violations, IsEmpty()) << flipped;
  }
}

Point at(double t, const std::vector<double>& y, const std::vector<double>& z = {},
         Mode mode = {}) {
  return {.t = t, .y = y, .z = z, .mode = mode, .offset = {}};
}

TEST(FormulaSystem, BranchesComeBeforeEventsAndEachHasAName) {
  const auto system = make_formula_system(everything());
  std::vector<std::string> names;
  for (const auto& info : system->switch_infos()) names.push_back(info.name);
  const std::string v = "v' = force + gain*u + if(x > z, min(x, r), sin(t))";
  const std::string s = "s' = min(z*x, v, t) - s";
  EXPECT_THAT(names,
              ElementsAre("force = -k*x - c*abs(v) + r*w", v + ", branch 1", v + ", branch 2",
                          s + ", branch 1", s + ", branch 2", "z + 0.1*z^3 = x*gain + abs(s - 2)",
                          "x - 0.1*abs(v)*z", "bounce", "rise", "kick", "s - u - 9"));
  EXPECT_EQ(system->sizes().num_switches, 11);
  const auto infos = system->switch_infos();
  using Jump = SwitchInfo::Jump;
  for (int i = 0; i < 7; ++i) EXPECT_EQ(infos[i].jump, Jump::kNever);
  EXPECT_EQ(infos[7].jump, Jump::kFalling);
  EXPECT_EQ(infos[8].jump, Jump::kRising);
  EXPECT_EQ(infos[9].jump, Jump::kRising);
  EXPECT_TRUE(infos[9].time_only);
  EXPECT_EQ(infos[10].jump, Jump::kBoth);
  EXPECT_TRUE(infos[10].terminal);
}

TEST(FormulaSystem, SwitchingValuesAreTheArgumentsOfTheBranches) {
  const auto system = make_formula_system(everything());
  const auto ws = system->make_workspace(0);
  const auto point = generic_point();
  system->bind(*ws, point.p);
  std::vector<double> s(11);
  ASSERT_EQ(system->switches(*ws, at(point.t, point.y, point.z), s), Status::kOk);
  const double x = 0.7, v = -1.1, z = 0.9, r = std::hypot(x, v), gain = 1.45;
  EXPECT_DOUBLE_EQ(s[0], v);
  EXPECT_DOUBLE_EQ(s[1], z - x);  // x > z: 0 belongs to the branch of +1
  EXPECT_DOUBLE_EQ(s[2], x - r);
  EXPECT_DOUBLE_EQ(s[3], z * x - v);
  EXPECT_DOUBLE_EQ(s[5], 0.4 - 2);
  EXPECT_DOUBLE_EQ(s[7], x - 0.1 * std::abs(v) * z);
  EXPECT_DOUBLE_EQ(s[8], r - 3 * gain);  // the state, not the parameter 1.6
  // A time event tells its time exactly at t = 0.
  ASSERT_EQ(system->switches(*ws, at(0, point.y, point.z), s), Status::kOk);
  EXPECT_EQ(-s[9], 1.75 + 0.35 / 2);
}

TEST(FormulaSystem, TheModeDecidesEveryBranchThatTheRightHandSideNeeds) {
  FormulaModel m;
  m.define("d", "abs(x)");
  m.state("x", 0, "d + 10*max(x, 5)");
  const auto system = make_formula_system(m);
  const auto ws = system->make_workspace(0);
  const std::vector<double> y{2};
  std::vector<double> f(1);
  const auto rate = [&](std::vector<std::int8_t> mode) {
    EXPECT_EQ(system->evaluate(*ws, at(0, y, {}, mode), f, {}), Status::kOk);
    return f[0];
  };
  EXPECT_EQ(rate({}), 2 + 50);
  EXPECT_EQ(rate({1, -1}), 2 + 50);
  EXPECT_EQ(rate({-1, -1}), -2 + 50);
  EXPECT_EQ(rate({1, 1}), 2 + 20);
  // Quantities see the same definition; branches of their own follow the values.
  const auto observer = system->make_observer(std::vector<std::string>{"d", "x.rate", "abs(-x)"});
  EXPECT_TRUE(observer->needs_rates());
  std::vector<double> values(3);
  const std::vector<std::int8_t> mode{-1, 1};
  ASSERT_EQ(system->observe(*ws, *observer, at(0, y, {}, mode), values), Status::kOk);
  EXPECT_THAT(values, ElementsAre(-2, -2 + 20, 2));
}

TEST(FormulaSystem, ARateIsObservedWithTheDefinitionsItNeeds) {
  FormulaModel m;
  m.define("a", "x + 1");
  m.define("b", "2*a");
  m.state("x", 0, "b*x");
  const auto system = make_formula_system(m);
  const auto ws = system->make_workspace(0);
  const auto observer = system->make_observer(std::vector<std::string>{"x.rate"});
  std::vector<double> values(1);
  ASSERT_EQ(system->observe(*ws, *observer, at(0, {3}), values), Status::kOk);
  EXPECT_EQ(values[0], 24);
}

TEST(FormulaSystem, SetsTakeTheValuesBeforeTheJump) {
  FormulaModel m;
  m.state("a", 1, "1");
  m.state("b", 2, "1");
  m.state("c", 3, "1");
  m.define("sum", "a + b");
  m.event("swap", "a - b").set("a", "b").set("b", "sum + t");
  const auto system = make_formula_system(m);
  const auto ws = system->make_workspace(0);
  const std::vector<double> before{1, 2, 3};
  std::vector<double> after(3);
  ASSERT_EQ(system->jump(*ws, 0, at(10, before), after), Status::kOk);
  EXPECT_THAT(after, ElementsAre(2, 13, 3));
  std::vector<double> same = before;  // in place
  ASSERT_EQ(system->jump(*ws, 0, at(10, same), same), Status::kOk);
  EXPECT_THAT(same, ElementsAre(2, 13, 3));
}

TEST(FormulaSystem, AParameterThatAnEventSetsIsAState) {
  FormulaModel m;
  m.state("x", "2*k", "-k*x*c");
  m.parameter("c", 3);
  m.parameter("k", 5);
  m.event_at("change", "1").set("k", "k + x");
  const auto system = make_formula_system(m);
  EXPECT_THAT(system->state_names(), ElementsAre("x", "k"));
  EXPECT_THAT(system->initial_state(), ElementsAre(10, 5));
  const auto ws = system->make_workspace(1);
  system->bind(*ws, std::vector<double>{3, 7});
  std::vector<double> y(2), f(2), after(2);
  system->start(*ws, y, {});
  EXPECT_THAT(y, ElementsAre(14, 7));
  y = {2, 4};
  ASSERT_EQ(system->evaluate(*ws, at(0, y), f, {}), Status::kOk);
  EXPECT_THAT(f, ElementsAre(-4 * 2 * 3, 0));  // the state counts, not the parameter
  ASSERT_EQ(system->jump(*ws, 0, at(1, y), after), Status::kOk);
  EXPECT_THAT(after, ElementsAre(2, 6));
  // Its direction begins as that of the parameter.
  Directions dp(2, 1), dy(2, 1);
  dp(1, 0) = 1;
  system->bind_directions(*ws, dp);
  system->start_directions(*ws, dy);
  EXPECT_EQ(dy(0, 0), 2);
  EXPECT_EQ(dy(1, 0), 1);
}

TEST(FormulaSystem, CallsInBetweenDoNotDisturbDirections) {
  const auto system = make_formula_system(everything());
  const auto p = generic_point();
  const auto ws = system->make_workspace(1), alone = system->make_workspace(1);
  Directions dp(4, 1), dy(4, 1), ddydt(4, 1), expected(4, 1), dh(1, 1);
  dy(1, 0) = 1;
  dp(1, 0) = 2;
  std::vector<double> f(4), h(1), s(11), other{3, 2, 1, 4};
  for (const auto& w : {ws.get(), alone.get()}) {
    system->bind(*w, p.p);
    system->bind_directions(*w, dp);
    ASSERT_EQ(system->evaluate(*w, at(p.t, p.y, p.z), f, h), Status::kOk);
  }
  const PointDirections d{.dt = {}, .dy = &dy, .dz = nullptr, .dphi = nullptr};
  system->directions(*alone, d, expected, &dh);
  ASSERT_EQ(system->switches(*ws, at(9, other, p.z), s), Status::kOk);
  ASSERT_EQ(system->jump(*ws, 7, at(9, other, p.z), other), Status::kOk);
  system->directions(*ws, d, ddydt, &dh);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(ddydt(i, 0), expected(i, 0));
}

TEST(FormulaSystem, EquationsMayBeWrittenInThreeWays) {
  for (const char* text : {"0 = z^2 - x", "z^2 - x", "z^2 = x", "z*z - (x <= 9 ? x : 0) = 0 * x"}) {
    FormulaModel m;
    m.state("x", 1, "z");
    m.algebraic("z", 1);
    m.equation(text);
    const auto system = make_formula_system(m);
    const auto ws = system->make_workspace(0);
    const std::vector<double> y{3}, z{4};
    std::vector<double> f(1), h(1);
    ASSERT_EQ(system->evaluate(*ws, at(0, y, z), f, h), Status::kOk);
    EXPECT_EQ(h[0], 13) << text;
  }
}

TEST(FormulaSystem, NonFiniteValuesGiveAStatus) {
  FormulaModel m;
  m.state("x", 1, "log(x)");
  m.state("y", 1, "1/x");
  m.event("e", "sqrt(x)").set("x", "1/x");
  const auto system = make_formula_system(m);
  const auto ws = system->make_workspace(0);
  std::vector<double> f(2), s(1);
  EXPECT_EQ(system->evaluate(*ws, at(0, {1, 1}), f, {}), Status::kOk);
  EXPECT_EQ(system->evaluate(*ws, at(0, {-1, 1}), f, {}), Status::kNotFinite);
  EXPECT_EQ(system->evaluate(*ws, at(0, {0, 1}), f, {}), Status::kNotFinite);
  EXPECT_EQ(system->switches(*ws, at(0, {-1, 1}), s), Status::kNotFinite);
  EXPECT_EQ(system->jump(*ws, 0, at(0, {0, 1}), f), Status::kNotFinite);
  const auto observer = system->make_observer(std::vector<std::string>{"x/(x - 1)"});
  EXPECT_FALSE(observer->needs_rates());
  EXPECT_EQ(system->observe(*ws, *observer, at(0, {1, 1}), s), Status::kNotFinite);
}

TEST(FormulaSystem, KnotsOfTheTablesInUseAreTimeBreaks) {
  auto m = everything();
  m.input("unused", {0.25, 0.5}, {1, 2});
  EXPECT_THAT(make_formula_system(m)->time_breaks(), ElementsAre(0, 1, 2, 3, 4));
}

TEST(FormulaSystem, ACopyOfAWorkspaceHasItsParameters) {
  const auto system = make_formula_system(lotka_volterra());
  const auto ws = system->make_workspace(0);
  system->bind(*ws, std::vector<double>{1, 1, 1, 1, 42});
  const auto copy = system->make_bound_copy(*ws, 2);
  std::vector<double> y(2);
  system->start(*copy, y, {});
  EXPECT_EQ(y[0], 42);
}

}  // namespace
}  // namespace parfait::dynamics
