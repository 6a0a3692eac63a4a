#include "parfait/expr/sweeps.h"

#include <algorithm>
#include <cmath>

#include "parfait/expr/elementary.h"

namespace parfait::expr {

namespace {

/// Product in the chain rule, where 0 times infinity is 0: an infinite slope (sqrt at 0) of
/// something that does not move contributes nothing.
double times(double p, double x) {
  return p == 0 || x == 0 ? 0 : p * x;
}

Taylor2 times(const Taylor2& a, const Taylor2& b) {
  return {times(a.f, b.f), times(a.df, b.f) + times(a.f, b.df),
          times(a.ddf, b.f) + 2 * times(a.df, b.df) + times(a.f, b.ddf)};
}

Taylor2 operator+(const Taylor2& a, const Taylor2& b) {
  return {a.f + b.f, a.df + b.df, a.ddf + b.ddf};
}
Taylor2 operator-(const Taylor2& a) {
  return {-a.f, -a.df, -a.ddf};
}
Taylor2 operator-(const Taylor2& a, const Taylor2& b) {
  return a + (-b);
}
Taylor2 operator*(const Taylor2& a, const Taylor2& b) {
  return times(a, b);
}
Taylor2 operator/(const Taylor2& a, const Taylor2& b) {
  const double q = a.f / b.f;
  const double dq = (a.df - times(q, b.df)) / b.f;
  return {q, dq, (a.ddf - 2 * times(dq, b.df) - times(q, b.ddf)) / b.f};
}

double plain(double x) {
  return x;
}
double plain(const Taylor2& x) {
  return x.f;
}

bool is_zero(double x) {
  return x == 0;
}
bool is_zero(const Taylor2& x) {
  return x.f == 0 && x.df == 0 && x.ddf == 0;
}

double number(double x, double) {
  return x;
}
Taylor2 number(double x, const Taylor2&) {
  return {.f = x};
}

/// Scratch is an array of doubles; a T is kNumbers<T> of them.
void read(const double* from, int i, double& x) {
  x = from[i];
}
void read(const double* from, int i, Taylor2& x) {
  x = {from[3 * i], from[3 * i + 1], from[3 * i + 2]};
}
void write(double* to, int i, double x) {
  to[i] = x;
}
void write(double* to, int i, const Taylor2& x) {
  to[3 * i] = x.f;
  to[3 * i + 1] = x.df;
  to[3 * i + 2] = x.ddf;
}

/// A step linearized: its value and the partial derivatives with respect to a and b.
template <class T>
struct Linear {
  T v{}, pa{}, pb{};
};

/// f(x) and f'(x) from the derivatives d of f at x: the chain rule to second order (F2).
void compose(const double* d, double, Linear<double>& out) {
  out.v = d[0];
  out.pa = d[1];
}
void compose(const double* d, const Taylor2& x, Linear<Taylor2>& out) {
  const double xx = x.df * x.df;
  out.v = {d[0], times(d[1], x.df), times(d[2], xx) + times(d[1], x.ddf)};
  out.pa = {d[1], times(d[2], x.df), times(d[3], xx) + times(d[2], x.ddf)};
}

template <class T>
inline constexpr int kOrder = kNumbers<T> == 1 ? 1 : 3;  ///< of the derivatives compose() needs

/// Second-order chain rule for f(a, b), from partial derivatives of f and their partials.
struct SecondOrder {
  double f, fa, fb, faa, fab, fbb;
};
Taylor2 compose(const SecondOrder& d, const Taylor2& a, const Taylor2& b) {
  return {d.f, times(d.fa, a.df) + times(d.fb, b.df),
          times(d.faa, a.df * a.df) + 2 * times(d.fab, a.df * b.df) + times(d.fbb, b.df * b.df) +
              times(d.fa, a.ddf) + times(d.fb, b.ddf)};
}

/// a^b. For a <= 0 the exponent counts as fixed: the power is defined there only for whole b (or is
/// 0 around it), so it cannot be differentiated with respect to b, and 0 keeps the rest finite.
void linearize_power(double a, double b, Linear<double>& out) {
  out.v = std::pow(a, b);
  out.pa = monomial(b, a, b - 1);
  out.pb = a > 0 ? out.v * std::log(a) : 0;
}
void linearize_power(const Taylor2& ta, const Taylor2& tb, Linear<Taylor2>& out) {
  const double a = ta.f, b = tb.f, f = std::pow(a, b);
  const double fa = monomial(b, a, b - 1), faa = monomial(b * (b - 1), a, b - 2);
  const double faaa = monomial(b * (b - 1) * (b - 2), a, b - 3);
  double fb = 0, fab = 0, fbb = 0, faab = 0, fabb = 0, fbbb = 0;
  if (a > 0) {
    const double l = std::log(a);
    fb = f * l;
    fbb = fb * l;
    fbbb = fbb * l;
    fab = f / a * (1 + b * l);
    fabb = f / a * l * (2 + b * l);
    faab = f / (a * a) * (2 * b - 1 + b * (b - 1) * l);
  }
  out.v = compose({f, fa, fb, faa, fab, fbb}, ta, tb);
  out.pa = compose({fa, faa, fab, faaa, faab, fabb}, ta, tb);
  out.pb = compose({fb, fab, fbb, faab, fabb, fbbb}, ta, tb);
}

/// v.df and v.ddf of a step whose partials are known along the curve: v' = pa a' + pb b'.
void complete_from_partials(const double&, const double&, Linear<double>&) {}
void complete_from_partials(const Taylor2& a, const Taylor2& b, Linear<Taylor2>& out) {
  out.v.df = times(out.pa.f, a.df) + times(out.pb.f, b.df);
  out.v.ddf = times(out.pa.df, a.df) + times(out.pa.f, a.ddf) + times(out.pb.df, b.df) +
              times(out.pb.f, b.ddf);
}

template <class T>
Linear<T> linearize_step(const Program& program, const Instruction& step, const T& a, const T& b,
                         const T& c, const std::int8_t* mode) {
  const T one = number(1, T{});
  Linear<T> out;
  switch (step.op) {
    case Op::kTable: {
      double d[4];
      program.tables[step.b].evaluate(plain(a), d);
      compose(d, a, out);
      return out;
    }
    case Op::kAdd:
      return {a + b, one, one};
    case Op::kSubtract:
      return {a - b, one, -one};
    case Op::kMultiply:
      out = {a * b, b, a};
      break;
    case Op::kDivide:
      out.v = a / b;
      out.pa = one / b;
      out.pb = -(out.v * out.pa);
      return out;
    case Op::kPow:
      linearize_power(a, b, out);
      return out;
    case Op::kAtan2: {
      const T r2 = a * a + b * b;
      out.pa = b / r2;
      out.pb = -(a / r2);
      complete_from_partials(a, b, out);
      break;
    }
    case Op::kAbs: {
      const bool up = takes_upper_branch(step, plain(a), 0, mode);
      return {up ? a : -a, up ? one : -one, {}};
    }
    case Op::kMin:
    case Op::kMax:
    case Op::kSelect: {
      const bool up = takes_upper_branch(step, plain(a), plain(b), mode);
      const bool is_a = step.op == Op::kSelect ? plain(c) != 0 : up == (step.op == Op::kMax);
      return is_a ? Linear<T>{a, one, {}} : Linear<T>{b, {}, one};
    }
    case Op::kConstant:
    case Op::kSign:
    case Op::kStep:
    case Op::kLess:
    case Op::kLessEqual:
    case Op::kEqual:
    case Op::kNotEqual:
    case Op::kAnd:
    case Op::kOr:
    case Op::kNot:
      break;  // piecewise constant
    default: {
      double d[4];
      differentiate<kOrder<T>>(step.op, plain(a), step.constant, d);
      compose(d, a, out);
      return out;
    }
  }
  // The value itself is the one of sweep_values(), not a chain-rule product.
  const double v = compute(step, plain(a), plain(b), plain(c), mode);
  if constexpr (kNumbers<T> == 1) {
    out.v = v;
  } else {
    out.v.f = v;
  }
  return out;
}

}  // namespace

void sweep_values(const Program& program, const double* slots, const std::int8_t* mode, double* v) {
  const auto operand = [v](int i) { return i < 0 ? 0 : v[i]; };
  for (const Instruction& step : program.code) {
    double& out = v[&step - program.code.data()];
    switch (step.op) {
      case Op::kSlot:
        out = slots[step.b];
        break;
      case Op::kTable:
        out = program.tables[step.b].value(v[step.a]);
        break;
      default:
        out = compute(step, operand(step.a), operand(step.b), operand(step.c), mode);
    }
  }
}

template <class T>
void linearize(const Program& program, const double* const* slots, const std::int8_t* mode,
               double* scratch) {
  const int n = program.size();
  double* const v = scratch;
  double* const pa = v + n * kNumbers<T>;
  double* const pb = pa + n * kNumbers<T>;
  const auto operand = [v](int i) {
    T x{};
    if (i >= 0) read(v, i, x);
    return x;
  };
  for (int i = 0; i < n; ++i) {
    const Instruction& step = program.code[i];
    if (step.op == Op::kSlot) {
      for (int o = 0; o < kNumbers<T>; ++o) v[i * kNumbers<T> + o] = slots[o][step.b];
      continue;
    }
    const bool has_b = step.op != Op::kTable;
    const Linear<T> linear = linearize_step<T>(program, step, operand(step.a),
                                               operand(has_b ? step.b : -1), operand(step.c), mode);
    write(v, i, linear.v);
    write(pa, i, linear.pa);
    write(pb, i, linear.pb);
  }
}

template <class T>
void reverse(const Program& program, int plus, int minus, double* scratch, double* grad) {
  const int n = program.size(), num_used = static_cast<int>(program.used.size());
  const double* const pa = scratch + n * kNumbers<T>;
  const double* const pb = pa + n * kNumbers<T>;
  double* const adjoint = scratch + 3 * n * kNumbers<T>;

  std::fill_n(grad, num_used * kNumbers<T>, 0.0);
  std::fill_n(adjoint, n * kNumbers<T>, 0.0);
  adjoint[plus * kNumbers<T>] += 1;
  if (minus >= 0) adjoint[minus * kNumbers<T>] -= 1;

  const auto pass_on = [&](const T& w, const double* partials, int i, int to) {
    T p, sum;
    read(partials, i, p);
    read(adjoint, to, sum);
    write(adjoint, to, sum + times(w, p));
  };
  for (int i = std::max(plus, minus); i >= 0; --i) {
    T w;
    read(adjoint, i, w);
    if (is_zero(w)) continue;  // nothing to pass on: a branch not taken
    const Instruction& step = program.code[i];
    if (step.op == Op::kSlot) {
      const double* const numbers = adjoint + i * kNumbers<T>;
      for (int o = 0; o < kNumbers<T>; ++o) grad[o * num_used + step.c] += numbers[o];
      continue;
    }
    if (step.a >= 0) pass_on(w, pa, i, step.a);
    if (step.b >= 0 && step.op != Op::kTable) pass_on(w, pb, i, step.b);
  }
}

template void linearize<double>(const Program&, const double* const*, const std::int8_t*, double*);
template void linearize<Taylor2>(const Program&, const double* const*, const std::int8_t*, double*);
template void reverse<double>(const Program&, int, int, double*, double*);
template void reverse<Taylor2>(const Program&, int, int, double*, double*);

}  // namespace parfait::expr
