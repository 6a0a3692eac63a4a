#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "parfait/expr/formula.h"

namespace parfait::expr {
namespace {

using Numbers = std::vector<double>;

struct Switched {
  explicit Switched(const char* text) : f(text, scope), scratch(f.scratch_size()) {}
  Numbers switches(const Numbers& s) {
    Numbers out(f.num_switches());
    f.switch_values(s.data(), scratch.data(), out.data());
    return out;
  }
  double value(const Numbers& s) { return f.value(s.data(), scratch.data()); }
  double value(const Numbers& s, const std::vector<std::int8_t>& mode) {
    return f.value(s.data(), scratch.data(), mode.data());
  }
  Names scope{{"x", "y"}};
  Formula f;
  Numbers scratch;
};

TEST(Switches, AnnounceTheArgumentThatDecides) {
  const struct {
    const char* text;
    Numbers expected;  // at x = 2, y = 5
  } cases[] = {
      {"abs(x)", {2}},
      {"sign(x - y)", {-3}},
      {"step(y)", {5}},
      {"min(x, y)", {-3}},
      {"max(x, y)", {-3}},
      {"max(x, y, 1)", {-3, 4}},
      {"x < y", {-3}},
      {"x >= y", {-3}},
      {"x > y", {3}},
      {"x <= y", {3}},
      {"x == y", {}},
      {"x != y", {}},
      {"if(x, y, 3)", {}},
      {"sin(x)*y", {}},
      {"abs(x) + abs(x)", {2}},
      {"smoothstep(x, 1, 3)", {}},
      {"x < 1 or y < 1 ? 0 : abs(x - y)", {1, 4, -3}},
  };
  for (const auto& c : cases) {
    Switched s(c.text);
    EXPECT_EQ(s.switches({2, 5}), c.expected) << c.text;
  }
}

TEST(Switches, HaveGradients) {
  Switched s("max(x^2, y) + abs(x*y)");
  ASSERT_EQ(s.f.num_switches(), 2);
  const Numbers at{3, 5};
  Numbers values(2), grads(4);
  s.f.switch_gradients(at.data(), s.scratch.data(), values.data(), grads.data());
  EXPECT_EQ(values, (Numbers{4, 15}));
  EXPECT_EQ(grads, (Numbers{6, -1, 5, 3}));
}

TEST(Switches, OppositeOrientationHasTheOppositeGradient) {
  Switched s("x^2 <= y");
  const Numbers at{3, 5};
  Numbers values(1), grads(2);
  s.f.switch_gradients(at.data(), s.scratch.data(), values.data(), grads.data());
  EXPECT_EQ(values, (Numbers{-4}));
  EXPECT_EQ(grads, (Numbers{-6, 1}));
}

TEST(Mode, HoldsTheBranchAgainstTheValues) {
  const struct {
    const char* text;
    double upper, lower;  // at x = 2, y = 5
  } cases[] = {
      {"abs(x)", 2, -2},       {"sign(x)", 1, -1},       {"step(x)", 1, 0},
      {"min(x, y)", 5, 2},     {"max(x, y)", 2, 5},      {"x < y ? 7 : 8", 8, 7},
      {"x > y ? 7 : 8", 8, 7}, {"x <= y ? 7 : 8", 7, 8}, {"x >= y ? 7 : 8", 7, 8},
      {"not x < y", 1, 0},
  };
  for (const auto& c : cases) {
    Switched s(c.text);
    EXPECT_EQ(s.value({2, 5}, {+1}), c.upper) << c.text;
    EXPECT_EQ(s.value({2, 5}, {-1}), c.lower) << c.text;
  }
}

TEST(Mode, HoldsTheBranchOfDerivativesAndSwitches) {
  Switched s("max(abs(x), y)");
  const Numbers at{2, 5};
  const std::int8_t mode[] = {-1, +1};  // abs(x) = -x, and it wins
  Numbers grad(2), values(2), grads(4);
  EXPECT_EQ(s.f.gradient(at.data(), s.scratch.data(), grad.data(), mode), -2);
  EXPECT_EQ(grad, (Numbers{-1, 0}));
  s.f.switch_values(at.data(), s.scratch.data(), values.data(), mode);
  EXPECT_EQ(values, (Numbers{2, -7}));
  s.f.switch_gradients(at.data(), s.scratch.data(), values.data(), grads.data(), mode);
  EXPECT_EQ(values, (Numbers{2, -7}));
  EXPECT_EQ(grads, (Numbers{1, 0, -1, -1}));
  const Numbers ds{3, 4}, dds{6, 8};
  const Taylor f = s.f.taylor2(at.data(), ds.data(), dds.data(), s.scratch.data(), mode);
  EXPECT_EQ(f.f, -2);
  EXPECT_EQ(f.df, -3);
  EXPECT_EQ(f.ddf, -6);
}

TEST(Mode, SignsOfSwitchesReproduceTheValue) {
  for (const char* text : {"abs(x)*y", "min(x, y, x*y)", "max(x, y)", "step(x) + 2*step(-y)",
                           "x < y ? 1 : 2", "x <= y ? 1 : 2", "x > y ? 1 : 2", "x >= y ? 1 : 2",
                           "x < y and not y >= 1 or abs(x - y) < 1 ? x : y"}) {
    Switched s(text);
    for (const double x : {-1.0, 0.0, 1.0, 2.0}) {
      for (const double y : {-1.0, 0.0, 1.0, 2.0}) {  // ties and zeros included
        std::vector<std::int8_t> mode;
        for (const double w : s.switches({x, y})) mode.push_back(w >= 0 ? 1 : -1);
        EXPECT_EQ(s.value({x, y}), s.value({x, y}, mode)) << text << " at " << x << ", " << y;
      }
    }
  }
}

}  // namespace
}  // namespace parfait::expr
