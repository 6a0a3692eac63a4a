#pragma once

#include <cmath>
#include <cstdint>

#include "parfait/expr/program.h"

/// What each step computes, and the derivatives of the smooth functions. Internal to expr.
namespace parfait::expr {

/// x^n; small whole exponents by multiplication and halves by roots, which is several times faster
/// than std::pow.
inline double power(double x, double n) {
  if (n == 2) return x * x;
  if (n == 1) return x;
  if (n == 0) return 1;
  if (n == 3) return x * x * x;
  if (n == 4) return (x * x) * (x * x);
  if (n == -1) return 1 / x;
  if (n == 0.5) return std::sqrt(x);
  if (n == 1.5) return x * std::sqrt(x);
  return std::pow(x, n);
}

/// c x^n, with 0 x^n = 0 also where x^n is infinite: the derivatives of 1 and x^2 at 0 are 0.
inline double monomial(double c, double x, double n) {
  return c == 0 ? 0 : c * power(x, n);
}

/// d[0..Order] = f, f', f'', f''' of a smooth function of one argument, at x.
template <int Order>
inline void differentiate(Op op, double x, double constant, double* d) {
  static_assert(Order == 0 || Order == 1 || Order == 3);
  // Each case gives all four; what lies beyond Order is dropped here and optimised away.
  const auto set = [d](double f, auto f1, auto f2, auto f3) {
    d[0] = f;
    if constexpr (Order >= 1) d[1] = f1();
    if constexpr (Order >= 3) {
      d[2] = f2();
      d[3] = f3();
    }
  };
  switch (op) {
    case Op::kNegate:
      return set(
          -x, [] { return -1.0; }, [] { return 0.0; }, [] { return 0.0; });
    case Op::kSin: {
      const double s = std::sin(x);
      return set(
          s, [&] { return std::cos(x); }, [&] { return -s; }, [&] { return -std::cos(x); });
    }
    case Op::kCos: {
      const double c = std::cos(x);
      return set(
          c, [&] { return -std::sin(x); }, [&] { return -c; }, [&] { return std::sin(x); });
    }
    case Op::kTan: {
      const double f = std::tan(x), q = 1 + f * f;
      return set(
          f, [&] { return q; }, [&] { return 2 * f * q; }, [&] { return 2 * q * (1 + 3 * f * f); });
    }
    case Op::kAsin:
    case Op::kAcos: {
      const double sign = op == Op::kAsin ? 1 : -1;
      const double r = (1 - x) * (1 + x);
      return set(
          op == Op::kAsin ? std::asin(x) : std::acos(x), [&] { return sign / std::sqrt(r); },
          [&] { return sign * x / (r * std::sqrt(r)); },
          [&] { return sign * (1 + 2 * x * x) / (r * r * std::sqrt(r)); });
    }
    case Op::kAtan: {
      const double r = 1 / (1 + x * x);
      return set(
          std::atan(x), [&] { return r; }, [&] { return -2 * x * r * r; },
          [&] { return (6 * x * x - 2) * r * r * r; });
    }
    case Op::kSinh: {
      const double s = std::sinh(x);
      return set(
          s, [&] { return std::cosh(x); }, [&] { return s; }, [&] { return std::cosh(x); });
    }
    case Op::kCosh: {
      const double c = std::cosh(x);
      return set(
          c, [&] { return std::sinh(x); }, [&] { return c; }, [&] { return std::sinh(x); });
    }
    case Op::kTanh: {
      const double f = std::tanh(x), q = (1 - f) * (1 + f);
      return set(
          f, [&] { return q; }, [&] { return -2 * f * q; },
          [&] { return 2 * q * (3 * f * f - 1); });
    }
    case Op::kExp: {
      const double f = std::exp(x);
      return set(
          f, [&] { return f; }, [&] { return f; }, [&] { return f; });
    }
    case Op::kLog:
      return set(
          std::log(x), [&] { return 1 / x; }, [&] { return -1 / (x * x); },
          [&] { return 2 / (x * x * x); });
    case Op::kLog10: {
      const double k = 0.43429448190325182765;  // 1 / log(10)
      return set(
          std::log10(x), [&] { return k / x; }, [&] { return -k / (x * x); },
          [&] { return 2 * k / (x * x * x); });
    }
    case Op::kSqrt: {
      const double f = std::sqrt(x);
      return set(
          f, [&] { return 0.5 / f; }, [&] { return -0.25 / (x * f); },
          [&] { return 0.375 / (x * x * f); });
    }
    case Op::kCbrt: {
      const double f = std::cbrt(x);
      return set(
          f, [&] { return 1 / (3 * f * f); }, [&] { return -2 / (9 * f * f * x); },
          [&] { return 10 / (27 * f * f * x * x); });
    }
    case Op::kPowConstant: {
      const double n = constant;
      return set(
          power(x, n), [&] { return monomial(n, x, n - 1); },
          [&] { return monomial(n * (n - 1), x, n - 2); },
          [&] { return monomial(n * (n - 1) * (n - 2), x, n - 3); });
    }
    case Op::kSmoothstep: {
      const bool inside = x > 0 && x < 1;
      return set(
          x <= 0 ? 0 : (x >= 1 ? 1 : x * x * (3 - 2 * x)),
          [&] { return inside ? 6 * x * (1 - x) : 0.0; }, [&] { return inside ? 6 - 12 * x : 0.0; },
          [&] { return inside ? -12.0 : 0.0; });
    }
    case Op::kSmootherstep: {
      const bool inside = x > 0 && x < 1;
      return set(
          x <= 0 ? 0 : (x >= 1 ? 1 : x * x * x * (10 - x * (15 - 6 * x))),
          [&] { return inside ? 30 * x * x * (1 - x) * (1 - x) : 0.0; },
          [&] { return inside ? 60 * x * (1 - x) * (1 - 2 * x) : 0.0; },
          [&] { return inside ? 60 * (1 - 6 * x * (1 - x)) : 0.0; });
    }
    default:  // not a smooth function of one argument
      return set(
          0, [] { return 0.0; }, [] { return 0.0; }, [] { return 0.0; });
  }
}

/// The branch a step takes: true where its switching function is >= 0 (mode +1). Not-a-number makes
/// comparisons false and passes through min and max.
inline bool takes_upper_branch(const Instruction& step, double a, double b,
                               const std::int8_t* mode) {
  if (mode && step.switch_index >= 0) return mode[step.switch_index] > 0;
  switch (step.op) {
    case Op::kMin:
      return !(a < b || a != a);
    case Op::kMax:
      return a >= b || a != a;
    case Op::kLess:
      return !(a < b);
    case Op::kLessEqual:
      return a <= b;
    default:
      return a >= 0;
  }
}

/// The value of a step, for all but kSlot and kTable.
inline double compute(const Instruction& step, double a, double b, double c,
                      const std::int8_t* mode) {
  const auto upper = [&] { return takes_upper_branch(step, a, b, mode); };
  switch (step.op) {
    case Op::kConstant:
      return step.constant;
    case Op::kAdd:
      return a + b;
    case Op::kSubtract:
      return a - b;
    case Op::kMultiply:
      return a * b;
    case Op::kDivide:
      return a / b;
    case Op::kPow:
      return std::pow(a, b);
    case Op::kAtan2:
      return std::atan2(a, b);
    case Op::kAbs:
      return upper() ? a : -a;
    case Op::kSign:
      if (!mode && !(a > 0 || a < 0)) return a;  // 0 or not a number
      return upper() ? 1 : -1;
    case Op::kStep:
      if (!mode && a != a) return a;
      return upper() ? 1 : 0;
    case Op::kMin:
      return upper() ? b : a;
    case Op::kMax:
      return upper() ? a : b;
    case Op::kLess:
      return upper() ? 0 : 1;
    case Op::kLessEqual:
      return upper() ? 1 : 0;
    case Op::kEqual:
      return a == b ? 1 : 0;
    case Op::kNotEqual:
      return a != b ? 1 : 0;
    case Op::kAnd:
      return a != 0 && b != 0 ? 1 : 0;
    case Op::kOr:
      return a != 0 || b != 0 ? 1 : 0;
    case Op::kNot:
      return a == 0 ? 1 : 0;
    case Op::kSelect:
      return c != 0 ? a : b;
    default: {
      double f = 0;
      differentiate<0>(step.op, a, step.constant, &f);
      return f;
    }
  }
}

}  // namespace parfait::expr
