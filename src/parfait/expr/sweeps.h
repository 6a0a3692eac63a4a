#pragma once

#include <cstdint>

#include "parfait/expr/program.h"

/// The sweeps over a program: values, and the linearized program run backwards. Internal to expr.
///
/// A scalar T is a double, or a Taylor2: a number that moves along a curve, with its first and
/// second derivative. The gradient computed in Taylor2 arithmetic is the gradient along the curve,
/// so one backward sweep serves both (docs/theory/formulas.md, F1-F4).
namespace parfait::expr {

struct Taylor2 {
  double f = 0, df = 0, ddf = 0;
};

template <class T>
inline constexpr int kNumbers = sizeof(T) / sizeof(double);

/// v[i] for every step; `v` holds program.size() doubles.
void sweep_values(const Program& program, const double* slots, const std::int8_t* mode, double* v);

/// Values and both partial derivatives of every step. `scratch` holds 4 size() numbers T: the
/// values, the two partials, and room for the adjoints. `slots[o]` gives the derivative of order o.
template <class T>
void linearize(const Program& program, const double* const* slots, const std::int8_t* mode,
               double* scratch);

/// Gradient of v[plus] - v[minus] (or v[plus] if minus < 0) after linearize(). grad[o n + j] is the
/// derivative of order o of the entry of used slot j, n = program.used.size().
template <class T>
void reverse(const Program& program, int plus, int minus, double* scratch, double* grad);

}  // namespace parfait::expr
