#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "parfait/dynamics/formula_system.h"

// What a person is told about a formula model that is wrong, and about one that is only odd.
namespace parfait::dynamics {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// x' = -k x with a place for everything.
FormulaModel decay() {
  FormulaModel m;
  m.file = "m.xml";
  m.state("x", {"1", {"m.xml", 2, 30}}, {"-k*x", {"m.xml", 3, 21}}).place = {"m.xml", 2, 3};
  m.parameter("k", 2).place = {"m.xml", 4, 3};
  return m;
}

FormulaText formula(const char* text) {
  return {text, {"m.xml", 7, 10}};
}

std::string message(const std::function<void(FormulaModel&)>& spoil) {
  FormulaModel m = decay();
  spoil(m);
  try {
    make_formula_system(m);
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(FormulaCheck, SaysWhereAndWhatIsWrong) {
  static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  using M = FormulaModel;
  const struct {
    std::function<void(M&)> spoil;
    std::string expected;
  } cases[] = {
      {[](M&) {}, "accepted"},
      {[](M& m) { m.states.clear(); }, "m.xml: the model has no state."},
      {[](M& m) { m.states[0].derivative = {}; }, "m.xml:2:3: state \"x\": needs a derivative."},
      {[](M& m) { m.states[0].initial = {}; }, "m.xml:2:3: state \"x\": needs an initial value."},
      {[](M& m) { m.states[0].initial = formula("k + t"); },
       "m.xml:7:14: unknown name \"t\". Known here: k."},
      {[](M& m) { m.states[0].initial = formula("log(k - 3)"); },
       "m.xml:7:10: state \"x\": the initial value is not a number at the initial values of the "
       "parameters; "
       "it must be finite."},
      {[](M& m) { m.states[0].derivative = formula("x +\n lamda"), m.parameter("lambda", 1); },
       "m.xml:8:2: unknown name \"lamda\". Did you mean \"lambda\"? Known here: t, x, k, lambda."},
      {[](M& m) { m.states[0].derivative = formula("1/0"); },
       "m.xml:7:10: state \"x\": the derivative is inf; it must be finite."},
      {[](M& m) {
         m.state("x", 1, "x").place = {"m.xml", 6, 3};
       },
       "m.xml:6:3: state \"x\": the id is already used in line 2."},
      {[](M& m) {
         m.parameter("2k", 1).place = {"m.xml", 6, 3};
       },
       "m.xml:6:3: parameter \"2k\": an id is made of letters, digits and _, and does not begin "
       "with a digit."},
      {[](M& m) {
         m.parameter("sin", 1).place = {"m.xml", 6, 3};
       },
       "m.xml:6:3: parameter \"sin\": this name is reserved in formulas; choose another id."},
      {[](M& m) { m.parameters[0].initial = kNaN; },
       "m.xml:4:3: parameter \"k\": initial = nan: must be finite."},
      {[](M& m) { m.parameters[0].lower = 3; },
       "m.xml:4:3: parameter \"k\": initial = 2 is outside its bounds [3, inf]."},
      {[](M& m) { m.parameters[0].upper = 1, m.parameters[0].lower = 3; },
       "m.xml:4:3: parameter \"k\": lower = 3 is above upper = 1."},
      {[](M& m) { m.parameters[0].scale = 0; },
       "m.xml:4:3: parameter \"k\": scale = 0: must be > 0."},
      {[](M& m) {
         m.simulation.rtol = -1, m.simulation.place = {"m.xml", 9, 3};
       },
       "m.xml:9:3: simulation: rtol = -1: must be > 0."},
      {[](M& m) { m.define("a", formula("b")), m.define("b", 1); },
       "m.xml:7:10: unknown name \"b\". Known here: t, x, k."},
      {[](M& m) {
         m.algebraic("z").place = {"m.xml", 6, 3};
       },
       "m.xml:6:3: the model has 1 algebraic state and 0 equations; there must be as many of "
       "both."},
      {[](M& m) {
         m.algebraic("z").place = {"m.xml", 6, 3}, m.equation(formula("x = 1"));
       },
       "m.xml:6:3: algebraic \"z\": no equation contains it, so none can determine it."},
      {[](M& m) { m.algebraic("z"), m.equation(formula("z = x = 1")); },
       "m.xml:7:16: an equation must have exactly one \"=\"."},
      {[](M& m) { m.algebraic("z"), m.equation(formula("z = ")); },
       "m.xml:7:12: nothing follows \"=\" in this equation."},
      {[](M& m) { m.algebraic("z"), m.equation(formula("z =\n  y")); },
       "m.xml:8:3: unknown name \"y\". Known here: t, x, z, k."},
      {[](M& m) {
         m.event("e", {}).place = {"m.xml", 6, 3};
       },
       "m.xml:6:3: event \"e\": needs \"when\", a formula that passes zero, or \"at\", a time."},
      {[](M& m) {
         m.event("e", "x").at = "1", m.events[0].place = {"m.xml", 6, 3};
       },
       "m.xml:6:3: event \"e\": give \"when\" or \"at\", not both."},
      {[](M& m) { m.define("k2", "2*k"), m.event("e", formula("k2 - 1")); },
       "m.xml:7:10: event \"e\": \"when\" depends on neither the time nor a state, so it never "
       "passes zero."},
      {[](M& m) { m.event_at("e", formula("x")); },
       "m.xml:7:10: unknown name \"x\". Known here: k."},
      {[](M& m) { m.event_at("e", formula("2*k")).set("k", "k + 1"); },
       "m.xml:7:10: event \"e\": the time of a time event is fixed, but an event sets \"k\". Write "
       "when=\"t - (2*k)\" direction=\"rising\"."},
      {[](M& m) {
         m.event("", "x").set("y", 1).sets[0].place = {"m.xml", 8, 5};
       },
       "m.xml:8:5: event: \"y\" is neither a state nor a parameter. States and parameters: x, k."},
      {[](M& m) {
         m.event("e", "x").set("x", 1).set("x", 2).sets[1].place = {"m.xml", 8, 5};
       },
       "m.xml:8:5: event \"e\": sets \"x\" twice."},
      {[](M& m) {
         m.input("u", {0, 1, 1}, {0, 0, 0}).place = {"m.xml", 6, 3};
       },
       "m.xml:6:3: table, row 3: time 1 is not after 1; times must ascend."},
  };
  for (const auto& c : cases) EXPECT_EQ(message(c.spoil), c.expected);
}

TEST(FormulaCheck, UnknownQuantitiesAreReportedWithASuggestion) {
  const auto system = make_formula_system(decay());
  try {
    system->make_observer(std::vector<std::string>{"x", "2*x.rat"});
    FAIL();
  } catch (const base::InputError& error) {
    EXPECT_STREQ(error.what(),
                 "formula \"2*x.rat\", character 3: unknown name \"x.rat\". Did you mean "
                 "\"x.rate\"? Known here: t, x, k, x.rate.");
  }
}

TEST(FormulaCheck, WarnsOfParametersThatNoFormulaUses) {
  FormulaModel m = decay();
  EXPECT_THAT(check(m), IsEmpty());
  m.parameter("idle", 1).place = {"m.xml", 6, 3};
  m.parameter("only_set", 1);
  m.parameter("initial", 1);
  m.event("e", "x").set("only_set", "x");
  m.state("y", "initial", "1");
  EXPECT_THAT(check(m), ElementsAre("m.xml:6:3: parameter \"idle\": no formula uses it."));
}

}  // namespace
}  // namespace parfait::dynamics
