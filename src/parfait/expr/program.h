#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "parfait/expr/table.h"

/// The flat program behind a Formula. Internal to expr.
namespace parfait::expr {

enum class Op : std::uint8_t {
  kConstant,  ///< constant
  kSlot,      ///< slot number b; after finish(), c is its position in Program::used
  kTable,     ///< table number b at time a
  // One argument a.
  kNegate,
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kTanh,
  kExp,
  kLog,
  kLog10,
  kSqrt,
  kCbrt,
  kPowConstant,   ///< a to the power `constant`
  kSmoothstep,    ///< C1 ramp of a from 0 to 1
  kSmootherstep,  ///< C2 ramp of a from 0 to 1
  kAbs,
  kSign,
  kStep,
  kNot,
  // Two arguments a, b.
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kPow,
  kAtan2,
  kMin,
  kMax,
  kLess,
  kLessEqual,
  kEqual,
  kNotEqual,
  kAnd,
  kOr,
  kSelect,  ///< c != 0 ? a : b. The condition comes last so that all ops differentiate a and b.
};

/// One step v[i] = op(v[a], v[b], v[c]); operands stand before it. -1: no such operand.
struct Instruction {
  Op op = Op::kConstant;
  int a = -1, b = -1, c = -1;
  double constant = 0;
  int switch_index = -1;  ///< the branch this step decides, numbered in order of evaluation
};

/// Switching function v[plus] - v[minus], or v[plus] if minus is -1.
struct Switch {
  int plus = -1, minus = -1;
};

struct Program {
  std::string text;
  std::vector<Instruction> code;  ///< the result is the last one
  std::vector<int> used;          ///< slots, ascending
  std::vector<Switch> switches;
  std::vector<Table> tables;

  int size() const { return static_cast<int>(code.size()); }
};

/// Builds a program bottom up. Constants are folded, equal steps are made once, and what the result
/// does not need is dropped, so slots and switches count only if they matter.
class ProgramBuilder {
 public:
  int constant(double x);
  int slot(int number);
  int table(const Table& table, int time);
  int unary(Op op, int a, double constant = 0);
  int binary(Op op, int a, int b);
  int power(int base, int exponent);
  int select(int condition, int a, int b);

  bool is_constant(int i) const { return code_[i].op == Op::kConstant; }

  Program finish(int result, std::string text);

 private:
  int add(const Instruction& step);

  using Key = std::tuple<Op, int, int, int, std::uint64_t>;
  std::vector<Instruction> code_;
  std::vector<Table> tables_;
  std::map<Key, int> known_;
};

}  // namespace parfait::expr
