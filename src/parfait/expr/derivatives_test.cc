#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "parfait/expr/formula.h"
#include "parfait/math/directions.h"

namespace parfait::expr {
namespace {

using Numbers = std::vector<double>;

double value(const Formula& f, const Numbers& slots) {
  Numbers scratch(f.scratch_size());
  return f.value(slots.data(), scratch.data());
}

/// All slots, used or not.
Numbers gradient(const Formula& f, const Numbers& slots) {
  Numbers scratch(f.scratch_size()), grad(f.num_used()), all(slots.size(), 0.0);
  f.gradient(slots.data(), scratch.data(), grad.data());
  for (int j = 0; j < f.num_used(); ++j) all[f.used_slots()[j]] = grad[j];
  return all;
}

/// Five-point differences, error O(h^4): with h = 1e-3 truncation is near 1e-12 of the fifth
/// derivative, rounding near 1e-13 for the first and 1e-10 for the second derivative.
constexpr double kH = 1e-3;
double first_difference(const std::function<double(double)>& f) {
  return (8 * (f(kH) - f(-kH)) - (f(2 * kH) - f(-2 * kH))) / (12 * kH);
}
double second_difference(const std::function<double(double)>& f) {
  return (16 * (f(kH) + f(-kH)) - (f(2 * kH) + f(-2 * kH)) - 30 * f(0)) / (12 * kH * kH);
}

struct Curve {
  Numbers s, ds, dds;
  Numbers at(double tau) const {
    Numbers x = s;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += tau * ds[i] + tau * tau / 2 * dds[i];
    return x;
  }
};

/// Values, gradient, time derivatives and the gradient along a curve, all against differences.
void check_all_derivatives(const Formula& f, const Curve& curve) {
  const std::size_t n = f.num_used();
  Numbers scratch(f.scratch_size()), grad(n), taylor_grad(3 * n);
  const auto scale = [](double x) { return 1 + std::abs(x); };

  const double v = f.gradient(curve.s.data(), scratch.data(), grad.data());
  EXPECT_NEAR(v, value(f, curve.s), 1e-15 * scale(v));
  for (std::size_t j = 0; j < n; ++j) {
    const double fd = first_difference([&](double h) {
      Numbers x = curve.s;
      x[f.used_slots()[j]] += h;
      return value(f, x);
    });
    EXPECT_NEAR(grad[j], fd, 2e-9 * scale(fd)) << f.text() << " slot " << f.used_slots()[j];
  }

  const auto along = [&](double tau) { return value(f, curve.at(tau)); };
  const Taylor taylor = f.taylor2_gradient(curve.s.data(), curve.ds.data(), curve.dds.data(),
                                           scratch.data(), taylor_grad.data());
  EXPECT_NEAR(taylor.f, v, 1e-15 * scale(v));
  EXPECT_NEAR(taylor.df, first_difference(along), 2e-9 * scale(taylor.df)) << f.text();
  EXPECT_NEAR(taylor.ddf, second_difference(along), 5e-8 * scale(taylor.ddf)) << f.text();
  for (std::size_t j = 0; j < n; ++j) {
    const auto entry = [&](double tau) { return gradient(f, curve.at(tau))[f.used_slots()[j]]; };
    EXPECT_NEAR(taylor_grad[j], grad[j], 1e-14 * scale(grad[j])) << f.text();
    const double g1 = taylor_grad[n + j], g2 = taylor_grad[2 * n + j];
    EXPECT_NEAR(g1, first_difference(entry), 1e-8 * scale(g1)) << f.text();
    EXPECT_NEAR(g2, second_difference(entry), 1e-7 * scale(g2)) << f.text();
  }
}

struct Closed {
  const char* function;
  const char* text;
  double x, y;
  double df_dx, df_dy;
};

double sq(double x) {
  return x * x;
}

const Closed kClosed[] = {
    {"sin", "sin(x)", 0.7, 0, std::cos(0.7), 0},
    {"cos", "cos(x)", 0.7, 0, -std::sin(0.7), 0},
    {"tan", "tan(x)", 0.7, 0, 1 / sq(std::cos(0.7)), 0},
    {"asin", "asin(x)", 0.3, 0, 1 / std::sqrt(1 - 0.09), 0},
    {"acos", "acos(x)", 0.3, 0, -1 / std::sqrt(1 - 0.09), 0},
    {"atan", "atan(x)", 0.7, 0, 1 / 1.49, 0},
    {"atan2", "atan2(x, y)", 0.7, -1.9, -1.9 / (0.49 + 3.61), -0.7 / (0.49 + 3.61)},
    {"sinh", "sinh(x)", 0.7, 0, std::cosh(0.7), 0},
    {"cosh", "cosh(x)", 0.7, 0, std::sinh(0.7), 0},
    {"tanh", "tanh(x)", 0.7, 0, 1 / sq(std::cosh(0.7)), 0},
    {"exp", "exp(x)", 0.7, 0, std::exp(0.7), 0},
    {"log", "log(x)", 0.7, 0, 1 / 0.7, 0},
    {"log10", "log10(x)", 0.7, 0, 1 / (0.7 * std::log(10.0)), 0},
    {"sqrt", "sqrt(x)", 0.7, 0, 1 / (2 * std::sqrt(0.7)), 0},
    {"cbrt", "cbrt(x)", 0.7, 0, std::pow(0.7, -2.0 / 3) / 3, 0},
    {"cbrt", "cbrt(x)", -0.7, 0, std::pow(0.7, -2.0 / 3) / 3, 0},
    {"pow", "pow(x, y)", 0.7, 1.9, 1.9 * std::pow(0.7, 0.9), std::log(0.7) * std::pow(0.7, 1.9)},
    {"pow", "pow(x, 2)", -0.7, 0, -1.4, 0},
    {"pow", "pow(x, 3)", -0.7, 0, 3 * 0.49, 0},
    {"pow", "pow(x, 4)", -0.7, 0, -4 * 0.343, 0},
    {"pow", "pow(x, 7)", -0.7, 0, 7 * std::pow(0.7, 6), 0},
    {"pow", "pow(x, -1)", -0.7, 0, -1 / 0.49, 0},
    {"pow", "pow(x, -2.5)", 0.7, 0, -2.5 * std::pow(0.7, -3.5), 0},
    {"pow", "pow(2, x)", 0.7, 0, std::log(2.0) * std::exp2(0.7), 0},
    {"abs", "abs(x)", 0.7, 0, 1, 0},
    {"abs", "abs(x)", -0.7, 0, -1, 0},
    {"min", "min(x, y)", 0.7, 1.9, 1, 0},
    {"min", "min(x, y, 0.5*x)", 2.7, 1.2, 0, 1},
    {"max", "max(x, y)", 0.7, 1.9, 0, 1},
    {"max", "max(x, y, 5*x)", 0.7, 1.9, 5, 0},
    {"sign", "sign(x) * y", 0.7, 1.9, 0, 1},
    {"sign", "sign(x) * y", -0.7, 1.9, 0, -1},
    {"step", "step(x) * y", 0.7, 1.9, 0, 1},
    {"step", "step(x) * y", -0.7, 1.9, 0, 0},
    // u = (0.7 - 0.2) / 1.7; du/dx = 1 / 1.7, du/da with a = 0.2 is checked by differences
    {"smoothstep", "smoothstep(x, 0.2, y)", 0.7, 1.9, 6 * (0.5 / 1.7) * (1.2 / 1.7) / 1.7,
     -6 * (0.5 / 1.7) * (1.2 / 1.7) * 0.5 / sq(1.7)},
    {"smoothstep", "smoothstep(x, y, 3)", 0.7, 1.9, 0, 0},
    {"smootherstep", "smootherstep(x, 0.2, y)", 0.7, 1.9, 30 * sq(0.5 / 1.7 * 1.2 / 1.7) / 1.7,
     -30 * sq(0.5 / 1.7 * 1.2 / 1.7) * 0.5 / sq(1.7)},
    {"if", "if(x < y, x^2, y^2)", 0.7, 1.9, 1.4, 0},
    {"if", "if(x > y, x^2, y^2)", 0.7, 1.9, 0, 3.8},
    {"+", "x + y", 0.7, 1.9, 1, 1},
    {"-", "x - y", 0.7, 1.9, 1, -1},
    {"-", "-x", 0.7, 1.9, -1, 0},
    {"*", "x * y", 0.7, 1.9, 1.9, 0.7},
    {"/", "x / y", 0.7, 1.9, 1 / 1.9, -0.7 / 3.61},
    {"and", "x*(x < y and y < 3)", 0.7, 1.9, 1, 0},
    {"or", "x*(x < y or y < 3)", 0.7, 1.9, 1, 0},
    {"not", "x*(not x < y)", 0.7, 1.9, 0, 0},
};

TEST(Derivatives, MatchClosedForms) {
  for (const Closed& c : kClosed) {
    Names scope({"x", "y"});
    const Formula f(c.text, scope);
    const Numbers grad = gradient(f, {c.x, c.y});
    EXPECT_NEAR(grad[0], c.df_dx, 4e-15 * (1 + std::abs(c.df_dx))) << c.text;
    EXPECT_NEAR(grad[1], c.df_dy, 4e-15 * (1 + std::abs(c.df_dy))) << c.text;
  }
}

TEST(Derivatives, MatchDifferencesUpToThirdOrder) {
  for (const Closed& c : kClosed) {
    Names scope({"x", "y"});
    check_all_derivatives(Formula(c.text, scope), {{c.x, c.y}, {0.6, -0.9}, {-0.8, 1.1}});
  }
}

TEST(Derivatives, EveryFunctionIsTested) {
  std::set<std::string> tested;
  for (const Closed& c : kClosed) {
    tested.insert(c.function);
    if (std::isalpha(static_cast<unsigned char>(c.function[0]))) {
      EXPECT_NE(std::string(c.text).find(c.function), std::string::npos) << c.text;
    }
  }
  for (const std::string& name : function_names()) {
    EXPECT_TRUE(tested.contains(name)) << name << " has no derivative test";
  }
}

TEST(Derivatives, CompositionsMatchDifferences) {
  for (const char* text : {"sin(x*y)^2 / (1 + exp(-z))", "x^y^z", "atan2(x*z, y) * log(x + y^2)",
                           "sqrt(x^2 + y^2 + z^2) - cbrt(x*y*z)", "tanh(x/y) ** 3 - 2^x",
                           "smootherstep(x*y, z/3, 4) * x", "x < y ? sin(x) * max(y, z) : 1e3",
                           "pow(x + 1, y*z) / asin(x/3)", "(x/y)/(y/z)/(z*x*x)"}) {
    Names scope({"x", "y", "z"});
    check_all_derivatives(Formula(text, scope),
                          {{0.7, 1.9, 0.8}, {0.6, -0.9, 0.3}, {-0.8, 1.1, 0.5}});
  }
}

TEST(Derivatives, AreThoseOfTheBranchTakenAtKinks) {
  Names scope({"x", "y"});
  const Numbers zero{0, 0};
  EXPECT_EQ(gradient(Formula("abs(x)", scope), zero)[0], 1);
  EXPECT_EQ(gradient(Formula("max(2*x, 3*y)", scope), zero), (Numbers{2, 0}));
  EXPECT_EQ(gradient(Formula("min(2*x, 3*y)", scope), zero), (Numbers{0, 3}));
  EXPECT_EQ(gradient(Formula("x < y ? 2*x : 3*y", scope), zero), (Numbers{0, 3}));
  EXPECT_EQ(gradient(Formula("x <= y ? 2*x : 3*y", scope), zero), (Numbers{2, 0}));
}

TEST(Derivatives, StayFiniteWherePossible) {
  Names scope({"x", "y"});
  const auto at = [&](const char* text, double x, double y) {
    return gradient(Formula(text, scope), {x, y});
  };
  // 0 times an infinite slope counts as 0 ...
  EXPECT_EQ(at("sqrt(x^2 + y^2)", 0, 0), (Numbers{0, 0}));
  EXPECT_EQ(at("x^1.5", 0, 0)[0], 0);
  EXPECT_EQ(at("x^2", 0, 0)[0], 0);
  EXPECT_EQ(at("x^1", 0, 0)[0], 1);
  EXPECT_EQ(at("x^0", 0, 0)[0], 0);
  EXPECT_EQ(at("x^y", 0, 2), (Numbers{0, 0}));
  EXPECT_EQ(at("x^y", 0, 1), (Numbers{1, 0}));
  EXPECT_EQ(at("x^y", -2, 3), (Numbers{12, 0}));
  // ... what is steep stays infinite ...
  EXPECT_EQ(at("sqrt(x)", 0, 0)[0], std::numeric_limits<double>::infinity());
  EXPECT_EQ(at("cbrt(x)", 0, 0)[0], std::numeric_limits<double>::infinity());
  // ... and a branch that is not taken does not matter.
  EXPECT_EQ(at("x > 0 ? sqrt(x) * y : y", -1, 2), (Numbers{0, 1}));
  EXPECT_EQ(at("max(y, sqrt(abs(x)) - 5)", 0, 2), (Numbers{0, 1}));

  const Formula guarded("x > 0 ? log(x) : y", scope);
  Numbers scratch(guarded.scratch_size()), grad(6);
  const double s[] = {-1, 4}, ds[] = {1, 2}, dds[] = {3, 5};
  const Taylor f = guarded.taylor2_gradient(s, ds, dds, scratch.data(), grad.data());
  EXPECT_EQ(f.f, 4);
  EXPECT_EQ(f.df, 2);
  EXPECT_EQ(f.ddf, 5);
  EXPECT_EQ(grad, (Numbers{0, 1, 0, 0, 0, 0}));
}

TEST(Directions, AreTheGradientTimesTheDirections) {
  Names scope({"unused", "x", "y"});
  const Formula f("x^2 * y + sin(y)", scope);
  const Numbers slots{std::numeric_limits<double>::quiet_NaN(), 0.7, 1.9};
  math::Directions d(3, 2 * math::kLanes);
  for (int k = 0; k < d.count(); ++k) {
    d(0, k) = 1e9;
    d(1, k) = 0.3 * k - 1;
    d(2, k) = 0.1 * k * k;
  }
  Numbers scratch(f.scratch_size()), grad(f.num_used()), out(math::kLanes), once(math::kLanes);
  f.gradient(slots.data(), scratch.data(), grad.data());
  for (int c = 0; c < d.chunks(); ++c) {
    f.apply(grad.data(), d.chunk(c), out.data());
    const double v = f.value_and_directions(slots.data(), d.chunk(c), scratch.data(), once.data());
    EXPECT_DOUBLE_EQ(v, 0.49 * 1.9 + std::sin(1.9));
    EXPECT_EQ(out, once);
    for (int lane = 0; lane < math::kLanes; ++lane) {
      const int k = c * math::kLanes + lane;
      const double expected = 2 * 0.7 * 1.9 * d(1, k) + (0.49 + std::cos(1.9)) * d(2, k);
      EXPECT_NEAR(out[lane], expected, 1e-14 * (1 + std::abs(expected)));
    }
  }
}

}  // namespace
}  // namespace parfait::expr
