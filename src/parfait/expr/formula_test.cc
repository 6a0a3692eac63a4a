#include "parfait/expr/formula.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

namespace parfait::expr {
namespace {

constexpr double kX = 0.7, kY = 1.9, kZ = -0.4, kE = 3.25;

double value_of(const std::string& text) {
  Names scope({"x", "y", "z", "e", "Load.com.x", "Hinge.angle.1"});
  const Formula f(text, scope);
  const double slots[] = {kX, kY, kZ, kE, 11, 13};
  std::vector<double> scratch(f.scratch_size());
  return f.value(slots, scratch.data());
}

struct Case {
  const char* text;
  double expected;
};

TEST(Formula, EvaluatesEveryFunctionLikeTheStandardLibrary) {
  const Case cases[] = {
      {"sin(x)", std::sin(kX)},
      {"cos(x)", std::cos(kX)},
      {"tan(x)", std::tan(kX)},
      {"asin(x)", std::asin(kX)},
      {"acos(x)", std::acos(kX)},
      {"atan(x)", std::atan(kX)},
      {"atan2(x, z)", std::atan2(kX, kZ)},
      {"atan2(z, x)", std::atan2(kZ, kX)},
      {"sinh(x)", std::sinh(kX)},
      {"cosh(x)", std::cosh(kX)},
      {"tanh(x)", std::tanh(kX)},
      {"exp(x)", std::exp(kX)},
      {"log(x)", std::log(kX)},
      {"log10(x)", std::log10(kX)},
      {"sqrt(x)", std::sqrt(kX)},
      {"cbrt(z)", std::cbrt(kZ)},
      {"pow(x, y)", std::pow(kX, kY)},
      {"pow(z, 3)", kZ * kZ * kZ},
      {"pow(z, -2)", 1 / (kZ * kZ)},
      {"pow(x, 2.5)", std::pow(kX, 2.5)},
      {"abs(z)", 0.4},
      {"abs(x)", kX},
      {"min(x, y)", kX},
      {"min(y, z, x)", kZ},
      {"max(x, y)", kY},
      {"max(z, y, x, 1)", kY},
      {"sign(z)", -1},
      {"sign(x)", 1},
      {"sign(x - x)", 0},
      {"step(z)", 0},
      {"step(x)", 1},
      {"step(x - x)", 1},
      {"smoothstep(x, 0, 1)", 3 * kX * kX - 2 * kX * kX * kX},
      {"smoothstep(z, 0, 1)", 0},
      {"smoothstep(y, 0, 1)", 1},
      {"smoothstep(5, 4, 6)", 0.5},
      {"smootherstep(x, 0, 1)", 6 * std::pow(kX, 5) - 15 * std::pow(kX, 4) + 10 * std::pow(kX, 3)},
      {"smootherstep(z, 0, 1)", 0},
      {"smootherstep(y, 0, 1)", 1},
      {"if(x < y, 5, 6)", 5},
      {"if(x > y, 5, 6)", 6},
      {"pi", std::numbers::pi},
  };
  for (const Case& c : cases) EXPECT_DOUBLE_EQ(value_of(c.text), c.expected) << c.text;
}

TEST(Formula, FollowsPrecedenceAndAssociativity) {
  const Case cases[] = {
      {"2 + 3 * 4", 14},    {"(2 + 3) * 4", 20}, {"10 - 4 - 3", 3},    {"100 / 10 / 5", 2},
      {"100 / 10 * 5", 50}, {"2 ^ 3 ^ 2", 512},  {"2 ** 3 ** 2", 512}, {"(2 ^ 3) ^ 2", 64},
      {"-2 ^ 2", -4},       {"(-2) ^ 2", 4},     {"2 ^ -1", 0.5},      {"2 ^ -1 ^ 2", 0.5},
      {"-x ^ 2", -kX * kX}, {"3 - -2", 5},       {"3 - - - 2", 1},     {"+3", 3},
      {"2 * -3", -6},       {"-2 * 3 + 1", -5},  {"1 + 2 < 4", 1},     {"(1 < 2) == 1", 1},
  };
  for (const Case& c : cases) EXPECT_DOUBLE_EQ(value_of(c.text), c.expected) << c.text;
  const Case logical[] = {
      {"1 < 2 and 2 < 3", 1},
      {"1 < 2 && 3 < 2", 0},
      {"0 and 0 or 1", 1},
      {"1 or 0 and 0", 1},
      {"(1 or 0) and 0", 0},
      {"not 0", 1},
      {"not 1 < 2", 0},
      {"not not 5", 1},
      {"!(x > 100) || 0", 1},
      {"not 1 or 1", 1},
      {"not (1 or 1)", 0},
      {"1 != 2", 1},
      {"2 == 2", 1},
      {"x <= x", 1},
      {"x >= x", 1},
      {"x < x", 0},
      {"x > x", 0},
      {"x <= y", 1},
      {"x >= y", 0},
      {"1 ? 2 : 0 ? 3 : 4", 2},
      {"0 ? 2 : 0 ? 3 : 4", 4},
      {"0 ? 2 : 1 ? 3 : 4", 3},
      {"1 ? 0 ? 5 : 6 : 7", 6},
      {"x < 1 and y > 1 ? 8 : 9", 8},
      {"1 + (x < y ? 10 : 0)", 11},
      {"1 ? 2 : 3 + 10", 2},
      {"0 ? 2 : 3 + 10", 13},
  };
  for (const Case& c : logical) EXPECT_EQ(value_of(c.text), c.expected) << c.text;
}

TEST(Formula, ReadsNumbersAndNames) {
  const Case cases[] = {
      {"1", 1},
      {".5", 0.5},
      {"1.", 1},
      {"1e-3", 0.001},
      {"1.5E+2", 150},
      {"1e3", 1000},
      {"e", kE},
      {"2*e", 2 * kE},
      {"1e1-e", 10 - kE},
      {"Load.com.x", 11},
      {"Hinge.angle.1 - 1", 12},
      {"\n x\t+\r\n y", kX + kY},
  };
  for (const Case& c : cases) EXPECT_DOUBLE_EQ(value_of(c.text), c.expected) << c.text;
}

TEST(Formula, KnowsItsTextAndItsSlots) {
  Names scope({"a", "b", "c", "d"});
  const Formula f(" d + b*d ", scope);
  EXPECT_EQ(f.text(), " d + b*d ");
  ASSERT_EQ(f.num_used(), 2);
  EXPECT_EQ(f.used_slots()[0], 1);
  EXPECT_EQ(f.used_slots()[1], 3);
  EXPECT_TRUE(f.uses(1));
  EXPECT_FALSE(f.uses(0));
  EXPECT_FALSE(f.is_constant());
}

TEST(Formula, ForgetsWhatDoesNotMatter) {
  Names scope({"a", "b"});
  const Formula folded("2*pi < 7 ? a : abs(b)", scope);
  EXPECT_TRUE(folded.uses(0));
  EXPECT_FALSE(folded.uses(1));
  EXPECT_EQ(folded.num_switches(), 0);

  const Formula constant("sqrt(2)^2 + max(1, 3)", scope);
  EXPECT_TRUE(constant.is_constant());
  std::vector<double> scratch(constant.scratch_size());
  EXPECT_DOUBLE_EQ(constant.value(nullptr, scratch.data()), 5);

  const Formula nothing;
  EXPECT_TRUE(nothing.is_constant());
  scratch.resize(nothing.scratch_size());
  EXPECT_EQ(nothing.value(nullptr, scratch.data()), 0);

  // The repeated part is computed once: one sine, not three.
  const Formula once("sin(a*b)", scope), thrice("sin(a*b) + sin(b*a) * sin(a*b)", scope);
  EXPECT_LT(thrice.scratch_size(), 2 * once.scratch_size());
}

TEST(Formula, OutlivesItsScopeAndTables) {
  Formula f;
  {
    Names scope({"t"});
    scope.add_table("u", Table({0, 1}, {0, 10}, Interpolation::kLinear));
    f = Formula("u + 1", scope);
  }
  const double t = 0.25;
  std::vector<double> scratch(f.scratch_size());
  EXPECT_DOUBLE_EQ(f.value(&t, scratch.data()), 3.5);
  ASSERT_EQ(f.num_used(), 1);
}

TEST(Formula, AsksTheScopeForSlotsOnDemand) {
  class OnDemand : public Scope {
   public:
    int find(std::string_view name) override {
      for (std::size_t i = 0; i < made.size(); ++i) {
        if (made[i] == name) return static_cast<int>(i);
      }
      if (!name.starts_with("Load.")) return -1;
      made.emplace_back(name);
      return static_cast<int>(made.size()) - 1;
    }
    std::vector<std::string> names() const override { return made; }
    std::vector<std::string> made;
  } scope;
  const Formula f("Load.com.y - Load.com.x", scope);
  ASSERT_EQ(scope.made, (std::vector<std::string>{"Load.com.y", "Load.com.x"}));
  const double slots[] = {5, 3};
  std::vector<double> scratch(f.scratch_size());
  EXPECT_EQ(f.value(slots, scratch.data()), 2);
}

TEST(Formula, PassesOnWhatIsNotANumber) {
  Names scope({"x", "y"});
  const double slots[] = {std::numeric_limits<double>::quiet_NaN(), 1};
  for (const char* text : {"min(x, y)", "min(y, x)", "max(x, y)", "max(y, x)", "abs(x)", "sign(x)",
                           "step(x)", "smoothstep(x, 0, 1)", "smootherstep(x, 0, 1)", "x^2"}) {
    const Formula f(text, scope);
    std::vector<double> scratch(f.scratch_size());
    EXPECT_TRUE(std::isnan(f.value(slots, scratch.data()))) << text;
  }
  for (const char* text : {"x < y", "x <= y", "x > y", "x >= y", "x == y", "x == x"}) {
    const Formula f(text, scope);
    std::vector<double> scratch(f.scratch_size());
    EXPECT_EQ(f.value(slots, scratch.data()), 0) << text;
  }
}

}  // namespace
}  // namespace parfait::expr
