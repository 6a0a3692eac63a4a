#include <gtest/gtest.h>

#include "parfait/dynamics/formula_system.h"
#include "testing/allocations.h"

namespace parfait::dynamics {
namespace {

TEST(FormulaWorkspace, NothingIsAllocatedOnceItIsMade) {
  FormulaModel m;
  m.parameter("k", 2);
  m.input("u", {0, 1, 2}, {0, 1, 0}, expr::Interpolation::kCubic);
  m.define("r", "abs(x) + u");
  m.state("x", "k", "r - k*z");
  m.state("v", 1, "max(x, v)");
  m.algebraic("z", 1);
  m.equation("z^3 = x*r");
  m.event("e", "x*r - 4").set("v", "-v").set("k", "k + r");
  const auto system = make_formula_system(m);
  const auto observer = system->make_observer(std::vector<std::string>{"r", "x.rate", "v^2"});

  constexpr int kDirections = 11;
  const auto ws = system->make_workspace(kDirections);
  Directions dp(1, kDirections), dy(3, kDirections), dz(1, kDirections), out(3, kDirections),
      dh(1, kDirections), ds(3, kDirections), dq(3, kDirections);
  const std::vector<double> p{3}, dt(kDirections, 1.0);
  std::vector<double> y(3), z(1), f(3), h(1), s(3);
  const PointDirections d{.dt = dt, .dy = &dy, .dz = &dz, .dphi = nullptr};

  const auto everything = [&] {
    system->bind(*ws, p);
    system->bind_directions(*ws, dp);
    system->start(*ws, y, z);
    system->start_directions(*ws, dy);
    const Point at{.t = 0.5, .y = y, .z = z, .mode = {}, .offset = {}};
    system->evaluate(*ws, at, f, h);
    system->directions(*ws, d, out, &dh);
    system->switches(*ws, at, s);
    system->switch_directions(*ws, d, ds);
    system->jump(*ws, 2, at, f);
    system->jump_directions(*ws, d, out);
  };
  ASSERT_EQ(system->sizes().num_switches, 3);
  const long before_all = testing_support::num_allocations();
  everything();
  EXPECT_EQ(testing_support::num_allocations(), before_all);

  // An observer needs room the first time it is used.
  const auto observe = [&] {
    system->observe(*ws, *observer, {.t = 0.5, .y = y, .z = z, .mode = {}, .offset = {}}, s);
    system->observe_directions(*ws, *observer, d, dq);
  };
  observe();
  EXPECT_GT(testing_support::num_allocations(), before_all);  // the counter works
  const long before = testing_support::num_allocations();
  observe();
  EXPECT_EQ(testing_support::num_allocations(), before);
}

}  // namespace
}  // namespace parfait::dynamics
