#include "parfait/tree/structure/function.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "parfait/base/error.h"
#include "parfait/expr/scope.h"

namespace parfait::tree {

using math::Dual;

Function Function::linear(double slope, double intercept) {
  return {FunctionKind::kLinear, {}, {slope, intercept}, {}};
}

Function Function::polynomial(std::vector<double> coefficients) {
  if (coefficients.empty()) throw base::InputError("polynomial: no coefficients are given.");
  return {FunctionKind::kPolynomial, {}, std::move(coefficients), {}};
}

Function Function::spline(FunctionKind kind, std::vector<double> knots,
                          std::vector<double> values) {
  if (knots.size() < 2 || knots.size() != values.size()) {
    throw base::InputError("function: " + std::to_string(knots.size()) + " knots and " +
                           std::to_string(values.size()) +
                           " values are given; at least two of each are required.");
  }
  for (std::size_t i = 1; i < knots.size(); ++i) {
    if (!(knots[i - 1] < knots[i])) {
      throw base::InputError("function: knot " + std::to_string(i + 1) + " is not after knot " +
                             std::to_string(i) + ".");
    }
  }
  return {kind, std::move(knots), std::move(values), {}};
}

Function Function::of_formula(const std::string& text, std::vector<std::string> names,
                              std::vector<double> values) {
  names.insert(names.begin(), "q");
  expr::Names scope(std::move(names));
  return {FunctionKind::kFormula, {}, std::move(values), expr::Formula(text, scope)};
}

namespace {

/// Half the second derivatives of the natural spline go to c; b and d follow in finish().
template <class S>
void natural_curvatures(const std::vector<double>& x, const std::vector<S>& y, std::vector<S>& c) {
  const std::size_t n = x.size();
  std::vector<double> diagonal(n, 1.0);
  std::fill(c.begin(), c.end(), S(0.0));
  const auto slope = [&](std::size_t i) { return (y[i + 1] - y[i]) * S(1 / (x[i + 1] - x[i])); };
  // h_{i-1} c_{i-1} + 2 (h_{i-1} + h_i) c_i + h_i c_{i+1} = 3 (slope_i - slope_{i-1})
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double before = x[i] - x[i - 1], after = x[i + 1] - x[i];
    diagonal[i] = 2 * (before + after);
    c[i] = S(3.0) * (slope(i) - slope(i - 1));
    if (i > 1) {
      const double t = before / diagonal[i - 1];
      diagonal[i] -= t * before;
      c[i] = c[i] - S(t) * c[i - 1];
    }
  }
  for (std::size_t i = n - 2; i >= 1; --i) {
    c[i] = (c[i] - S(x[i + 1] - x[i]) * c[i + 1]) * S(1 / diagonal[i]);
  }
}

/// SPLINE of Forsythe, Malcolm and Moler: the third derivatives at the ends are those of the cubics
/// through the first and the last four points.
template <class S>
void simm_curvatures(const std::vector<double>& x, const std::vector<S>& y, std::vector<S>& c) {
  const std::size_t n = x.size(), last = n - 1;
  const auto h = [&](std::size_t i) { return x[i + 1] - x[i]; };
  const auto slope = [&](std::size_t i) { return (y[i + 1] - y[i]) * S(1 / h(i)); };
  std::fill(c.begin(), c.end(), S(0.0));
  if (n == 2) return;
  std::vector<double> diagonal(n);
  diagonal[0] = -h(0);
  diagonal[last] = -h(last - 1);
  for (std::size_t i = 1; i < last; ++i) {
    diagonal[i] = 2 * (h(i - 1) + h(i));
    c[i] = slope(i) - slope(i - 1);
  }
  if (n > 3) {
    // Divided differences of third order, times h^2.
    const S first = c[2] * S(1 / (x[3] - x[1])) - c[1] * S(1 / (x[2] - x[0]));
    const S end = c[last - 1] * S(1 / (x[last] - x[last - 2])) -
                  c[last - 2] * S(1 / (x[last - 1] - x[last - 3]));
    c[0] = first * S(h(0) * h(0) / (x[3] - x[0]));
    c[last] = -end * S(h(last - 1) * h(last - 1) / (x[last] - x[last - 3]));
  }
  for (std::size_t i = 1; i < n; ++i) {
    const double t = h(i - 1) / diagonal[i - 1];
    diagonal[i] -= t * h(i - 1);
    c[i] = c[i] - S(t) * c[i - 1];
  }
  c[last] = c[last] * S(1 / diagonal[last]);
  for (std::size_t i = last; i-- > 0;) c[i] = (c[i] - S(h(i)) * c[i + 1]) * S(1 / diagonal[i]);
  for (S& entry : c) entry = S(3.0) * entry;
}

/// b and d of the cubics, from their values and half second derivatives at the knots.
template <class S>
void finish(const std::vector<double>& x, Coefficients<S>& out) {
  const std::size_t last = x.size() - 1;
  for (std::size_t i = 0; i < last; ++i) {
    const double h = x[i + 1] - x[i];
    out.d[i] = (out.c[i + 1] - out.c[i]) * S(1 / (3 * h));
    out.b[i] = (out.a[i + 1] - out.a[i]) * S(1 / h) - (out.c[i + 1] + S(2.0) * out.c[i]) * S(h / 3);
  }
  const double h = x[last] - x[last - 1];
  out.b[last] = out.b[last - 1] + (out.c[last] + out.c[last - 1]) * S(h);
}

template <class S>
Jet<S> horner(const std::vector<S>& coefficients, const S& q) {
  Jet<S> jet;
  for (const S& coefficient : coefficients) {
    jet.d3 = jet.d3 * q + S(3.0) * jet.d2;
    jet.d2 = jet.d2 * q + S(2.0) * jet.d1;
    jet.d1 = jet.d1 * q + jet.f;
    jet.f = jet.f * q + coefficient;
  }
  return jet;
}

template <class S>
Jet<S> piece(const std::vector<double>& x, const Coefficients<S>& p, const S& q) {
  const double at = math::value_of(q);
  const std::size_t last = x.size() - 1;
  if (at < x[0] || at >= x[last]) {
    const std::size_t i = at < x[0] ? 0 : last;
    return {p.a[i] + p.b[i] * (q - S(x[i])), p.b[i], S(0.0), S(0.0)};
  }
  const std::size_t i =
      static_cast<std::size_t>(std::upper_bound(x.begin(), x.end(), at) - x.begin()) - 1;
  const S h = q - S(x[i]);
  const S three_d = S(3.0) * p.d[i];
  return {p.a[i] + h * (p.b[i] + h * (p.c[i] + h * p.d[i])),
          p.b[i] + h * (S(2.0) * p.c[i] + h * three_d), S(2.0) * (p.c[i] + h * three_d),
          S(2.0) * three_d};
}

// Slots, their first and second rates, gradients (three for each used slot), the program's own.
Jet<double> formula_jet(const Function& function, const Coefficients<double>& p, double q,
                        double* scratch) {
  const std::size_t n = 1 + function.constants.size();
  double* s = scratch;
  double *ds = s + n, *dds = ds + n, *grad = dds + n, *own = grad + 3 * n;
  std::fill(ds, grad, 0.0);
  s[0] = q;
  std::copy(p.a.begin(), p.a.end(), s + 1);
  ds[0] = 1;
  const expr::Taylor t = function.formula.taylor2_gradient(s, ds, dds, own, grad);
  const bool uses = function.formula.uses(0);  // then it is the first of the used slots
  const double third = uses ? grad[2 * static_cast<std::size_t>(function.formula.num_used())] : 0;
  return {t.f, t.df, t.ddf, third};
}

Jet<Dual> formula_jet(const Function& function, const Coefficients<Dual>& p, const Dual& q,
                      double* scratch) {
  const std::size_t n = 1 + function.constants.size();
  double* s = scratch;
  double *ds = s + n, *dds = ds + n, *grad = dds + n, *own = grad + 3 * n;
  double* dir = own + function.formula.scratch_size();
  std::fill(ds, grad, 0.0);
  s[0] = q.v;
  store(dir, q.d);
  for (std::size_t i = 1; i < n; ++i) {
    s[i] = p.a[i - 1].v;
    store(dir + i * math::kLanes, p.a[i - 1].d);
  }
  ds[0] = 1;
  const expr::Taylor t = function.formula.taylor2_gradient(s, ds, dds, own, grad);
  double out[3 * math::kLanes];
  function.formula.taylor2_apply(grad, dir, nullptr, nullptr, out);
  return {{t.f, math::load(out)},
          {t.df, math::load(out + math::kLanes)},
          {t.ddf, math::load(out + 2 * math::kLanes)},
          Dual(0.0)};
}

}  // namespace

