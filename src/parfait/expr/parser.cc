#include "parfait/expr/parser.h"

#include <fmt/format.h>

#include <numbers>
#include <string>
#include <vector>

#include "parfait/expr/formula.h"
#include "parfait/expr/functions.h"
#include "parfait/expr/lexer.h"

namespace parfait::expr {

namespace {

/// Deeper nesting than any formula a person writes; protects the stack.
constexpr int kMaxDepth = 200;

/// Recursive descent, one function per line of the grammar, lowest precedence first. Each returns
/// the number of the step that computes what it has read.
class Parser {
 public:
  Parser(std::string_view text, Scope& scope, const base::Place& place)
      : text_(text), scope_(scope), lexer_(text, place) {
    advance();
  }

  Program parse() {
    if (token_.kind == Token::Kind::kEnd) lexer_.fail(0, "the formula is empty.");
    const int result = expression();
    if (token_.kind != Token::Kind::kEnd) fail_after_operand();
    return builder_.finish(result, std::string(text_));
  }

 private:
  // expression = or [ "?" expression ":" expression ]
  int expression() {
    const Nesting nesting(*this);
    const int condition = disjunction();
    const Token question = token_;
    if (!take("?")) return condition;
    const int a = expression();
    if (!take(":")) {
      if (token_.kind != Token::Kind::kEnd && !token_.is(")") && !token_.is(",")) {
        fail_after_operand();
      }
      lexer_.fail(question.offset, "\"?\" has no \":\"; write condition ? a : b.");
    }
    const int b = expression();
    return builder_.select(condition, a, b);
  }

  // or = and { "or" and }
  int disjunction() {
    int a = conjunction();
    while (take("or")) {
      const int b = conjunction();
      a = builder_.binary(Op::kOr, a, b);
    }
    return a;
  }

  // and = not { "and" not }
  int conjunction() {
    int a = negation();
    while (take("and")) {
      const int b = negation();
      a = builder_.binary(Op::kAnd, a, b);
    }
    return a;
  }

  // not = "not" not | comparison
  int negation() {
    const Nesting nesting(*this);
    if (take("not")) return builder_.unary(Op::kNot, negation());
    return comparison();
  }

  // comparison = sum [ ("<" | "<=" | ">" | ">=" | "==" | "!=") sum ]
  int comparison() {
    const int a = sum();
    if (!is_comparison(token_)) return a;
    const Token op = advance();
    const int b = sum();
    if (is_comparison(token_)) {
      lexer_.fail(token_.offset, "comparisons do not chain: write a < b and b < c.");
    }
    if (op.text == "<") return builder_.binary(Op::kLess, a, b);
    if (op.text == ">") return builder_.binary(Op::kLess, b, a);
    if (op.text == "<=") return builder_.binary(Op::kLessEqual, a, b);
    if (op.text == ">=") return builder_.binary(Op::kLessEqual, b, a);
    return builder_.binary(op.text == "==" ? Op::kEqual : Op::kNotEqual, a, b);
  }

  // sum = product { ("+" | "-") product }
  int sum() {
    int a = product();
    while (token_.is("+") || token_.is("-")) {
      const Op op = advance().text == "+" ? Op::kAdd : Op::kSubtract;
      const int b = product();
      a = builder_.binary(op, a, b);
    }
    return a;
  }

  // product = signed { ("*" | "/") signed }
  int product() {
    int a = signed_power();
    while (token_.is("*") || token_.is("/")) {
      const Op op = advance().text == "*" ? Op::kMultiply : Op::kDivide;
      const int b = signed_power();
      a = builder_.binary(op, a, b);
    }
    return a;
  }

  // signed = ("-" | "+") signed | power
  int signed_power() {
    const Nesting nesting(*this);
    if (take("-")) return builder_.unary(Op::kNegate, signed_power());
    if (take("+")) return signed_power();
    return power();
  }

  // power = operand [ "^" signed ]
  int power() {
    const int base = operand();
    if (!take("^")) return base;
    return builder_.power(base, signed_power());
  }

  // operand = number | name | function "(" arguments ")" | "(" expression ")"
  int operand() {
    if (token_.kind == Token::Kind::kNumber) return builder_.constant(advance().number);
    if (token_.kind == Token::Kind::kName) {
      const Token name = advance();
      return token_.is("(") ? call(name) : named(name);
    }
    if (!token_.is("(")) fail_operand_required();
    const Token open = advance();
    const int inner = expression();
    close(open);
    return inner;
  }

  int call(const Token& name) {
    const Function* function = find_function(name.text);
    if (!function) {
      const std::vector<std::string> names = function_names();
      lexer_.fail(name.offset, fmt::format("\"{}\" is not a function.{} Functions: {}.", name.text,
                                           base::suggestion(name.text, names),
                                           base::listing(names, static_cast<int>(names.size()))));
    }
    const Token open = advance();
    std::vector<int> arguments;
    if (!token_.is(")")) {
      do {
        arguments.push_back(expression());
      } while (take(","));
    }
    close(open);
    check_count(name, *function, static_cast<int>(arguments.size()));
    if (edges_are_equal(*function, arguments)) {
      lexer_.fail(name.offset,
                  fmt::format("\"{}\": the two edges are equal; they must differ.", name.text));
    }
    return build_call(builder_, *function, arguments);
  }

