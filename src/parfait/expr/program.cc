#include "parfait/expr/program.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "parfait/expr/elementary.h"

namespace parfait::expr {

namespace {

bool decides_a_branch(Op op) {
  switch (op) {
    case Op::kAbs:
    case Op::kSign:
    case Op::kStep:
    case Op::kMin:
    case Op::kMax:
    case Op::kLess:
    case Op::kLessEqual:
      return true;
    default:
      return false;
  }
}

/// Slot and table numbers live in b, where other steps have an operand.
bool has_operand_b(Op op) {
  return op != Op::kSlot && op != Op::kTable;
}

}  // namespace

int ProgramBuilder::add(const Instruction& step) {
  const Key key{step.op, step.a, step.b, step.c, std::bit_cast<std::uint64_t>(step.constant)};
  const auto [it, is_new] = known_.emplace(key, static_cast<int>(code_.size()));
  if (is_new) code_.push_back(step);
  return it->second;
}

int ProgramBuilder::constant(double x) {
  return add({.op = Op::kConstant, .constant = x});
}

int ProgramBuilder::slot(int number) {
  return add({.op = Op::kSlot, .b = number});
}

int ProgramBuilder::table(const Table& table, int time) {
  const auto known = std::find_if(tables_.begin(), tables_.end(),
                                  [&](const Table& other) { return other.is_same_as(table); });
  const int number = static_cast<int>(known - tables_.begin());
  if (known == tables_.end()) tables_.push_back(table);
  return add({.op = Op::kTable, .a = time, .b = number});
}

int ProgramBuilder::unary(Op op, int a, double constant_operand) {
  const Instruction step{.op = op, .a = a, .constant = constant_operand};
  if (is_constant(a)) return constant(compute(step, code_[a].constant, 0, 0, nullptr));
  return add(step);
}

int ProgramBuilder::binary(Op op, int a, int b) {
  if (is_constant(a) && is_constant(b)) {
    return constant(
        compute({.op = op, .a = a, .b = b}, code_[a].constant, code_[b].constant, 0, nullptr));
  }
  const bool commutes = op == Op::kAdd || op == Op::kMultiply;
  if (commutes && b < a) std::swap(a, b);
  return add({.op = op, .a = a, .b = b});
}

int ProgramBuilder::power(int base, int exponent) {
  if (is_constant(exponent)) return unary(Op::kPowConstant, base, code_[exponent].constant);
  return binary(Op::kPow, base, exponent);
}

int ProgramBuilder::select(int condition, int a, int b) {
  if (is_constant(condition)) return code_[condition].constant != 0 ? a : b;
  return add({.op = Op::kSelect, .a = a, .b = b, .c = condition});
}

Program ProgramBuilder::finish(int result, std::string text) {
  std::vector<bool> is_needed(code_.size(), false);
  is_needed[result] = true;
  for (int i = result; i >= 0; --i) {
    const Instruction& step = code_[i];
    if (!is_needed[i]) continue;
    if (step.a >= 0) is_needed[step.a] = true;
    if (step.b >= 0 && has_operand_b(step.op)) is_needed[step.b] = true;
    if (step.c >= 0) is_needed[step.c] = true;
  }

  Program program;
  program.text = std::move(text);
  std::vector<int> moved_to(code_.size(), -1);
  std::vector<int> table_moved_to(tables_.size(), -1);
  for (int i = 0; i <= result; ++i) {
    if (!is_needed[i]) continue;
    Instruction step = code_[i];
    if (step.a >= 0) step.a = moved_to[step.a];
    if (step.b >= 0 && has_operand_b(step.op)) step.b = moved_to[step.b];
    if (step.c >= 0) step.c = moved_to[step.c];
    if (step.op == Op::kSlot) program.used.push_back(step.b);
    if (step.op == Op::kTable) {
      int& number = table_moved_to[step.b];
      if (number < 0) {
        number = static_cast<int>(program.tables.size());
        program.tables.push_back(tables_[step.b]);
      }
      step.b = number;
    }
    if (decides_a_branch(step.op)) {
      step.switch_index = static_cast<int>(program.switches.size());
      Switch function{step.a, step.b};
      if (step.op == Op::kLessEqual) std::swap(function.plus, function.minus);
      program.switches.push_back(function);
    }
    moved_to[i] = program.size();
    program.code.push_back(step);
  }
  std::sort(program.used.begin(), program.used.end());
  for (Instruction& step : program.code) {
    if (step.op != Op::kSlot) continue;
    step.c = static_cast<int>(std::lower_bound(program.used.begin(), program.used.end(), step.b) -
                              program.used.begin());
  }
  return program;
}

}  // namespace parfait::expr
