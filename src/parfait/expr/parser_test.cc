#include "parfait/expr/parser.h"

#include <gtest/gtest.h>

#include <string>

#include "parfait/base/error.h"
#include "parfait/expr/formula.h"

namespace parfait::expr {
namespace {

std::string message_of(const std::string& text, Scope& scope, const base::Place& place) {
  try {
    Formula(text, scope, place);
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Parser, SaysWhereAndWhatIsWrong) {
  const std::string functions =
      "Functions: sin, cos, tan, asin, acos, atan, atan2, sinh, cosh, tanh, exp, log, log10, sqrt, "
      "cbrt, pow, abs, min, max, sign, step, smoothstep, smootherstep, if.";
  const std::string operand = "a number, a name or \"(\" is required.";
  const std::string missing = "an operator is required (is \"*\" missing?).";
  const struct {
    std::string text, expected;
  } cases[] = {
      {"", "m.xml:3:10: the formula is empty."},
      {"  \n ", "m.xml:3:10: the formula is empty."},
      {"2 * lenght",
       "m.xml:3:14: unknown name \"lenght\". Did you mean \"length\"? Known here: length, x, t, "
       "Load.com.x, drive."},
      {"zzz", "m.xml:3:10: unknown name \"zzz\". Known here: length, x, t, Load.com.x, drive."},
      {"Load.com.y",
       "m.xml:3:10: unknown name \"Load.com.y\". Did you mean \"Load.com.x\"? Known here: length, "
       "x, t, Load.com.x, drive."},
      {"1 + sine(x)", "m.xml:3:14: \"sine\" is not a function. Did you mean \"sin\"? " + functions},
      {"x(3)", "m.xml:3:10: \"x\" is not a function. " + functions},
      {"sin", "m.xml:3:10: \"sin\" is a function: write sin(...)."},
      {"sin()", "m.xml:3:10: \"sin\" takes 1 argument, found 0."},
      {"1 - sin(x, 2)", "m.xml:3:14: \"sin\" takes 1 argument, found 2."},
      {"atan2(x)", "m.xml:3:10: \"atan2\" takes 2 arguments, found 1."},
      {"max(x)", "m.xml:3:10: \"max\" takes at least 2 arguments, found 1."},
      {"if(x, 1)", "m.xml:3:10: \"if\" takes 3 arguments, found 2."},
      {"(x + 1", "m.xml:3:10: \"(\" is never closed."},
      {"2 * (x + (1)", "m.xml:3:14: \"(\" is never closed."},
      {"sin(x", "m.xml:3:13: \"(\" is never closed."},
      {"x + 1)", "m.xml:3:15: \")\" has no \"(\"."},
      {")", "m.xml:3:10: unexpected \")\" at the start: " + operand},
      {"()", "m.xml:3:11: unexpected \")\" after \"(\": " + operand},
      {"x + * 2", "m.xml:3:14: unexpected \"*\" after \"+\": " + operand},
      {"x / ** 2", "m.xml:3:14: unexpected \"**\" after \"/\": " + operand},
      {"* x", "m.xml:3:10: unexpected \"*\" at the start: " + operand},
      {"x +", "m.xml:3:13: the formula ends after \"+\": " + operand},
      {"x &&", "m.xml:3:14: the formula ends after \"&&\": " + operand},
      {"x x", "m.xml:3:12: unexpected \"x\" after \"x\": " + missing},
      {"(x) 2", "m.xml:3:14: unexpected \"2\" after \")\": " + missing},
      {"(x)(x)", "m.xml:3:13: unexpected \"(\" after \")\": " + missing},
      {"x !x", "m.xml:3:12: unexpected \"!\" after \"x\": an operator is required."},
      {"2x", "m.xml:3:10: \"2x\" is not a number. Did you mean \"2 * x\"?"},
      {"1.2.3", "m.xml:3:10: \"1.2.3\" is not a number."},
      {"x + 1e", "m.xml:3:14: \"1e\" is not a number. Did you mean \"1 * e\"?"},
      {"1e+", "m.xml:3:10: \"1e+\" is not a number."},
      {"1e999", "m.xml:3:10: \"1e999\" is outside the range of numbers (about 1e-308 to 1e308)."},
      {"Load. + 1",
       "m.xml:3:14: \"Load.\" is not a name: a letter or a digit must follow the \".\"."},
      {"x = 1", "m.xml:3:12: \"=\" is not an operator: compare with \"==\"."},
      {"x & 1", "m.xml:3:12: \"&\" is not an operator: write \"and\" or \"&&\"."},
      {"x | 1", "m.xml:3:12: \"|\" is not an operator: write \"or\" or \"||\"."},
      {"x $ 1", "m.xml:3:12: unexpected character \"$\"."},
      {"x · 2", "m.xml:3:12: unexpected character \"·\"."},
      {std::string("x\x01"), "m.xml:3:11: unexpected character \"\\x01\"."},
      {"x, 1", "m.xml:3:11: \",\" stands outside the parentheses of a function."},
      {"(x, 1)", "m.xml:3:12: \",\" stands outside the parentheses of a function."},
      {"x ? 1", "m.xml:3:12: \"?\" has no \":\"; write condition ? a : b."},
      {"(x ? 1)", "m.xml:3:13: \"?\" has no \":\"; write condition ? a : b."},
      {"x : 1", "m.xml:3:12: \":\" has no \"?\"."},
      {"0 < x < 1", "m.xml:3:16: comparisons do not chain: write a < b and b < c."},
      {"2 * not x", "m.xml:3:14: \"not\" must stand in parentheses here."},
      {"smoothstep(x, 1, 2 - 1)",
       "m.xml:3:10: \"smoothstep\": the two edges are equal; they must differ."},
      {"x +\n\n  unknown",
       "m.xml:5:3: unknown name \"unknown\". Known here: length, x, t, Load.com.x, drive."},
      {std::string(300, '(') + "x" + std::string(300, ')'),
       "m.xml:3:210: nested more than 200 deep."},
  };
  Names scope({"length", "x", "t", "Load.com.x"});
  scope.add_table("drive", Table({0}, {1}, Interpolation::kLinear));
  for (const auto& c : cases) {
    EXPECT_EQ(message_of(c.text, scope, {"m.xml", 3, 10}), c.expected) << c.text;
  }
}

TEST(Parser, ShowsTheFormulaWhenItsPlaceIsUnknown) {
  Names scope({"x"});
  EXPECT_EQ(message_of("1 + width", scope, {}),
            "formula \"1 + width\", character 5: unknown name \"width\". Known here: x.");
  EXPECT_EQ(
      message_of("1 + width", scope, {"arm.xml", 4, 0}),
      "arm.xml:4: formula \"1 + width\", character 5: unknown name \"width\". Known here: x.");
  Names empty;
  EXPECT_EQ(
      message_of("y", empty, {"arm.xml", 4, 2}),
      "arm.xml:4:2: unknown name \"y\": only parameters may be used here, and none is defined.");
}

TEST(Parser, NeedsTimeForATable) {
  Names scope({"x"});
  scope.add_table("u", Table({0}, {1}, Interpolation::kLinear));
  EXPECT_EQ(message_of("x + u", scope, {"a.xml", 1, 1}),
            "a.xml:1:5: input \"u\" needs the time \"t\", which is not known here.");
}

TEST(Parser, TakesLongSumsAndRefusesDeepChains) {
  Names scope({"x"});
  std::string sum = "x";
  for (int i = 0; i < 100000; ++i) sum += "+x";
  EXPECT_EQ(message_of(sum, scope, {}), "no error");
  const base::Place start{"", 1, 1};
  const std::string deep = "nested more than 200 deep.";
  const std::string minus = std::string(10000, '-') + "x", negation = std::string(10000, '!') + "x";
  std::string power = "x", choice = "x";
  for (int i = 0; i < 10000; ++i) {
    power += "^x";
    choice += "?x:x";
  }
  for (const std::string& text : {power, minus, negation, choice}) {
    EXPECT_TRUE(message_of(text, scope, start).ends_with(deep)) << text.substr(0, 20);
  }
}

TEST(Parser, NeverCrashesOnRandomText) {
  // Characters of the grammar in random order; whatever comes out, it is a formula or an
  // InputError.
  const std::string alphabet = "x1.e+-*/^()<>=!&|?:, \nsinaboydt";
  unsigned state = 12345;
  const auto next = [&state] { return (state = state * 1664525u + 1013904223u) >> 16; };
  Names scope({"x", "t", "e"});
  int accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (unsigned n = next() % 12 + 1; n > 0; --n) text += alphabet[next() % alphabet.size()];
    if (message_of(text, scope, {"f", 1, 1}) == "no error") ++accepted;
  }
  EXPECT_GT(accepted, 100);  // measured 245
}

}  // namespace
}  // namespace parfait::expr
