#include "parfait/io/foreign/osim_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "parfait/io/text/number.h"

namespace parfait::io {
namespace osim_functions {
namespace {

using mechanism::CoordinateFunction;
using Kind = CoordinateFunction::Kind;

constexpr std::array kNames{
    "Constant",           "LinearFunction",          "PolynomialFunction", "SimmSpline",
    "NaturalCubicSpline", "PiecewiseLinearFunction", "MultiplierFunction", "Sine"};
/// What OpenSim has besides, for messages.
constexpr std::array kOthers{"StepFunction",
                             "PiecewiseConstantFunction",
                             "GCVSpline",
                             "MultivariatePolynomialFunction",
                             "SignalGenerator",
                             "ExpressionBasedFunction",
                             "FunctionThresholdCondition"};

CoordinateFunction read(const XmlView& element, int depth);

CoordinateFunction read_knots(const XmlView& element, Kind kind) {
  CoordinateFunction f;
  f.kind = kind;
  f.place = element.place();
  const XmlView x = element.child("x"), y = element.child("y");
  if (!x || !y) element.fail(fmt::format("<{}> needs <x> and <y>.", element.name()));
  f.knots = x.numbers(-1);
  f.constants = y.numbers(-1);
  if (f.knots.size() != f.constants.size()) {
    element.fail(fmt::format("<{}> has {} numbers in <x> and {} in <y>.", element.name(),
                             f.knots.size(), f.constants.size()));
  }
  if (f.knots.size() < 2) {
    element.fail(
        fmt::format("<{}> needs at least two points, found {}.", element.name(), f.knots.size()));
  }
  for (std::size_t i = 1; i < f.knots.size(); ++i) {
    if (f.knots[i] > f.knots[i - 1]) continue;
    x.fail(fmt::format("<x> must ascend, found {} after {}.", f.knots[i], f.knots[i - 1]));
  }
  return f;
}

CoordinateFunction read_multiplier(const XmlView& element, int depth) {
  const double scale = element.number_of("scale").value_or(1.0);
  const auto inner = element.child("function").children();
  if (inner.size() != 1) element.fail("<MultiplierFunction> needs one function in <function>.");
  CoordinateFunction f = read(inner[0], depth + 1);
  // All of these are linear in their constants.
  for (double& c : f.constants) c *= scale;
  if (f.kind == Kind::kFormula) {
    f.formula = fmt::format("{}*({})", number_text(scale), f.formula);
  }
  return f;
}

CoordinateFunction read(const XmlView& element, int depth) {
  if (depth > 20) element.fail("functions are nested more than 20 deep.");
  const std::string name = element.name();
  CoordinateFunction f;
  f.place = element.place();
  if (name == "Constant") {
    const auto value = element.number_of("value");
    return {.constants = {0.0, value.value_or(0.0)}, .place = element.place()};
  }
  if (name == "LinearFunction") {
    const XmlView coefficients = element.child("coefficients");
    if (coefficients) f.constants = coefficients.numbers(2);
    return f;
  }
  if (name == "PolynomialFunction") {
    const XmlView coefficients = element.child("coefficients");
    if (!coefficients || coefficients.text().empty()) {
      element.fail("<PolynomialFunction> needs <coefficients>.");
    }
    f.kind = Kind::kPolynomial;
    f.constants = coefficients.numbers(-1);
    return f;
  }
  if (name == "SimmSpline") return read_knots(element, Kind::kSimmSpline);
  // What is called SimmSpline today was called so up to version 2.3: the same ends.
  if (name == "NaturalCubicSpline") return read_knots(element, Kind::kSimmSpline);
  if (name == "PiecewiseLinearFunction") return read_knots(element, Kind::kPiecewiseLinear);
  if (name == "MultiplierFunction") return read_multiplier(element, depth);
  if (name == "Sine") {
    const auto number = [&](const char* what, double fallback) {
      return number_text(element.number_of(what).value_or(fallback));
    };
    f.kind = Kind::kFormula;
    f.constants.clear();
    f.formula = fmt::format("({})*sin(({})*q + ({})) + ({})", number("amplitude", 1),
                            number("omega", 1), number("phase", 0), number("offset", 0));
    return f;
  }
  std::vector<std::string> known(kNames.begin(), kNames.end());
  const bool is_another = std::find(kOthers.begin(), kOthers.end(), name) != kOthers.end();
  element.fail(fmt::format(
      "<{}> {}.{} Functions: {}.", name,
      is_another ? "cannot be represented as a function of one coordinate" : "is not a function",
      base::suggestion(name, known), base::listing(known)));
}

}  // namespace
}  // namespace osim_functions

mechanism::CoordinateFunction read_osim_function(const XmlView& element) {
  return osim_functions::read(element, 0);
}

std::optional<XmlView> coupler_function(const XmlView& coupler) {
  std::optional<XmlView> function;
  for (const auto& child : coupler.children()) {
    if (is_osim_function(child.name())) function = child;
    if (child.name() != "coupled_coordinates_function") continue;
    const auto inside = child.children();
    if (inside.size() == 1) function = inside[0];
  }
  return function;
}

std::optional<std::string> osim_function_text(const mechanism::CoordinateFunction& f) {
  using Kind = mechanism::CoordinateFunction::Kind;
  const auto by_coefficients = [&](const char* name) {
    return fmt::format("<{0}> <coefficients>{1}</coefficients> </{0}>", name,
                       list_text(f.constants));
  };
  const auto by_points = [&](const char* name) {
    return fmt::format("<{0}> <x>{1}</x> <y>{2}</y> </{0}>", name, list_text(f.knots),
                       list_text(f.constants));
  };
  switch (f.kind) {
    case Kind::kLinear:
      return by_coefficients("LinearFunction");
    case Kind::kPolynomial:
      return by_coefficients("PolynomialFunction");
    case Kind::kSimmSpline:
      return by_points("SimmSpline");
    case Kind::kPiecewiseLinear:
      return by_points("PiecewiseLinearFunction");
    case Kind::kNaturalSpline:
    case Kind::kFormula:
      break;
  }
  return std::nullopt;
}

bool is_osim_function(const std::string& name) {
  using osim_functions::kNames;
  using osim_functions::kOthers;
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end() ||
         std::find(kOthers.begin(), kOthers.end(), name) != kOthers.end();
}

}  // namespace parfait::io
