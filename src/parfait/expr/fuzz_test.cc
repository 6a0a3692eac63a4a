/// Random formulas, built as trees: printed with as few parentheses as the grammar allows (and some
/// more at random), compiled, and compared with a direct recursive evaluation of the tree.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "parfait/expr/formula.h"

namespace parfait::expr {
namespace {

using Numbers = std::vector<double>;

/// Binding strength of what a node prints, weakest first.
enum Strength { kChoice, kOr, kAnd, kNot, kCompare, kSum, kProduct, kSigned, kPower, kOperand };

struct Node {
  std::string word;  ///< operator, function, name or number
  Strength strength = kOperand;
  std::vector<std::unique_ptr<Node>> args;
  int slot = -1;
  double number = 0;
};
using Tree = std::unique_ptr<Node>;

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  Tree tree(int depth) {
    if (depth == 0 || pick(8) == 0) return leaf();
    switch (pick(10)) {
      case 0:
      case 1:
        return make({"+", "-"}, kSum, {tree(depth - 1), tree(depth - 1)});
      case 2:
      case 3:
        return make({"*", "/"}, kProduct, {tree(depth - 1), tree(depth - 1)});
      case 4: {
        Tree exponent = pick(2) ? whole_number() : tree(depth - 1);
        return make({"^", "**"}, kPower, {tree(depth - 1), std::move(exponent)});
      }
      case 5:
        return make({"-", "+"}, kSigned, {tree(depth - 1)});
      case 6:
        return make({"?"}, kChoice, {condition(depth - 1), tree(depth - 1), tree(depth - 1)});
      case 7:
        return make({"sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp",
                     "log", "log10", "sqrt", "cbrt", "abs", "sign", "step"},
                    kOperand, {tree(depth - 1)});
      case 8:
        return make({"min", "max", "pow", "atan2"}, kOperand, {tree(depth - 1), tree(depth - 1)});
      default:
        return make({"smoothstep", "smootherstep", "if"}, kOperand,
                    {tree(depth - 1), tree(depth - 1), tree(depth - 1)});
    }
  }

  std::string print(const Node& node) {
    const auto& args = node.args;
    const auto part = [&](std::size_t i, int at_least) { return print(*args[i], at_least); };
    if (args.empty()) return node.word;
    switch (node.strength) {
      case kOperand: {
        std::string list = part(0, kChoice);
        for (std::size_t i = 1; i < args.size(); ++i) list += fmt::format(",{}", part(i, kChoice));
        return fmt::format("{}({})", node.word, list);
      }
      case kChoice:
        return fmt::format("{} ? {} : {}", part(0, kOr), part(1, kChoice), part(2, kChoice));
      case kSigned:
        return fmt::format("{}{}", node.word, part(0, kSigned));
      case kNot:
        return fmt::format("{} {}", node.word, part(0, kNot));
      case kPower:  // the right side may carry a sign and is right associative
        return fmt::format("{}{}{}", part(0, kOperand), node.word, part(1, kSigned));
      case kCompare:
        return fmt::format("{} {} {}", part(0, kSum), node.word, part(1, kSum));
      default:  // left associative
        return fmt::format("{} {} {}", part(0, node.strength), node.word,
                           part(1, node.strength + 1));
    }
  }

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }

 private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  std::string print(const Node& node, int at_least) {
    const bool needed = node.strength < at_least;
    return needed || pick(10) == 0 ? fmt::format("({})", print(node)) : print(node);
  }

  template <std::size_t N>
  static std::vector<Tree> list(Tree (&&args)[N]) {
    std::vector<Tree> out;
    for (Tree& arg : args) out.push_back(std::move(arg));
    return out;
  }

  template <std::size_t N>
  Tree make(const std::vector<std::string>& words, Strength strength, Tree (&&args)[N]) {
    auto node = std::make_unique<Node>();
    node->word = words[pick(static_cast<int>(words.size()))];
    node->strength = strength;
    node->args = list(std::move(args));
    return node;
  }

