#include "parfait/tree/structure/function.h"

#include <gtest/gtest.h>

#include "parfait/base/error.h"

namespace parfait::tree {
namespace {

using math::Dual;

const std::vector<double> kKnots{-1.2, -0.5, 0.1, 0.8, 1.4};

Jet<double> at(const Function& f, double q) {
  Coefficients<double> prepared;
  prepare(f, f.constants.data(), prepared);
  std::vector<double> scratch(scratch_size(f) + 1);
  return evaluate(f, prepared, q, scratch.data());
}

std::vector<Function> every_kind() {
  const std::vector<double> values{0.2, -0.1, 0.3, 0.35, 0.1};
  return {Function::linear(0.7, -0.2),
          Function::polynomial({0.3, -0.5, 0.2, 0.9}),
          Function::spline(FunctionKind::kNaturalSpline, kKnots, values),
          Function::spline(FunctionKind::kSimmSpline, kKnots, values),
          Function::spline(FunctionKind::kPiecewiseLinear, kKnots, values),
          Function::of_formula("a*sin(b*q)+q^3", {"a", "b"}, {0.4, 1.3})};
}

TEST(TreeFunction, DerivativesAreThoseOfTheFunction) {
  const double h = 1e-4;
  for (const Function& f : every_kind()) {
    for (const double q : {-1.7, -0.9, 0.35, 1.2, 1.9}) {
      const Jet<double> jet = at(f, q), plus = at(f, q + h), minus = at(f, q - h);
      EXPECT_NEAR(jet.d1, (plus.f - minus.f) / (2 * h), 1e-7) << q;
      EXPECT_NEAR(jet.d2, (plus.d1 - minus.d1) / (2 * h), 1e-7) << q;
      EXPECT_NEAR(jet.d3, (plus.d2 - minus.d2) / (2 * h), 1e-7) << q;
    }
  }
}

TEST(TreeFunction, DirectionsAreThoseOfCoordinateAndConstants) {
  const double h = 1e-6;
  for (const Function& f : every_kind()) {
    const double q = 0.35;
    std::vector<Dual> constants(f.constants.begin(), f.constants.end());
    Dual x(q);
    x.d[0] = 1;
    for (std::size_t i = 0; i < constants.size(); ++i) constants[i].d[static_cast<int>(i) + 1] = 1;
    Coefficients<Dual> prepared;
    prepare(f, constants.data(), prepared);
    std::vector<double> scratch(scratch_size(f) + 1);
    const Jet<Dual> jet = evaluate(f, prepared, x, scratch.data());
    for (std::size_t i = 0; i <= constants.size(); ++i) {
      const auto moved = [&](double step) {
        Function g = f;
        if (i > 0) g.constants[i - 1] += step;
        return at(g, i > 0 ? q : q + step);
      };
      const Jet<double> plus = moved(h), minus = moved(-h);
      const int lane = static_cast<int>(i);
      EXPECT_NEAR(jet.f.d[lane], (plus.f - minus.f) / (2 * h), 1e-8) << i;
      EXPECT_NEAR(jet.d1.d[lane], (plus.d1 - minus.d1) / (2 * h), 1e-8) << i;
      EXPECT_NEAR(jet.d2.d[lane], (plus.d2 - minus.d2) / (2 * h), 1e-8) << i;
    }
  }
}

TEST(TreeFunction, SplinesPassTheirKnotsSmoothly) {
  for (const auto kind : {FunctionKind::kNaturalSpline, FunctionKind::kSimmSpline}) {
    const std::vector<double> values{0.2, -0.1, 0.3, 0.35, 0.1};
    const Function f = Function::spline(kind, kKnots, values);
    for (std::size_t i = 0; i < kKnots.size(); ++i) {
      const Jet<double> right = at(f, kKnots[i]), left = at(f, std::nextafter(kKnots[i], -9.0));
      EXPECT_NEAR(right.f, values[i], 1e-15);
      EXPECT_NEAR(left.f, right.f, 1e-14);
      EXPECT_NEAR(left.d1, right.d1, 1e-14);
      const bool inner = i > 0 && i + 1 < kKnots.size();
      if (inner || kind == FunctionKind::kNaturalSpline) {
        EXPECT_NEAR(left.d2, right.d2, 1e-13);
      }
    }
  }
}

TEST(TreeFunction, SimmSplineReproducesCubics) {
  // Its ends have the third derivatives of the cubics through four points; a natural spline has
  // not.
  const auto cubic = [](double q) { return 0.3 * q * q * q - 0.5 * q * q + 0.2 * q + 0.9; };
  std::vector<double> values;
  values.reserve(std::size(kKnots));
  for (const double knot : kKnots) values.push_back(cubic(knot));
  const Function simm = Function::spline(FunctionKind::kSimmSpline, kKnots, values);
  const Function natural = Function::spline(FunctionKind::kNaturalSpline, kKnots, values);
  for (const double q : {-1.1, -0.3, 0.5, 1.3}) EXPECT_NEAR(at(simm, q).f, cubic(q), 1e-14);
  EXPECT_GT(std::abs(at(natural, -1.0).f - cubic(-1.0)), 1e-3);
}

TEST(TreeFunction, BadKnotsAreRefused) {
  EXPECT_THROW(Function::spline(FunctionKind::kSimmSpline, {0}, {1}), base::InputError);
  EXPECT_THROW(Function::spline(FunctionKind::kSimmSpline, {0, 1}, {1}), base::InputError);
  EXPECT_THROW(Function::spline(FunctionKind::kSimmSpline, {0, 0}, {1, 2}), base::InputError);
  EXPECT_THROW(Function::of_formula("a*x", {"a"}, {1.0}), base::InputError);
}

}  // namespace
}  // namespace parfait::tree
