#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "parfait/expr/formula.h"

namespace parfait::expr {
namespace {

using Numbers = std::vector<double>;
using math::kLanes;

/// f(t, A, w) at t = 0.4 with parameters at rest.
struct Driven {
  explicit Driven(const char* text) : f(text, scope), scratch(f.scratch_size()) {}
  Taylor taylor() { return f.taylor2(s.data(), ds.data(), dds.data(), scratch.data()); }
  Names scope{{"t", "A", "w"}};
  Formula f;
  Numbers scratch;
  Numbers s{0.4, 1.3, 2.1}, ds{1, 0, 0}, dds{0, 0, 0};
};

TEST(Taylor, DriveMatchesItsClosedForm) {
  Driven drive("A * sin(w*t + 0.2)");
  const double A = 1.3, w = 2.1, phase = w * 0.4 + 0.2;
  const Taylor f = drive.taylor();
  EXPECT_NEAR(f.f, A * std::sin(phase), 1e-15);
  EXPECT_NEAR(f.df, A * w * std::cos(phase), 1e-14);
  EXPECT_NEAR(f.ddf, -A * w * w * std::sin(phase), 1e-14);
}

TEST(Taylor, DirectionsOfADriveMatchTheirClosedForm) {
  Driven drive("A * sin(w*t + 0.2)");
  const double A = 1.3, w = 2.1, t = 0.4, c = std::cos(w * t + 0.2), s = std::sin(w * t + 0.2);
  Numbers grad(9), out(3 * kLanes);
  drive.f.taylor2_gradient(drive.s.data(), drive.ds.data(), drive.dds.data(), drive.scratch.data(),
                           grad.data());
  Numbers directions(3 * kLanes, 0.0);
  directions[0 * kLanes + 0] = 1;  // lane 0: dt
  directions[1 * kLanes + 1] = 1;  // lane 1: dA
  directions[2 * kLanes + 2] = 1;  // lane 2: dw
  drive.f.taylor2_apply(grad.data(), directions.data(), nullptr, nullptr, out.data());
  const double expected[3][3] = {
      {A * w * c, s, A * t * c},
      {-A * w * w * s, w * c, A * c - A * w * t * s},
      {-A * w * w * w * c, -w * w * s, -2 * A * w * s - A * w * w * t * c},
  };
  for (int o = 0; o < 3; ++o) {
    for (int lane = 0; lane < 3; ++lane) {
      EXPECT_NEAR(out[o * kLanes + lane], expected[o][lane], 2e-14) << o << " " << lane;
    }
    for (int lane = 3; lane < kLanes; ++lane) EXPECT_EQ(out[o * kLanes + lane], 0);
  }
}

TEST(Taylor, DirectionsOfRatesAndAccelerationsCount) {
  // f = x y: f' = x'y + xy', f'' = x''y + 2x'y' + xy''
  Names scope({"x", "y"});
  const Formula f("x * y", scope);
  const Numbers s{2, 3}, ds{5, 7}, dds{11, 13};
  Numbers scratch(f.scratch_size()), grad(6), out(3 * kLanes);
  const Taylor v = f.taylor2_gradient(s.data(), ds.data(), dds.data(), scratch.data(), grad.data());
  EXPECT_EQ(v.f, 6);
  EXPECT_EQ(v.df, 5 * 3 + 2 * 7);
  EXPECT_EQ(v.ddf, 11 * 3 + 2 * 5 * 7 + 2 * 13);
  Numbers x_only(2 * kLanes, 0.0);
  x_only[0] = 1;
  f.taylor2_apply(grad.data(), x_only.data(), nullptr, nullptr, out.data());
  EXPECT_EQ((Numbers{out[0], out[kLanes], out[2 * kLanes]}), (Numbers{3, 7, 13}));
  f.taylor2_apply(grad.data(), nullptr, x_only.data(), nullptr, out.data());
  EXPECT_EQ((Numbers{out[0], out[kLanes], out[2 * kLanes]}), (Numbers{0, 3, 14}));
  f.taylor2_apply(grad.data(), nullptr, nullptr, x_only.data(), out.data());
  EXPECT_EQ((Numbers{out[0], out[kLanes], out[2 * kLanes]}), (Numbers{0, 0, 3}));
}

TEST(Taylor, ElementaryFunctionsMatchClosedForms) {
  const double t = 0.4;
  const struct {
    const char* text;
    double f, df, ddf;
  } cases[] = {
      {"exp(2*t)", std::exp(0.8), 2 * std::exp(0.8), 4 * std::exp(0.8)},
      {"t^3", 0.064, 0.48, 2.4},
      {"t^t", std::pow(t, t), std::pow(t, t) * (std::log(t) + 1),
       std::pow(t, t) * (std::pow(std::log(t) + 1, 2) + 1 / t)},
      {"1/t", 2.5, -6.25, 31.25},
      {"sqrt(t)", std::sqrt(t), 0.5 / std::sqrt(t), -0.25 * std::pow(t, -1.5)},
      {"log(t)", std::log(t), 1 / t, -1 / (t * t)},
      {"atan2(t, 1)", std::atan(t), 1 / 1.16, -0.8 / (1.16 * 1.16)},
      {"asin(t) + acos(t)", std::acos(0.0), 0, 0},
      {"tan(t)*cos(t) - sin(t)", 0, 0, 0},
      {"cosh(t)^2 - sinh(t)^2", 1, 0, 0},
      {"smoothstep(t, 0, 1)", 0.352, 6 * 0.4 * 0.6, 6 - 4.8},
      {"smootherstep(t, 0, 1)", 0.31744, 30 * 0.16 * 0.36, 60 * 0.4 * 0.6 * 0.2},
  };
  for (const auto& c : cases) {
    const Taylor f = Driven(c.text).taylor();
    EXPECT_NEAR(f.f, c.f, 1e-14) << c.text;
    EXPECT_NEAR(f.df, c.df, 1e-13) << c.text;
    EXPECT_NEAR(f.ddf, c.ddf, 1e-13) << c.text;
  }
}

TEST(Taylor, TableMatchesItsSpline) {
  Names scope({"t"});
  const Table table({0, 0.3, 0.7, 1.5}, {0, 2, -1, 4}, Interpolation::kCubic);
  scope.add_table("u", table);
  const Formula f("2*u", scope);
  double d[4];
  table.evaluate(0.5, d);
  const double t = 0.5, one = 1, zero = 0;
  Numbers scratch(f.scratch_size()), grad(3);
  const Taylor v = f.taylor2_gradient(&t, &one, &zero, scratch.data(), grad.data());
  EXPECT_DOUBLE_EQ(v.f, 2 * d[0]);
  EXPECT_DOUBLE_EQ(v.df, 2 * d[1]);
  EXPECT_DOUBLE_EQ(v.ddf, 2 * d[2]);
  EXPECT_EQ(grad, (Numbers{2 * d[1], 2 * d[2], 2 * d[3]}));
}

}  // namespace
}  // namespace parfait::expr