  Tree condition(int depth) {
    if (depth > 0) {
      switch (pick(6)) {
        case 0:
          return make({"and", "&&"}, kAnd, {condition(depth - 1), condition(depth - 1)});
        case 1:
          return make({"or", "||"}, kOr, {condition(depth - 1), condition(depth - 1)});
        case 2:
          return make({"not", "!"}, kNot, {condition(depth - 1)});
        default:
          break;
      }
    }
    return make({"<", "<=", ">", ">=", "==", "!="}, kCompare, {tree(depth / 2), tree(depth / 2)});
  }

  Tree whole_number() {
    auto node = std::make_unique<Node>();
    node->number = pick(6);
    node->word = std::to_string(static_cast<int>(node->number));
    return node;
  }

  Tree leaf() {
    if (pick(3) == 0) return whole_number();
    auto node = std::make_unique<Node>();
    node->slot = pick(4);
    node->word = std::vector<std::string>{"x", "y", "Load.com.x", "e"}[node->slot];
    return node;
  }

  std::mt19937 random_;
};

/// `is_tame` becomes false where differences cannot be trusted: something on the way to the value
/// is infinite, not a number, so large that it swallows its neighbours, or a root at 0.
double evaluate(const Node& node, const Numbers& slots, bool& is_tame);

double evaluate_node(const Node& node, const Numbers& slots, bool& is_tame) {
  if (node.slot >= 0) return slots[node.slot];
  if (node.args.empty()) return node.number;
  const std::string& w = node.word;
  const double a = evaluate(*node.args[0], slots, is_tame);
  if (w == "?" || w == "if") return evaluate(*node.args[a != 0 ? 1 : 2], slots, is_tame);
  const double b = node.args.size() > 1 ? evaluate(*node.args[1], slots, is_tame) : 0;
  const double c = node.args.size() > 2 ? evaluate(*node.args[2], slots, is_tame) : 0;
  const bool is_unary = node.args.size() == 1;
  if (w == "+") return is_unary ? a : a + b;
  if (w == "-") return is_unary ? -a : a - b;
  if (w == "*") return a * b;
  if (w == "/") return a / b;
  if (w == "^" || w == "**" || w == "pow") return std::pow(a, b);
  if (w == "<") return a < b;
  if (w == "<=") return a <= b;
  if (w == ">") return a > b;
  if (w == ">=") return a >= b;
  if (w == "==") return a == b;
  if (w == "!=") return a != b;
  if (w == "and" || w == "&&") return a != 0 && b != 0;
  if (w == "or" || w == "||") return a != 0 || b != 0;
  if (w == "not" || w == "!") return a == 0;
  if (w == "sin") return std::sin(a);
  if (w == "cos") return std::cos(a);
  if (w == "tan") return std::tan(a);
  if (w == "asin") return std::asin(a);
  if (w == "acos") return std::acos(a);
  if (w == "atan") return std::atan(a);
  if (w == "sinh") return std::sinh(a);
  if (w == "cosh") return std::cosh(a);
  if (w == "tanh") return std::tanh(a);
  if (w == "exp") return std::exp(a);
  if (w == "log") return std::log(a);
  if (w == "log10") return std::log10(a);
  if (w == "sqrt" || w == "cbrt") {
    if (a == 0) is_tame = false;
    return w == "sqrt" ? std::sqrt(a) : std::cbrt(a);
  }
  if (w == "atan2") return std::atan2(a, b);
  if (std::isnan(a)) return a;
  if (w == "abs") return std::abs(a);
  if (w == "sign") return (a > 0) - (a < 0);
  if (w == "step") return a >= 0;
  if (w == "min" || w == "max") {
    if (std::isnan(b)) return b;
    return w == "min" ? std::min(a, b) : std::max(a, b);
  }
  const double u = (a - b) / (c - b);
  if (std::isnan(u)) return u;
  const double r = u <= 0 ? 0 : std::min(u, 1.0);  // 0 also for -0
  if (w == "smoothstep") return r * r * (3 - 2 * r);
  if (w == "smootherstep") return r * r * r * (r * (6 * r - 15) + 10);
  ADD_FAILURE() << "unknown " << w;
  return 0;
}

double evaluate(const Node& node, const Numbers& slots, bool& is_tame) {
  const double v = evaluate_node(node, slots, is_tame);
  if (!(std::abs(v) < 1e6)) is_tame = false;
  return v;
}

