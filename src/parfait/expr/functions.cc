#include "parfait/expr/functions.h"

namespace parfait::expr {

namespace {

constexpr Function kFunctions[] = {
    {"sin", 1, 1, Op::kSin},
    {"cos", 1, 1, Op::kCos},
    {"tan", 1, 1, Op::kTan},
    {"asin", 1, 1, Op::kAsin},
    {"acos", 1, 1, Op::kAcos},
    {"atan", 1, 1, Op::kAtan},
    {"atan2", 2, 2, Op::kAtan2},
    {"sinh", 1, 1, Op::kSinh},
    {"cosh", 1, 1, Op::kCosh},
    {"tanh", 1, 1, Op::kTanh},
    {"exp", 1, 1, Op::kExp},
    {"log", 1, 1, Op::kLog},
    {"log10", 1, 1, Op::kLog10},
    {"sqrt", 1, 1, Op::kSqrt},
    {"cbrt", 1, 1, Op::kCbrt},
    {"pow", 2, 2, Op::kPow},
    {"abs", 1, 1, Op::kAbs},
    {"min", 2, kAnyNumber, Op::kMin},
    {"max", 2, kAnyNumber, Op::kMax},
    {"sign", 1, 1, Op::kSign},
    {"step", 1, 1, Op::kStep},
    {"smoothstep", 3, 3, Op::kSmoothstep},
    {"smootherstep", 3, 3, Op::kSmootherstep},
    {"if", 3, 3, Op::kSelect},
};

bool is_ramp(Op op) {
  return op == Op::kSmoothstep || op == Op::kSmootherstep;
}

}  // namespace

std::span<const Function> functions() {
  return kFunctions;
}

const Function* find_function(std::string_view name) {
  for (const Function& function : kFunctions) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

// Equal steps are made once, so equal constants and equal formulas have equal numbers.
bool edges_are_equal(const Function& function, std::span<const int> arguments) {
  return is_ramp(function.op) && arguments[1] == arguments[2];
}

int build_call(ProgramBuilder& builder, const Function& function, std::span<const int> arguments) {
  const auto& x = arguments;
  if (is_ramp(function.op)) {
    const int width = builder.binary(Op::kSubtract, x[2], x[1]);
    const int along = builder.binary(Op::kSubtract, x[0], x[1]);
    return builder.unary(function.op, builder.binary(Op::kDivide, along, width));
  }
  if (function.op == Op::kSelect) return builder.select(x[0], x[1], x[2]);
  if (function.op == Op::kPow) return builder.power(x[0], x[1]);
  if (x.size() == 1) return builder.unary(function.op, x[0]);
  int result = x[0];
  for (const int next : x.subspan(1)) result = builder.binary(function.op, result, next);
  return result;
}

}  // namespace parfait::expr