template <class S>
void prepare(const Function& function, const S* constants, Coefficients<S>& out) {
  const std::size_t n = function.constants.size();
  out.a.assign(constants, constants + n);
  if (function.knots.empty()) return;
  out.b.assign(n, S(0.0));
  out.c.assign(n, S(0.0));
  out.d.assign(n, S(0.0));
  if (function.kind == FunctionKind::kNaturalSpline) {
    natural_curvatures(function.knots, out.a, out.c);
  } else if (function.kind == FunctionKind::kSimmSpline) {
    simm_curvatures(function.knots, out.a, out.c);
  }
  finish(function.knots, out);
}

template <class S>
Jet<S> evaluate(const Function& function, const Coefficients<S>& prepared, const S& q,
                double* scratch) {
  switch (function.kind) {
    case FunctionKind::kLinear:
    case FunctionKind::kPolynomial:
      return horner(prepared.a, q);
    case FunctionKind::kFormula:
      return formula_jet(function, prepared, q, scratch);
    default:
      return piece(function.knots, prepared, q);
  }
}

std::size_t scratch_size(const Function& function) {
  const std::size_t n = 1 + function.constants.size();
  return function.kind == FunctionKind::kFormula
             ? (6 + math::kLanes) * n + function.formula.scratch_size()
             : 0;
}

template void prepare(const Function&, const double*, Coefficients<double>&);
template void prepare(const Function&, const Dual*, Coefficients<Dual>&);
template Jet<double> evaluate(const Function&, const Coefficients<double>&, const double&, double*);
template Jet<Dual> evaluate(const Function&, const Coefficients<Dual>&, const Dual&, double*);

}  // namespace parfait::tree