TEST(Fuzz, RandomFormulasHaveTheValueOfTheirTreeAndTheDerivativesOfDifferences) {
  Generator generator(20240611);
  Names scope({"x", "y", "Load.com.x", "e"});
  int num_values = 0, num_finite = 0, num_gradients = 0, num_equal_edges = 0;
  for (int round = 0; round < 4000; ++round) {
    const Tree tree = generator.tree(1 + round % 5);
    const std::string text = generator.print(*tree);
    Formula f;
    try {
      f = Formula(text, scope);
    } catch (const base::InputError& error) {
      // smoothstep(x, 2, 2) is refused with good reason; nothing else may be.
      ASSERT_NE(std::string(error.what()).find("edges are equal"), std::string::npos)
          << error.what();
      ++num_equal_edges;
      continue;
    }
    Numbers slots(4);
    for (double& s : slots) s = generator.uniform(0.2, 1.8);
    Numbers scratch(f.scratch_size());
    bool is_tame = true;
    const double expected = evaluate(*tree, slots, is_tame);
    const double found = f.value(slots.data(), scratch.data());
    ++num_values;
    if (std::isnan(expected) || std::isinf(expected)) {
      EXPECT_EQ(std::isnan(found), std::isnan(expected)) << text;
      continue;
    }
    ++num_finite;
    // Powers by multiplication differ from std::pow in the last digit, which steep formulas
    // amplify.
    EXPECT_NEAR(found, expected, 1e-10 * (1 + std::abs(expected))) << text;

    Numbers switches(f.num_switches()), grad(f.num_used()), taylor(3 * grad.size());
    f.switch_values(slots.data(), scratch.data(), switches.data());
    std::vector<std::int8_t> mode;
    for (const double w : switches) mode.push_back(w >= 0 ? 1 : -1);
    const bool is_tie = std::any_of(switches.begin(), switches.end(),
                                    [](double w) { return w == 0 || std::isnan(w); });
    if (!is_tie) {
      EXPECT_EQ(f.value(slots.data(), scratch.data(), mode.data()), found) << text;
    }
    f.gradient(slots.data(), scratch.data(), grad.data());

    // Differences with the mode held, where two steps agree that they can be trusted.
    for (int j = 0; j < f.num_used(); ++j) {
      const auto difference = [&](double h) {
        Numbers up = slots, down = slots;
        up[f.used_slots()[j]] += h;
        down[f.used_slots()[j]] -= h;
        return (f.value(up.data(), scratch.data(), mode.data()) -
                f.value(down.data(), scratch.data(), mode.data())) /
               (2 * h);
      };
      const double coarse = difference(2e-5), fine = difference(1e-5);
      const double tolerance = 1e-6 * (1 + std::abs(fine) + 1e-3 * std::abs(found));
      if (is_tie || !is_tame || !(std::abs(fine - coarse) < 0.1 * tolerance)) continue;
      ++num_gradients;
      EXPECT_NEAR(grad[j], fine, tolerance) << text << " slot " << f.used_slots()[j];
    }

    // The Taylor sweep is different code from the plain one: its leading order must agree.
    const Numbers rates{0.3, -0.4, 0.5, 0.6}, zero(4, 0.0);
    const Taylor along =
        f.taylor2_gradient(slots.data(), rates.data(), zero.data(), scratch.data(), taylor.data());
    EXPECT_NEAR(along.f, found, 1e-13 * (1 + std::abs(found))) << text;
    double df = 0, scale = 1;
    for (int j = 0; j < f.num_used(); ++j) {
      df += grad[j] * rates[f.used_slots()[j]];
      scale += std::abs(grad[j]);
      if (std::isfinite(grad[j])) {
        EXPECT_NEAR(taylor[j], grad[j], 1e-11 * (1 + std::abs(grad[j]))) << text;
      }
    }
    if (std::isfinite(df)) {
      EXPECT_NEAR(along.df, df, 1e-11 * scale) << text;
    }
  }
  EXPECT_GT(num_values, 3800);      // measured 3906
  EXPECT_GT(num_finite, 3500);      // measured 3634
  EXPECT_GT(num_gradients, 6000);   // measured 6678
  EXPECT_LT(num_equal_edges, 200);  // measured 94
}

}  // namespace
}  // namespace parfait::expr
