#pragma once

#include <span>
#include <string_view>

#include "parfait/expr/program.h"

namespace parfait::expr {

inline constexpr int kAnyNumber = -1;

/// A function that formulas may call. Internal to expr.
struct Function {
  std::string_view name;
  int min_arguments;
  int max_arguments;  ///< or kAnyNumber
  Op op;
};

std::span<const Function> functions();
const Function* find_function(std::string_view name);

/// The steps of a call; the number of arguments is right. Two edges of a ramp must differ
/// (edges_are_equal), since the ramp divides by their distance.
int build_call(ProgramBuilder& builder, const Function& function, std::span<const int> arguments);
bool edges_are_equal(const Function& function, std::span<const int> arguments);

}  // namespace parfait::expr
