#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "parfait/expr/formula.h"
#include "parfait/math/dual.h"

/// Functions of one coordinate: what a step of a function joint, or a coupled coordinate, follows.
namespace parfait::tree {

enum class FunctionKind : std::uint8_t {
  kLinear,           ///< constants: slope, intercept
  kPolynomial,       ///< constants: coefficients, the highest power first
  kNaturalSpline,    ///< constants: values at the knots; f'' = 0 at both ends
  kSimmSpline,       ///< the same; ends as in SIMM and OpenSim (Forsythe, Malcolm, Moler 1977)
  kPiecewiseLinear,  ///< the same
  kFormula,          ///< formula of `q` and of named constants
};

/// A function as described. Splines and polygons continue as straight lines beyond their knots.
/// Knots are fixed; everything in `constants` can be differentiated with respect to.
struct Function {
  FunctionKind kind = FunctionKind::kLinear;
  std::vector<double> knots;
  std::vector<double> constants;
  expr::Formula formula;  ///< slot 0 is q, slot 1 + i is constants[i]

  static Function linear(double slope, double intercept);
  static Function polynomial(std::vector<double> coefficients);
  /// InputError unless there are at least two knots (natural: of any number), ascending, and as
  /// many values.
  static Function spline(FunctionKind kind, std::vector<double> knots, std::vector<double> values);
  static Function of_formula(const std::string& text, std::vector<std::string> names = {},
                             std::vector<double> values = {});
};

/// f and its derivatives with respect to the coordinate. The third is needed only where forces are
/// differentiated with respect to the coordinate, and is then asked of double.
template <class S>
struct Jet {
  S f{}, d1{}, d2{}, d3{};
};

/// g(f(x)) from the jets of f at x and of g at f(x).
template <class S>
Jet<S> composed(const Jet<S>& g, const Jet<S>& f) {
  const S f1f1 = f.d1 * f.d1;
  return {g.f, g.d1 * f.d1, g.d2 * f1f1 + g.d1 * f.d2,
          g.d3 * (f1f1 * f.d1) + S(3.0) * (g.d2 * f.d1) * f.d2 + g.d1 * f.d3};
}

/// What evaluation needs, made once per binding of the constants: the cubic on each interval is
/// a[i] + b[i] h + c[i] h^2 + d[i] h^3 with h = q - knots[i].
template <class S>
struct Coefficients {
  std::vector<S> a, b, c, d;
};

/// `constants` as many as the function has.
template <class S>
void prepare(const Function& function, const S* constants, Coefficients<S>& out);

/// `scratch`: at least scratch_size(function) doubles. Allocates nothing.
template <class S>
Jet<S> evaluate(const Function& function, const Coefficients<S>& prepared, const S& q,
                double* scratch);
std::size_t scratch_size(const Function& function);

}  // namespace parfait::tree