  void check_count(const Token& name, const Function& function, int found) const {
    const bool is_exact = function.min_arguments == function.max_arguments;
    const bool too_many = function.max_arguments != kAnyNumber && found > function.max_arguments;
    if (found >= function.min_arguments && !too_many) return;
    lexer_.fail(name.offset, fmt::format("\"{}\" takes {}{} argument{}, found {}.", name.text,
                                         is_exact ? "" : "at least ", function.min_arguments,
                                         function.min_arguments == 1 ? "" : "s", found));
  }

  int named(const Token& name) {
    if (name.text == "pi") return builder_.constant(std::numbers::pi);
    if (const Table* table = scope_.table(name.text)) {
      const int time = scope_.find("t");
      if (time < 0) {
        lexer_.fail(
            name.offset,
            fmt::format("input \"{}\" needs the time \"t\", which is not known here.", name.text));
      }
      return builder_.table(*table, builder_.slot(time));
    }
    const int slot = scope_.find(name.text);
    if (slot >= 0) return builder_.slot(slot);
    if (find_function(name.text)) {
      lexer_.fail(name.offset, fmt::format("\"{0}\" is a function: write {0}(...).", name.text));
    }
    const std::vector<std::string> names = scope_.names();
    if (names.empty()) {
      lexer_.fail(name.offset, fmt::format("unknown name \"{}\": only parameters may be used here, "
                                           "and none is defined.",
                                           name.text));
    }
    lexer_.fail(name.offset, fmt::format("unknown name \"{}\".{} Known here: {}.", name.text,
                                         base::suggestion(name.text, names), base::listing(names)));
  }

  void close(const Token& open) {
    if (take(")")) return;
    if (token_.kind == Token::Kind::kEnd) lexer_.fail(open.offset, "\"(\" is never closed.");
    fail_after_operand();
  }

  /// Something other than a number, a name or "(" where one of them must stand.
  [[noreturn]] void fail_operand_required() const {
    const std::string required = "a number, a name or \"(\" is required";
    if (token_.kind == Token::Kind::kEnd) {
      lexer_.fail(token_.offset,
                  fmt::format("the formula ends after \"{}\": {}.", before_.written, required));
    }
    if (token_.is("not")) {
      lexer_.fail(token_.offset, "\"not\" must stand in parentheses here.");
    }
    if (before_.kind == Token::Kind::kEnd) {
      lexer_.fail(token_.offset,
                  fmt::format("unexpected \"{}\" at the start: {}.", token_.written, required));
    }
    lexer_.fail(token_.offset, fmt::format("unexpected \"{}\" after \"{}\": {}.", token_.written,
                                           before_.written, required));
  }

  /// Something other than an operator after a complete operand.
  [[noreturn]] void fail_after_operand() const {
    if (token_.is(")")) lexer_.fail(token_.offset, "\")\" has no \"(\".");
    if (token_.is(":")) lexer_.fail(token_.offset, "\":\" has no \"?\".");
    if (token_.is(",")) {
      lexer_.fail(token_.offset, "\",\" stands outside the parentheses of a function.");
    }
    const bool is_operand = token_.kind != Token::Kind::kSymbol || token_.is("(");
    lexer_.fail(
        token_.offset,
        fmt::format("unexpected \"{}\" after \"{}\": an operator is required{}.", token_.written,
                    before_.written, is_operand ? " (is \"*\" missing?)" : ""));
  }

  static bool is_comparison(const Token& token) {
    return token.is("<") || token.is("<=") || token.is(">") || token.is(">=") || token.is("==") ||
           token.is("!=");
  }

  /// Returns the present token and reads the next.
  Token advance() {
    before_ = token_;
    token_ = lexer_.next();
    return before_;
  }

  bool take(std::string_view symbol) {
    if (!token_.is(symbol)) return false;
    advance();
    return true;
  }

  struct Nesting {
    explicit Nesting(Parser& p) : parser(p) {
      if (++parser.depth_ > 3 * kMaxDepth) {
        parser.lexer_.fail(parser.token_.offset,
                           fmt::format("nested more than {} deep.", kMaxDepth));
      }
    }
    ~Nesting() { --parser.depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    Parser& parser;
  };

  std::string_view text_;
  Scope& scope_;
  Lexer lexer_;
  Token token_, before_;
  ProgramBuilder builder_;
  int depth_ = 0;  ///< a parenthesis counts three: expression, negation, signed_power
};

}  // namespace

Program parse(std::string_view text, Scope& scope, const base::Place& place) {
  return Parser(text, scope, place).parse();
}

}  // namespace parfait::expr
